#include "core/data/sample.h"

#include <iterator>

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
  if (std::ssize(smallest_) == size_ && size_ > 0 && hash > *smallest_.rbegin()) return;
  smallest_.insert(hash);
  if (std::ssize(smallest_) > size_) smallest_.erase(std::prev(smallest_.end()));
}

}  // namespace strata
