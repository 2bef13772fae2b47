#include "core/base/version.h"

namespace strata {

std::string_view programVersion() {
  return STRATA_VERSION;  // the project's, by the build
}

}  // namespace strata
