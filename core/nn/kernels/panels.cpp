// Products with panels of float32.
#include "core/nn/kernels/panels.h"

#include "core/nn/kernels/panel_parts.h"

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

// Some inputs of some rows, and the part of a panel that they are multiplied by.
struct FloatTile {
  const float* x;
  std::int64_t stride;
  std::int64_t inner;
  const float* weights;
  Panel panel;
  PanelOutput output;

  template <int kRows, int kVectors>
  STRATA_AVX512 STRATA_INLINE void run(std::int64_t row) const {
    __m512 sums[kRows][kVectors] = {};
    if (output.adds) {
      for (int r = 0; r < kRows; ++r) {
        for (int v = 0; v < kVectors; ++v)
          __builtin_prefetch(output.out + (row + r) * output.stride + panel.first + v * kLane, 1);
      }
    }
    const float* from = x + row * stride;
    const float* weight = weights;
    const std::int64_t distance = stride;
    constexpr int kAhead = 16;  // inputs whose weights are on their way from a larger cache
#pragma GCC unroll 2
    for (std::int64_t i = 0; i < inner; ++i, weight += kVectors * kLane) {
      __m512 values[kVectors];
#pragma GCC unroll 3
      for (int v = 0; v < kVectors; ++v) {
        values[v] = _mm512_loadu_ps(weight + v * kLane);
        __builtin_prefetch(weight + (kAhead * kVectors + v) * kLane);
      }
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        const __m512 input = _mm512_set1_ps(from[r * distance + i]);
#pragma GCC unroll 3
        for (int v = 0; v < kVectors; ++v)
          sums[r][v] = _mm512_fmadd_ps(values[v], input, sums[r][v]);
      }
    }
    if (panel.columns == kVectors * kLane && output.bias == nullptr && !output.relu)
      return storeAll<kRows, kVectors>(sums, output.out + row * output.stride + panel.first);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 3
      for (int v = 0; v < kVectors; ++v)
        storeSums(sums[r][v], output, row + r, panel.first + v * kLane, panel.columns - v * kLane);
    }
  }

 private:
  // Whole vectors, without masks.
  template <int kRows, int kVectors>
  STRATA_AVX512 STRATA_INLINE void storeAll(const __m512 (&sums)[kRows][kVectors],
                                            float* to) const {
    const std::int64_t distance = output.stride;
    const bool adds = output.adds;
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 3
      for (int v = 0; v < kVectors; ++v) {
        float* const at = to + r * distance + v * kLane;
        _mm512_storeu_ps(at, adds ? _mm512_add_ps(sums[r][v], _mm512_loadu_ps(at)) : sums[r][v]);
      }
    }
  }
};

constexpr std::int64_t kInnerAtOnce = 512;  // inputs: a panel's part of them stays in the cache

// Those of inputs [first, first + kInnerAtOnce) of all.
STRATA_AVX512 void multiplyPart(FloatTile tile, std::int64_t first, std::int64_t begin,
                                std::int64_t end) {
  const bool last = first + kInnerAtOnce >= tile.inner;
  tile.x += first;
  tile.weights += first * tile.panel.stored();
  tile.inner = std::min(kInnerAtOnce, tile.inner - first);
  tile.output.adds = tile.output.adds || first > 0;
  if (!last) tile.output.bias = nullptr;
  tile.output.relu = last && tile.output.relu;
  forEachTile(tile.panel, begin, end, tile);
}

}  // namespace

bool hasPanels() {
  static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return has;
}

void multiplyPanels(const PanelInput& x, const float* panels, const PanelShape& shape,
                    const PanelOutput& output, int threads, const RowsDone& done) {
  const auto tileOf = [&](const Panel& panel) {
    return FloatTile{.x = x.values,
                     .stride = x.stride,
                     .inner = shape.inner,
                     .weights = panels + panel.first * shape.inner,
                     .panel = panel,
                     .output = output};
  };
  const bool manyRows = x.rows >= 2 * kRowsAtOnce * threads;
  if (!done && !manyRows) {
    return forEachPanel(shape, x.rows, threads,
                        [&](const Panel& panel, std::int64_t begin, std::int64_t end) {
                          for (std::int64_t i = 0; i < shape.inner; i += kInnerAtOnce)
                            multiplyPart(tileOf(panel), i, begin, end);
                        });
  }
  const auto multiplyGroup = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = 0; i < shape.inner; i += kInnerAtOnce) {
      for (std::int64_t p = 0; p < panelCount(shape); ++p)
        multiplyPart(tileOf(panelAt(shape, p)), i, begin, end);
    }
  };
  forEachGroup(x.rows, threads, multiplyGroup, [&](std::int64_t begin, std::int64_t end) {
    if (done) done(begin, end);
  });
}

#else

bool hasPanels() {
  return false;
}
void multiplyPanels(const PanelInput&, const float*, const PanelShape&, const PanelOutput&, int,
                    const RowsDone&) {}

#endif

}  // namespace strata::kernels
