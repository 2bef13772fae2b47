#include "core/metrics/numpy_random.h"

#include <array>

namespace strata {
namespace {

using Wide = unsigned __int128;

constexpr Wide wide(std::uint64_t high, std::uint64_t low) {
  return (Wide{high} << 64) | low;
}

// O'Neill's seed_seq_fe as in numpy's SeedSequence, with a pool of four words.
class SeedSequence {
 public:
  explicit SeedSequence(std::uint64_t seed) {
    const std::array<std::uint32_t, 4> entropy{static_cast<std::uint32_t>(seed),
                                               static_cast<std::uint32_t>(seed >> 32)};
    for (std::size_t i = 0; i < pool_.size(); ++i) pool_[i] = hashed(entropy[i]);
    for (std::size_t from = 0; from < pool_.size(); ++from) {
      for (std::size_t to = 0; to < pool_.size(); ++to) {
        if (from != to) pool_[to] = mixed(pool_[to], hashed(pool_[from]));
      }
    }
  }

  // Four words of 64 bits, the lower half drawn first.
  std::array<std::uint64_t, 4> generate() const {
    std::array<std::uint64_t, 4> words{};
    std::uint32_t factor = 0x8B51F9DD;
    for (std::size_t i = 0; i < 8; ++i) {
      std::uint32_t value = pool_[i % pool_.size()] ^ factor;
      factor *= 0x58F38DED;
      value *= factor;
      value ^= value >> 16;
      words[i / 2] |= std::uint64_t{value} << (32 * (i % 2));
    }
    return words;
  }

 private:
  std::uint32_t hashed(std::uint32_t value) {
    value ^= factor_;
    factor_ *= 0x931E8875;
    value *= factor_;
    return value ^ (value >> 16);
  }
  static std::uint32_t mixed(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t value = 0xCA01F9DD * a - 0x4973F715 * b;
    return value ^ (value >> 16);
  }

  std::array<std::uint32_t, 4> pool_{};
  std::uint32_t factor_ = 0x43B0D7E5;
};

}  // namespace

NumpyRandom::NumpyRandom(std::uint64_t seed) {
  const auto words = SeedSequence(seed).generate();
  increment_ = (wide(words[2], words[3]) << 1) | 1;
  state_ = (increment_ + wide(words[0], words[1])) * kMultiplier + increment_;
}

}  // namespace strata
