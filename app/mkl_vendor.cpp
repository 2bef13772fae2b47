// Intel's matrix library (MKL), which libtorch is linked with, checks the processor's vendor before
// its features: on other vendors' processors with AVX-512 it uses its AVX2 kernels. It asks this
// function, and a program's definition overrides the library's. Unless STRATA_MKL_FAST is 0, the
// answer is yes for any processor with all features that the AVX-512 kernels need. If libtorch is
// built with another library, this function is never called.
#include "app/mkl_vendor.h"

#if defined(__x86_64__) && defined(__GNUC__)
extern "C" __attribute__((visibility("default"))) int mkl_serv_intel_cpu_true() {
  __builtin_cpu_init();  // libtorch may call this before the program's constructors have run
  static const bool wide = __builtin_cpu_supports("avx512f") &&
                           __builtin_cpu_supports("avx512dq") &&
                           __builtin_cpu_supports("avx512bw") &&
                           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
  static const bool fast = wide && strata::mklFast();
  return fast || __builtin_cpu_is("intel") ? 1 : 0;
}
#endif
