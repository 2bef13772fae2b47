#include "packaging/no_cuda/no_cuda.h"

namespace {
constexpr int kNoDevice = 100;  // cudaErrorNoDevice
}

STRATA_NO_CUDA(cudaDeviceSynchronize, kNoDevice)
STRATA_NO_CUDA(cudaGetDeviceProperties, kNoDevice)

// Callers read what these write even if they fail.
extern "C" __attribute__((visibility("default"))) int cudaGetDeviceCount(int* count) {
  *count = 0;
  return kNoDevice;
}
extern "C" __attribute__((visibility("default"))) int cudaDriverGetVersion(int* version) {
  *version = 0;
  return 0;
}
extern "C" __attribute__((visibility("default"))) int cudaRuntimeGetVersion(int* version) {
  *version = 0;
  return 0;
}
extern "C" __attribute__((visibility("default"))) const char* cudaGetErrorString(int) {
  return "this package has no CUDA";
}
