#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <utility>

namespace strata {

// Philox 4x32-10 (Salmon et al., SC 2011): four random words from a key and a counter, without
// stored state.
std::array<std::uint32_t, 4> philox(std::uint64_t key, std::uint64_t counterHigh,
                                    std::uint64_t counterLow);

// A seeded stream of random numbers that is the same on every platform (unlike the standard
// distributions). Its full state is (seed, stream, position), so that it can be saved and continued
// exactly.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed, std::uint64_t stream = 0)
      : seed_(seed), stream_(stream) {}

  std::uint64_t next();                      // 64 random bits
  std::uint64_t below(std::uint64_t bound);  // uniform in [0, bound), bound > 0, without bias
  double uniform();                          // uniform in [0, 1)
  double normal();                           // mean 0, standard deviation 1

  std::uint64_t position() const { return position_; }
  void seek(std::uint64_t position) { position_ = position; }

  // Fisher-Yates.
  template <typename T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::uint64_t seed_;
  std::uint64_t stream_;
  std::uint64_t position_ = 0;
};

}  // namespace strata
