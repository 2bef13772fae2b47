#pragma once
#include <cstdlib>
#include <string_view>

namespace strata {

// Whether libtorch's matrix library may use its AVX-512 kernels on processors of all vendors: yes,
// unless the environment variable STRATA_MKL_FAST is 0. app/mkl_vendor.cpp, which is part of the
// programs that compute, tells the library. It asks once: a later change has no effect.
inline bool mklFast() {
  const char* setting = std::getenv("STRATA_MKL_FAST");
  return setting == nullptr || std::string_view(setting) != "0";
}

}  // namespace strata
