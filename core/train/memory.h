#pragma once
#include <cstddef>
#include <cstdint>

namespace strata {

// Tells the C library to keep what it has: large tensors come from the heap instead of a mapping
// each, and freed memory is not handed back, so that a training step maps and unmaps nothing. Call
// once, before the first tensor.
void keepFreedMemory();

struct MemoryUse {
  std::int64_t resident = 0;  // bytes of physical memory this process holds now
  std::int64_t peak = 0;      // the most it has held
};
MemoryUse memoryUse();

// Bytes of physical memory that this process holds now for anything but tensors: program and
// libraries, mapped files, and what lives on the heap. Freed parts of the heap do not count, so
// that it does not matter what was there before. Reads the list of mappings, which takes about a
// millisecond.
std::int64_t memoryBesideTensors();

}  // namespace strata
