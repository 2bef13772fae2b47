#include "core/base/clock.h"

#include <chrono>

namespace strata {

double nowSeconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace strata
