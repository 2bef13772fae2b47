#include "core/train/memory.h"

#include <c10/core/CachingDeviceAllocator.h>
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "core/train/tensor_memory.h"

namespace strata {
namespace {

// Bytes of physical memory of the heap's mapping.
std::int64_t residentHeap() {
  std::FILE* maps = std::fopen("/proc/self/smaps", "r");
  if (maps == nullptr) return 0;
  char line[512];
  bool inHeap = false;
  long long kib = 0, sum = 0;
  while (std::fgets(line, sizeof(line), maps) != nullptr) {
    if (std::strstr(line, " kB") == nullptr) {
      inHeap = std::strstr(line, "[heap]") != nullptr;  // a mapping's first line
    } else if (inHeap && std::sscanf(line, "Rss: %lld", &kib) == 1) {
      sum += kib;
    }
  }
  std::fclose(maps);
  return sum * 1024;
}

// A device without an index is the first one.
c10::DeviceIndex numberOf(const c10::Device& device) {
  return std::max<c10::DeviceIndex>(0, device.index());
}

}  // namespace

void keepFreedMemory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  mallopt(M_TOP_PAD, 64 << 20);
  // One arena: a tensor that another thread frees or allocates uses the same heap.
  mallopt(M_ARENA_MAX, 1);
#endif
  useTensorMemory();
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

MemoryUse memoryUse(const c10::Device& device) {
  if (device.is_cpu()) return memoryUse();
  const auto stats = c10::getDeviceAllocator(device.type())->getDeviceStats(numberOf(device));
  const auto all = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  return {.resident = stats.allocated_bytes[all].current,
          .peak = stats.allocated_bytes[all].peak,
          .reserved = stats.reserved_bytes[all].current};
}

void restartPeak(const c10::Device& device) {
  if (device.is_cpu()) return;
  c10::getDeviceAllocator(device.type())->resetPeakStats(numberOf(device));
}

std::int64_t memoryBesideTensors() {
  const std::int64_t outside = memoryUse().resident - residentHeap();
#ifdef __GLIBC__
  const auto living = static_cast<std::int64_t>(mallinfo2().uordblks);
#else
  const std::int64_t living = 0;
#endif
  return outside + std::max<std::int64_t>(0, living - tensorBytes());
}

}  // namespace strata
