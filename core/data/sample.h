#pragma once
#include <cstdint>
#include <set>
#include <string_view>

namespace strata {

// A random sample of distinct keys from a stream of any length in memory proportional to the
// sample: the keys with the smallest hashes under the seed. Which keys are drawn does not depend on
// their order or number of occurrences.
class StreamSample {
 public:
  StreamSample(std::int64_t size, std::uint64_t seed) : size_(size), seed_(seed) {}

  std::uint64_t hashOf(std::uint64_t number) const;   // of a number, such as a position
  std::uint64_t hashOf(std::string_view text) const;  // of a string
  void offer(std::uint64_t hash);                     // a key, by its hash

  // The drawn keys' hashes, in arbitrary order (as random as the sample). At most `size`.
  const std::set<std::uint64_t>& drawn() const { return smallest_; }

 private:
  std::int64_t size_;
  std::uint64_t seed_;
  std::set<std::uint64_t> smallest_;
};

}  // namespace strata
