#include "core/train/memory.h"

#include <malloc.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace strata {

void keepFreedMemory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  mallopt(M_TOP_PAD, 64 << 20);
  // One arena: a tensor that another thread frees or allocates uses the same heap.
  mallopt(M_ARENA_MAX, 1);
#endif
}

void reserveHeap(std::size_t bytes) {
  std::free(std::malloc(bytes));
}

MemoryUse memoryUse() {
  MemoryUse use;
  std::FILE* status = std::fopen("/proc/self/status", "r");
  if (status == nullptr) return use;
  char line[256];
  while (std::fgets(line, sizeof(line), status) != nullptr) {
    long long kib = 0;
    if (std::sscanf(line, "VmRSS: %lld", &kib) == 1) use.resident = kib * 1024;
    if (std::sscanf(line, "VmHWM: %lld", &kib) == 1) use.peak = kib * 1024;
  }
  std::fclose(status);
  return use;
}

}  // namespace strata
