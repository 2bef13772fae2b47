#include "ui/data/resources.h"

#include <QtGlobal>

// A static library's resources come into the program by name only; the macro wants the global
// namespace.
static void initialise() {
  Q_INIT_RESOURCE(strata);
}

namespace strata::ui {

void loadResources() {
  initialise();
}

}  // namespace strata::ui
