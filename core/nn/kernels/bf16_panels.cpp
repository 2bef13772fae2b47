// Products with panels of bf16, whose values are the upper halves of float32's.
#include <bit>
#include <cmath>

#include "core/nn/kernels/float_panels.h"

namespace strata::kernels {
namespace {

constexpr int kHalf = 16;  // bits

std::int64_t pairsOf(std::int64_t inner) {
  return roundedUp(inner, 2) / 2;
}

// To the nearest, halves to even.
std::uint32_t roundedToBf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  constexpr std::uint32_t kQuiet = 0x40;  // keeps what is not a number from becoming infinite
  if (std::isnan(value)) return bits >> kHalf | kQuiet;
  return (bits + 0x7fff + (bits >> kHalf & 1)) >> kHalf;
}

}  // namespace

std::int64_t bf16PanelPairs(const PanelShape& shape) {
  return roundedUp(shape.columns, kLane) * pairsOf(shape.inner);
}

void packBf16Panels(const float* weight, const PanelShape& shape, Bf16Pair* panels, int threads) {
  const std::int64_t pairs = pairsOf(shape.inner);
  parallel(panelCount(shape), threads, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t p = begin; p < end; ++p) {
      const Panel panel = panelAt(shape, p);
      Bf16Pair* const to = panels + panel.first * pairs;
      std::fill_n(to, panel.stored() * pairs, Bf16Pair{0});
      for (std::int64_t c = 0; c < panel.columns; ++c) {
        const float* from = weight + (panel.first + c) * shape.inner;
        for (std::int64_t i = 0; i < shape.inner; ++i)
          to[i / 2 * panel.stored() + c] |= roundedToBf16(from[i]) << i % 2 * kHalf;
      }
    }
  });
}

#ifdef STRATA_HAS_AVX512
namespace {

struct Bf16Values {
  using Stored = Bf16Pair;
  static constexpr int kInputs = 2;

  template <int kInput>
  STRATA_AVX512 STRATA_INLINE static __m512 load(const Bf16Pair* from) {
    const __m512i pairs = _mm512_loadu_si512(from), upper = _mm512_set1_epi32(-1 << kHalf);
    return _mm512_castsi512_ps(kInput == 0 ? _mm512_slli_epi32(pairs, kHalf)
                                           : _mm512_and_si512(pairs, upper));
  }
};

}  // namespace

void multiplyBf16Panels(const PanelInput& x, const Bf16Pair* panels, const PanelShape& shape,
                        const PanelOutput& output, int threads) {
  multiplyFloatPanels<Bf16Values>(x, panels, shape, output, threads, {});
}

#else

void multiplyBf16Panels(const PanelInput&, const Bf16Pair*, const PanelShape&, const PanelOutput&,
                        int) {}

#endif

}  // namespace strata::kernels
