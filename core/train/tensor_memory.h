#pragma once
#include <cstdint>
#include <vector>

namespace strata {

// Makes tensors of the CPU take their memory from malloc, aligned inside their block, from now on.
// libtorch's own way, posix_memalign, cannot use a freed block again for a tensor of the same size
// in C libraries before glibc 2.38, and training would need up to a third more memory. Also keeps
// account of what lives. Any thread; further calls do nothing.
void useTensorMemory();

// Bytes of the tensors that were made since useTensorMemory() and live.
std::int64_t tensorBytes();

// Follows the tensors that this thread makes and drops while it lives. One at a time a thread.
class TensorTrace {
 public:
  TensorTrace();  // calls useTensorMemory()
  ~TensorTrace();
  TensorTrace(const TensorTrace&) = delete;
  TensorTrace& operator=(const TensorTrace&) = delete;

  // Bytes that live beside those at the start, after each tensor that was made.
  const std::vector<std::int64_t>& levels() const { return levels_; }
  std::int64_t level() const { return level_; }  // now
  std::int64_t peak() const;

 private:
  friend class TensorAllocator;
  std::int64_t level_ = 0;
  std::vector<std::int64_t> levels_;
};

}  // namespace strata
