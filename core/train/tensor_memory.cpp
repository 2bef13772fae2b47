#include "core/train/tensor_memory.h"

#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <mutex>

#include "core/base/error.h"

namespace strata {
namespace {

constexpr std::size_t kAlignment = 64;  // bytes; a cache line

// Header before a tensor's first byte.
struct Header {
  void* block;        // as returned by malloc
  std::size_t bytes;  // of the tensor, rounded up
};
static_assert(sizeof(Header) <= kAlignment);

// Sizes are rounded up to a sixteenth of the power of two below: batches of similar size then reuse
// each other's blocks, and the heap does not fragment.
std::size_t roundedUp(std::size_t bytes) {
  if (bytes < 4096) return bytes;
  const std::size_t step = std::bit_floor(bytes) / 16;
  return (bytes + step - 1) / step * step;
}

thread_local TensorTrace* currentTrace = nullptr;

}  // namespace

class TensorAllocator : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    if (bytes == 0) return {nullptr, nullptr, &release, c10::Device(c10::DeviceType::CPU)};
    bytes = roundedUp(bytes);
    void* block = std::malloc(bytes + kAlignment + sizeof(Header));
    if (block == nullptr)
      throw Error("out of memory: cannot allocate a tensor of {} MiB", bytes >> 20);
    const auto first = reinterpret_cast<std::uintptr_t>(block) + sizeof(Header);
    auto* data = reinterpret_cast<Header*>((first + kAlignment - 1) / kAlignment * kAlignment);
    data[-1] = {block, bytes};
    count(static_cast<std::int64_t>(bytes));
    return {data, data, &release, c10::Device(c10::DeviceType::CPU)};
  }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }

  static std::int64_t live() { return live_; }

 private:
  static void release(void* data) {
    if (data == nullptr) return;
    const Header header = static_cast<Header*>(data)[-1];
    count(-static_cast<std::int64_t>(header.bytes));
    std::free(header.block);
  }
  static void count(std::int64_t bytes) {
    live_.fetch_add(bytes, std::memory_order_relaxed);
    TensorTrace* trace = currentTrace;
    if (trace == nullptr) return;
    trace->level_ += bytes;
    if (bytes > 0) trace->levels_.push_back(trace->level_);
  }

  static inline std::atomic<std::int64_t> live_ = 0;
};

void useTensorMemory() {
  // libtorch drops no allocator while tensors exist: it stays until the end.
  static auto* const allocator = new TensorAllocator;
  static std::once_flag set;
  std::call_once(set, [] { c10::SetCPUAllocator(allocator, /*priority=*/1); });
}

std::int64_t tensorBytes() {
  return TensorAllocator::live();
}

TensorTrace::TensorTrace() {
  useTensorMemory();
  currentTrace = this;
}
TensorTrace::~TensorTrace() {
  currentTrace = nullptr;
}

std::int64_t TensorTrace::peak() const {
  return levels_.empty() ? 0 : std::max<std::int64_t>(0, *std::ranges::max_element(levels_));
}

}  // namespace strata
