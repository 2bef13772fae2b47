#pragma once
#include <cstdint>

namespace strata {

// The generator behind numpy.random.default_rng(seed): PCG64 (O'Neill, XSL-RR 128/64) seeded
// through SeedSequence, so that resampling draws what sacreBLEU draws.
class NumpyRandom {
 public:
  explicit NumpyRandom(std::uint64_t seed);

  std::uint64_t next64();
  std::uint32_t next32();                    // halves of next64, the lower one first
  std::uint32_t below(std::uint32_t bound);  // as Generator.integers(bound); bound > 0
  bool coin();                               // as Generator.integers(2, dtype=bool)

 private:
  unsigned __int128 state_ = 0, increment_ = 0;
  bool half_ = false;
  std::uint32_t upper_ = 0;
  std::uint32_t bits_ = 0;
  int bitsLeft_ = 0;
};

}  // namespace strata
