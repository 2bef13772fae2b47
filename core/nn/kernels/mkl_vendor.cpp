// Intel's matrix library, which libtorch is linked with, looks at the maker of the processor before
// it looks at what the processor can do: on others' processors that have AVX-512 it takes its
// kernels for AVX2. It asks this function of its own, which the program's definition goes before:
// the answer here is yes also for any processor that has all that its AVX-512 kernels need. Where
// libtorch is built with another library, nobody asks.
#if defined(__x86_64__) && defined(__GNUC__)
extern "C" __attribute__((visibility("default"))) int mkl_serv_intel_cpu_true() {
  __builtin_cpu_init();  // libtorch may ask before this program's constructors have run
  static const bool wide = __builtin_cpu_supports("avx512f") &&
                           __builtin_cpu_supports("avx512dq") &&
                           __builtin_cpu_supports("avx512bw") &&
                           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
  return wide || __builtin_cpu_is("intel") ? 1 : 0;
}
#endif
