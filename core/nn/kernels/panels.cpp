// Products with panels of float32.
#include "core/nn/kernels/float_panels.h"

namespace strata::kernels {
namespace {

// One vector of a panel's columns, `columns` of which exist, for all inputs.
void packVector(const PanelWeight& weight, std::int64_t columns, std::int64_t inner, float* to,
                std::int64_t stored) {
  if (columns < kLane) {
    for (std::int64_t i = 0; i < inner; ++i) std::fill_n(to + i * stored, kLane, 0.0f);
  }
  if (weight.columnStride == 1) {
    for (std::int64_t i = 0; i < inner; ++i)
      std::copy_n(weight.values + i * weight.inputStride, columns, to + i * stored);
    return;
  }
  for (std::int64_t i = 0; i < inner; ++i) {
    for (std::int64_t c = 0; c < columns; ++c)
      to[i * stored + c] = weight.values[c * weight.columnStride + i * weight.inputStride];
  }
}

}  // namespace

std::int64_t panelValues(const PanelShape& shape) {
  return roundedUp(shape.columns, kLane) * shape.inner;
}

void packPanels(const PanelWeight& weight, const PanelShape& shape, float* panels, int threads) {
  parallel(panelCount(shape), threads, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t p = begin; p < end; ++p) {
      const Panel panel = panelAt(shape, p);
      for (std::int64_t c = 0; c < panel.columns; c += kLane) {
        PanelWeight columns = weight;
        columns.values += (panel.first + c) * weight.columnStride;
        packVector(columns, std::min(kLane, panel.columns - c), shape.inner,
                   panels + panel.first * shape.inner + c, panel.stored());
      }
    }
  });
}

#ifdef STRATA_HAS_AVX512
namespace {

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

void multiplyPanels(const PanelInput& x, const float* panels, const PanelShape& shape,
                    const PanelOutput& output, int threads, const RowsDone& done) {
  multiplyFloatPanels<Float32Values>(x, panels, shape, output, threads, done);
}

#else

bool hasPanels() {
  return false;
}
void multiplyPanels(const PanelInput&, const float*, const PanelShape&, const PanelOutput&, int,
                    const RowsDone&) {}

#endif

}  // namespace strata::kernels
