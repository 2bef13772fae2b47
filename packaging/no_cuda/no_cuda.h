// Stands in for CUDA's libraries in the package. libtorch's CPU part is linked with libcudart and
// libcupti for its profiler; NVIDIA's own may not be passed on with this program's licence, and
// without a GPU they only report that there is none. So does each function here:
// packaging/no_cuda/*.cpp are libraries of the same names and versions.
#pragma once

#define STRATA_NO_CUDA(function, status)                             \
  extern "C" __attribute__((visibility("default"))) int function() { \
    return status;                                                   \
  }
