#pragma once
#include <cstddef>
#include <cstdint>

namespace strata {

// Tells the C library to keep what it has: large tensors come from the heap instead of a mapping
// each, and freed memory is not handed back, so that a training step maps and unmaps nothing. Call
// once, before the first tensor.
void keepFreedMemory();

// Extends the heap by `bytes` of free memory at once, so that later steps find room without asking
// the system. Physical memory is used only where it is written to.
void reserveHeap(std::size_t bytes);

struct MemoryUse {
  std::int64_t resident = 0;  // bytes of physical memory this process holds now
  std::int64_t peak = 0;      // the most it has held
};
MemoryUse memoryUse();

}  // namespace strata
