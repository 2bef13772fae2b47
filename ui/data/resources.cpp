#include "ui/data/resources.h"

#include <QtGlobal>

// Resources of a static library must be initialised explicitly; the macro only works in the global
// namespace.
static void initialise() {
  Q_INIT_RESOURCE(strata);
}

namespace strata::ui {

void loadResources() {
  initialise();
}

}  // namespace strata::ui
