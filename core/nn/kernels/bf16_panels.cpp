// Panels of bf16, and products with their values multiplied as float32.
#include "core/nn/kernels/bf16_parts.h"
#include "core/nn/kernels/float_panels.h"

namespace strata::kernels {

std::int64_t bf16PanelPairs(const PanelShape& shape) {
  return roundedUp(shape.columns, kLane) * pairsOf(shape.inner);
}

#ifdef STRATA_HAS_AVX512
namespace {

// Columns that are next to each other: one vector of each input.
STRATA_AVX512 void packAdjacent(const PanelWeight& weight, __mmask16 exist, std::int64_t inner,
                                Bf16Pair* to, std::int64_t stored) {
  constexpr __mmask32 kUpper = 0xaaaaaaaa;
  for (std::int64_t i = 0; i < inner; i += 2, to += stored) {
    const float* even = weight.values + i * weight.inputStride;
    __m512i pairs = _mm512_srli_epi32(roundedInUpper(_mm512_maskz_loadu_ps(exist, even)), kHalf);
    if (i + 1 < inner) {
      const __m512 odd = _mm512_maskz_loadu_ps(exist, even + weight.inputStride);
      pairs = _mm512_mask_blend_epi16(kUpper, pairs, roundedInUpper(odd));
    }
    _mm512_storeu_si512(to, pairs);
  }
}

// Columns whose inputs are next to each other: the pairs of each are transposed.
STRATA_AVX512 void packTransposed(const PanelWeight& weight, std::int64_t columns,
                                  std::int64_t inner, Bf16Pair* to, std::int64_t stored) {
  for (std::int64_t first = 0; first < inner; first += 2 * kLane) {
    __m512i pairs[kLane];
#pragma GCC unroll 16
    for (int c = 0; c < kLane; ++c) {
      const float* from = weight.values + c * weight.columnStride + first;
      const std::int64_t left = c < columns ? inner - first : 0;
      const __m256i low = roundedToBf16(_mm512_maskz_loadu_ps(columnMask(left), from)),
                    high = roundedToBf16(
                        _mm512_maskz_loadu_ps(columnMask(left - kLane), from + kLane));
      pairs[c] = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
    }
    transpose(pairs);
    const std::int64_t count = std::min(kLane, pairsOf(inner - first));
    for (std::int64_t k = 0; k < count; ++k, to += stored) _mm512_storeu_si512(to, pairs[k]);
  }
}

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

STRATA_AVX512 void packBf16Vector(const PanelWeight& weight, std::int64_t columns,
                                  std::int64_t inner, Bf16Pair* to, std::int64_t stored) {
  if (weight.columnStride == 1) {
    packAdjacent(weight, columnMask(columns), inner, to, stored);
  } else {
    packTransposed(weight, columns, inner, to, stored);
  }
}

void packBf16Panels(const PanelWeight& weight, const PanelShape& shape, Bf16Pair* panels,
                    int threads) {
  forEachVector(shape, threads, [&](const Panel& panel, std::int64_t column) {
    packBf16Vector(weight.from(column), shape.columns - column, shape.inner,
                   panels + panel.first * pairsOf(shape.inner) + column - panel.first,
                   panel.stored());
  });
}

void multiplyBf16Panels(const PanelInput& x, const Bf16Pair* panels, const PanelShape& shape,
                        const PanelOutput& output, int threads) {
  multiplyFloatPanels<Bf16Values>(x, panels, shape, output, threads, {});
}

#else

void packBf16Panels(const PanelWeight&, const PanelShape&, Bf16Pair*, int) {}
void multiplyBf16Panels(const PanelInput&, const Bf16Pair*, const PanelShape&, const PanelOutput&,
                        int) {}

#endif

}  // namespace strata::kernels
