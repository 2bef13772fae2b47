// Shared by products with factors that are rounded to bf16.
#pragma once
#include "core/nn/kernels/panel_parts.h"

namespace strata::kernels {

constexpr int kHalf = 16;  // bits of a bf16, the upper ones of a float32

inline std::int64_t pairsOf(std::int64_t inner) {
  return roundedUp(inner, 2) / 2;
}

#ifdef STRATA_HAS_AVX512

// As bf16 in the upper halves; what the lower ones contain has no meaning. To the nearest, halves
// to even; what is not a number stays that.
STRATA_AVX512 STRATA_INLINE __m512i roundedInUpper(__m512 values) {
  const __m512i bits = _mm512_castps_si512(values),
                odd = _mm512_and_si512(_mm512_srli_epi32(bits, kHalf), _mm512_set1_epi32(1)),
                half = _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff));
  const __mmask16 unordered = _mm512_cmp_ps_mask(values, values, _CMP_UNORD_Q);
  const __m512i quiet = _mm512_set1_epi32(0x400000);  // keeps it from becoming infinite
  return _mm512_mask_or_epi32(_mm512_add_epi32(bits, half), unordered, bits, quiet);
}

STRATA_AVX512 STRATA_INLINE __m256i roundedToBf16(__m512 values) {
  return _mm512_cvtepi32_epi16(_mm512_srli_epi32(roundedInUpper(values), kHalf));
}

// The pairs of 16 columns, the first `columns` of which are those of the weight; the pairs of one
// column are `stored` apart.
void packBf16Vector(const PanelWeight& weight, std::int64_t columns, std::int64_t inner,
                    Bf16Pair* to, std::int64_t stored);

#endif

}  // namespace strata::kernels
