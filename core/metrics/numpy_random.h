#pragma once
#include <bit>
#include <cstdint>

namespace strata {

// The generator of numpy.random.default_rng(seed): PCG64 (O'Neill, XSL-RR 128/64) seeded through
// SeedSequence, so that resampling draws the same as sacreBLEU.
class NumpyRandom {
 public:
  explicit NumpyRandom(std::uint64_t seed);

  std::uint64_t next64();
  std::uint32_t next32();                    // halves of next64, the lower one first
  std::uint32_t below(std::uint32_t bound);  // like Generator.integers(bound); bound > 0

 private:
  using Wide = unsigned __int128;
  static constexpr Wide kMultiplier = (Wide{0x2360ED051FC65DA4} << 64) | 0x4385DF649FCCF645;

  Wide state_ = 0, increment_ = 0;
  bool half_ = false;
  std::uint32_t upper_ = 0;
};

// Inline, since resampling draws millions of them.

inline std::uint64_t NumpyRandom::next64() {
  state_ = state_ * kMultiplier + increment_;
  const auto folded = static_cast<std::uint64_t>(state_ >> 64) ^ static_cast<std::uint64_t>(state_);
  return std::rotr(folded, static_cast<int>(state_ >> 122));
}

inline std::uint32_t NumpyRandom::next32() {
  if (half_) {
    half_ = false;
    return upper_;
  }
  const std::uint64_t both = next64();
  half_ = true;
  upper_ = static_cast<std::uint32_t>(both >> 32);
  return static_cast<std::uint32_t>(both);
}

inline std::uint32_t NumpyRandom::below(std::uint32_t bound) {
  if (bound == 1) return 0;  // draws nothing
  // Lemire's multiplication; products in the biased part are drawn again.
  std::uint64_t product = std::uint64_t{next32()} * bound;
  if (static_cast<std::uint32_t>(product) < bound) {
    const std::uint32_t threshold = (0 - bound) % bound;
    while (static_cast<std::uint32_t>(product) < threshold)
      product = std::uint64_t{next32()} * bound;
  }
  return static_cast<std::uint32_t>(product >> 32);
}

}  // namespace strata
