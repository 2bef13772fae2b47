#include "core/data/sample.h"

#include <algorithm>

#include "core/base/digest.h"
#include "core/base/random.h"

namespace strata {
namespace {
constexpr std::uint64_t kNumbers = 1, kTexts = 2;  // separates the two kinds of keys

std::uint64_t hashed(std::uint64_t seed, std::uint64_t kind, std::uint64_t key) {
  const auto words = philox(seed, kind, key);
  return static_cast<std::uint64_t>(words[0]) << 32 | words[1];
}
}  // namespace

std::uint64_t StreamSample::hashOf(std::uint64_t number) const {
  return hashed(seed_, kNumbers, number);
}

std::uint64_t StreamSample::hashOf(std::string_view text) const {
  return hashed(seed_, kTexts, checksum64(text));
}

void StreamSample::offer(std::uint64_t hash) {
  if (size_ <= 0) return;
  const bool full = static_cast<std::int64_t>(heap_.size()) >= size_;
  if (full && hash >= heap_.front()) return;
  if (!members_.insert(hash).second) return;
  if (full) {
    members_.erase(heap_.front());
    std::pop_heap(heap_.begin(), heap_.end());
    heap_.pop_back();
  }
  heap_.push_back(hash);
  std::push_heap(heap_.begin(), heap_.end());
}

std::vector<std::uint64_t> StreamSample::drawn() const {
  std::vector<std::uint64_t> hashes = heap_;
  std::sort(hashes.begin(), hashes.end());
  return hashes;
}

}  // namespace strata
