#pragma once
#include <cstdint>
#include <vector>

namespace strata {

// Makes CPU tensors take their memory from malloc, aligned inside their block, from now on.
// libtorch's default, posix_memalign, cannot reuse a freed block for a tensor of the same size in C
// libraries before glibc 2.38, and training would need up to a third more memory. Also tracks live
// tensors. Any thread; further calls do nothing.
void useTensorMemory();

// Bytes of the live tensors that were created since useTensorMemory().
std::int64_t tensorBytes();

// Tracks the tensors that this thread creates and frees while it exists. At most one per thread.
class TensorTrace {
 public:
  TensorTrace();  // calls useTensorMemory()
  ~TensorTrace();
  TensorTrace(const TensorTrace&) = delete;
  TensorTrace& operator=(const TensorTrace&) = delete;

  // Bytes in use beyond those at the start, after each tensor creation.
  const std::vector<std::int64_t>& levels() const { return levels_; }
  std::int64_t level() const { return level_; }  // now
  std::int64_t peak() const;

 private:
  friend class TensorAllocator;
  std::int64_t level_ = 0;
  std::vector<std::int64_t> levels_;
};

}  // namespace strata
