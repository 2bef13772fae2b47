#pragma once
#include <c10/core/Device.h>

#include <cstddef>
#include <cstdint>

namespace strata {

// Tells the C library to keep its memory: large tensors come from the heap instead of individual
// mappings, and freed memory is not returned, so that a training step maps and unmaps nothing. Call
// once, before the first tensor.
void keepFreedMemory();

struct MemoryUse {
  std::int64_t resident = 0;  // bytes of physical memory this process holds now
  std::int64_t peak = 0;      // the maximum so far
  std::int64_t reserved = 0;  // on a GPU: bytes that libtorch holds, its cache included
};
MemoryUse memoryUse();
// On a GPU: bytes of this process's tensors there, as counted by libtorch; its cache and the
// driver's memory are extra. On the CPU: the same as memoryUse().
MemoryUse memoryUse(const c10::Device& device);
// Restarts a GPU's peak from its current use; a process's peak is not reset.
void restartPeak(const c10::Device& device);

// Bytes of physical memory that this process uses now for anything but tensors: program and
// libraries, mapped files, and live heap blocks. Freed parts of the heap do not count, so that the
// history does not matter. Reads the list of mappings, which takes about a millisecond.
std::int64_t memoryBesideTensors();

}  // namespace strata
