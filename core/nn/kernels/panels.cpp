// Products with panels of float32.
#include "core/nn/kernels/panel_parts.h"

namespace strata::kernels {

std::int64_t panelValues(const PanelShape& shape) {
  return roundedUp(shape.columns, kLane) * shape.inner;
}

void packPanels(const float* weight, const PanelShape& shape, float* panels) {
  for (std::int64_t p = 0; p < panelCount(shape); ++p) {
    const Panel panel = panelAt(shape, p);
    float* to = panels + panel.first * shape.inner;
    for (std::int64_t c = 0; c < panel.stored(); ++c) {
      const float* from = weight + (panel.first + c) * shape.inner;
      for (std::int64_t i = 0; i < shape.inner; ++i)
        to[i * panel.stored() + c] = c < panel.columns ? from[i] : 0;
    }
  }
}

#ifdef STRATA_HAS_AVX512
namespace {

// Some inputs of some rows, and the part of a panel that they are multiplied by.
struct FloatTile {
  const float* x;
  std::int64_t stride, inner;
  const float* weights;
  Panel panel;
  PanelOutput output;

  template <int kRows, int kVectors>
  STRATA_AVX512 STRATA_INLINE void run(std::int64_t row) const {
    __m512 sums[kRows][kVectors] = {};
    const float* from = x + row * stride;
    const float* weight = weights;
#pragma GCC unroll 2
    for (std::int64_t i = 0; i < inner; ++i, weight += kVectors * kLane) {
      __m512 values[kVectors];
#pragma GCC unroll 3
      for (int v = 0; v < kVectors; ++v) values[v] = _mm512_loadu_ps(weight + v * kLane);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        const __m512 input = _mm512_set1_ps(from[r * stride + i]);
#pragma GCC unroll 3
        for (int v = 0; v < kVectors; ++v)
          sums[r][v] = _mm512_fmadd_ps(values[v], input, sums[r][v]);
      }
    }
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 3
      for (int v = 0; v < kVectors; ++v)
        storeSums(sums[r][v], output, row + r, panel.first + v * kLane, panel.columns - v * kLane);
    }
  }
};

// Part by part of the inputs, so that a part of the panel stays in the cache for all rows.
STRATA_AVX512 void multiplyPanel(FloatTile tile, std::int64_t begin, std::int64_t end) {
  constexpr std::int64_t kInnerAtOnce = 512;
  const PanelOutput whole = tile.output;
  const std::int64_t inner = tile.inner;
  for (std::int64_t first = 0; first < inner; first += kInnerAtOnce) {
    const bool last = first + kInnerAtOnce >= inner;
    tile.inner = std::min(kInnerAtOnce, inner - first);
    tile.output.adds = whole.adds || first > 0;
    tile.output.bias = last ? whole.bias : nullptr;
    tile.output.relu = last && whole.relu;
    forEachTile(tile.panel, begin, end, tile);
    tile.x += tile.inner;
    tile.weights += tile.inner * tile.panel.stored();
  }
}

}  // namespace

bool hasPanels() {
  static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return has;
}

void multiplyPanels(const float* x, std::int64_t rows, const float* panels, const PanelShape& shape,
                    const PanelOutput& output, int threads) {
  forEachPanel(shape, rows, threads, [&](const Panel& panel, std::int64_t begin, std::int64_t end) {
    multiplyPanel({.x = x,
                   .stride = shape.inner,
                   .inner = shape.inner,
                   .weights = panels + panel.first * shape.inner,
                   .panel = panel,
                   .output = output},
                  begin, end);
  });
}

#else

bool hasPanels() {
  return false;
}
void multiplyPanels(const float*, std::int64_t, const float*, const PanelShape&, const PanelOutput&,
                    int) {}

#endif

}  // namespace strata::kernels
