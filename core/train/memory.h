#pragma once
#include <c10/core/Device.h>

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
// Of a GPU: bytes of this process's tensors there, as libtorch counts them; its cache and the
// driver's own come on top. Of the CPU: the same as memoryUse().
MemoryUse memoryUse(const c10::Device& device);
// From now on a GPU's peak is of what it holds now and later; a process's peak stays.
void restartPeak(const c10::Device& device);

// Bytes of physical memory that this process holds now for anything but tensors: program and
// libraries, mapped files, and what lives on the heap. Freed parts of the heap do not count, so
// that it does not matter what was there before. Reads the list of mappings, which takes about a
// millisecond.
std::int64_t memoryBesideTensors();

}  // namespace strata
