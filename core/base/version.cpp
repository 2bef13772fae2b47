#include "core/base/version.h"

namespace strata {

std::string_view programVersion() {
  return STRATA_VERSION;  // set by the build
}

}  // namespace strata
