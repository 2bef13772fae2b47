#include "core/base/random.h"

#include <cmath>
#include <numbers>

namespace strata {

std::array<std::uint32_t, 4> philox(std::uint64_t key, std::uint64_t counterHigh,
                                    std::uint64_t counterLow) {
  std::uint32_t k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
  std::uint32_t c0 = static_cast<std::uint32_t>(counterLow),
                c1 = static_cast<std::uint32_t>(counterLow >> 32);
  std::uint32_t c2 = static_cast<std::uint32_t>(counterHigh),
                c3 = static_cast<std::uint32_t>(counterHigh >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53} * c0;
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57} * c2;
    const auto high0 = static_cast<std::uint32_t>(p0 >> 32), low0 = static_cast<std::uint32_t>(p0);
    const auto high1 = static_cast<std::uint32_t>(p1 >> 32), low1 = static_cast<std::uint32_t>(p1);
    c0 = high1 ^ c1 ^ k0;
    c1 = low1;
    c2 = high0 ^ c3 ^ k1;
    c3 = low0;
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return {c0, c1, c2, c3};
}

std::uint64_t RandomStream::next() {
  const auto words = philox(seed_, stream_, position_++);
  return (std::uint64_t{words[0]} << 32) | words[1];
}

std::uint64_t RandomStream::below(std::uint64_t bound) {
  // Values below the threshold would make small results too frequent; draw again.
  const std::uint64_t threshold = (0 - bound) % bound;
  for (;;) {
    const std::uint64_t value = next();
    if (value >= threshold) return value % bound;
  }
}

double RandomStream::uniform() {
  return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

double RandomStream::normal() {
  const double radius = std::sqrt(-2.0 * std::log1p(-uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

}  // namespace strata
