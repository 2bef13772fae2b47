// Products with panels of float32.
#include "core/nn/kernels/float_panels.h"

namespace strata::kernels {

std::int64_t panelValues(const PanelShape& shape) {
  return roundedUp(shape.columns, kLane) * shape.inner;
}

#ifdef STRATA_HAS_AVX512
namespace {

// One vector of a panel's columns, `columns` of which exist at most, for all inputs.
STRATA_AVX512 void packVector(const PanelWeight& weight, std::int64_t columns, std::int64_t inner,
                              float* to, std::int64_t stored) {
  const __mmask16 exist = columnMask(columns);
  if (weight.columnStride == 1) {
    for (std::int64_t i = 0; i < inner; ++i)
      _mm512_storeu_ps(to + i * stored,
                       _mm512_maskz_loadu_ps(exist, weight.values + i * weight.inputStride));
    return;
  }
  for (std::int64_t first = 0; first < inner; first += kLane) {
    __m512i values[kLane];
#pragma GCC unroll 16
    for (int c = 0; c < kLane; ++c) {
      const __mmask16 mask = c < columns ? columnMask(inner - first) : 0;
      values[c] = _mm512_maskz_loadu_epi32(mask, weight.values + c * weight.columnStride + first);
    }
    transpose(values);
    const std::int64_t count = std::min(kLane, inner - first);
    for (std::int64_t i = 0; i < count; ++i)
      _mm512_storeu_si512(to + (first + i) * stored, values[i]);
  }
}

struct Float32Values {
  using Stored = float;
  static constexpr int kInputs = 1;

  template <int kInput>
  STRATA_AVX512 STRATA_INLINE static __m512 load(const float* from) {
    return _mm512_loadu_ps(from);
  }
};

}  // namespace

bool hasPanels() {
  static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return has;
}

void packPanels(const PanelWeight& weight, const PanelShape& shape, float* panels, int threads) {
  forEachVector(shape, threads, [&](const Panel& panel, std::int64_t column) {
    packVector(weight.from(column), shape.columns - column, shape.inner,
               panels + panel.first * shape.inner + column - panel.first, panel.stored());
  });
}

void multiplyPanels(const PanelInput& x, const float* panels, const PanelShape& shape,
                    const PanelOutput& output, int threads, const RowsDone& done) {
  multiplyFloatPanels<Float32Values>(x, panels, shape, output, threads, done);
}

#else

bool hasPanels() {
  return false;
}
void packPanels(const PanelWeight&, const PanelShape&, float*, int) {}
void multiplyPanels(const PanelInput&, const float*, const PanelShape&, const PanelOutput&, int,
                    const RowsDone&) {}

#endif

}  // namespace strata::kernels
