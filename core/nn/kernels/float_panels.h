// Products with panels whose values are multiplied as float32, whatever they are stored as.
#pragma once
#include "core/nn/kernels/panel_parts.h"

#ifdef STRATA_HAS_AVX512

namespace strata::kernels {

// Some inputs of some rows, and the part of a panel that they are multiplied by.
//   Values: how the panel is stored. A Values::Stored has Values::kInputs values of a column, those
//   of successive inputs; Values::load<i>(from) gives the i-th of 16 columns.
template <typename Values>
struct FloatTile {
  using Stored = typename Values::Stored;

  const float* x;
  std::int64_t stride;
  std::int64_t inner;
  const Stored* weights;
  Panel panel;
  PanelOutput output;
  std::int64_t ahead = 0;  // from a row to two whose inputs are fetched from memory meanwhile

  template <int kRows, int kVectors>
  STRATA_AVX512 STRATA_INLINE void run(std::int64_t row) const {
    __m512 sums[kRows][kVectors] = {};
    prefetchOutput<kRows, kVectors>(output, panel, row);
    const float* from = x + row * stride;
    const Stored* weight = weights;
    const std::int64_t distance = stride;
    constexpr int kAhead = 16;  // Stored of each column are on their way from a larger cache
    const float* const next = from + ahead;
    std::int64_t i = 0;
#pragma GCC unroll 2
    for (; i + Values::kInputs <= inner; i += Values::kInputs, weight += kVectors * kLane) {
      if (i % kLane == 0) {
        _mm_prefetch(next + i, _MM_HINT_T1);
        _mm_prefetch(next + distance + i, _MM_HINT_T1);
      }
#pragma GCC unroll 3
      for (int v = 0; v < kVectors; ++v)
        __builtin_prefetch(weight + (kAhead * kVectors + v) * kLane);
      addInput<0>(from + i, distance, weight, sums);
      if constexpr (Values::kInputs == 2) addInput<1>(from + i + 1, distance, weight, sums);
    }
    if (Values::kInputs == 2 && i < inner) addInput<0>(from + i, distance, weight, sums);
    storeTile(sums, output, panel, row);
  }

 private:
  // The products of one input of each row, which are `distance` values apart.
  template <int kInput, int kRows, int kVectors>
  STRATA_AVX512 STRATA_INLINE static void addInput(const float* from, std::int64_t distance,
                                                   const Stored* weight,
                                                   __m512 (&sums)[kRows][kVectors]) {
    __m512 values[kVectors];
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v)
      values[v] = Values::template load<kInput>(weight + v * kLane);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const __m512 input = _mm512_set1_ps(from[r * distance]);
#pragma GCC unroll 3
      for (int v = 0; v < kVectors; ++v) sums[r][v] = _mm512_fmadd_ps(values[v], input, sums[r][v]);
    }
  }
};

constexpr std::int64_t kInnerAtOnce = 512;  // inputs: a panel's part of them stays in the cache

// Those of inputs [first, first + kInnerAtOnce) of all.
template <typename Values>
STRATA_AVX512 void multiplyPart(FloatTile<Values> tile, std::int64_t first, std::int64_t begin,
                                std::int64_t end) {
  const bool last = first + kInnerAtOnce >= tile.inner;
  tile.x += first;
  tile.weights += first / Values::kInputs * tile.panel.stored();
  tile.inner = std::min(kInnerAtOnce, tile.inner - first);
  tile.output = ofPart(tile.output, first == 0, last);
  forEachTile(tile.panel, begin, end, tile);
}

// multiplyPanels for panels of Values.
template <typename Values>
void multiplyFloatPanels(const PanelInput& x, const typename Values::Stored* panels,
                         const PanelShape& shape, const PanelOutput& output, int threads,
                         const RowsDone& done) {
  const auto tileOf = [&](const Panel& panel) {
    const std::int64_t perColumn = roundedUp(shape.inner, Values::kInputs) / Values::kInputs;
    return FloatTile<Values>{.x = x.values,
                             .stride = x.stride,
                             .inner = shape.inner,
                             .weights = panels + panel.first * perColumn,
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
      const bool last = i + kInnerAtOnce >= shape.inner;
      // From these inputs to those that come next: the first panels fetch two of 8 rows each.
      const std::int64_t next = last ? kRowsAtOnce * x.stride - i : kInnerAtOnce;
      const std::int64_t fetching = last && end == x.rows ? 0 : kTileRows / 2;
      for (std::int64_t p = 0; p < panelCount(shape); ++p) {
        FloatTile<Values> tile = tileOf(panelAt(shape, p));
        if (p < fetching) tile.ahead = next + 2 * p * x.stride;
        multiplyPart(tile, i, begin, end);
      }
    }
  };
  forEachGroup(x.rows, threads, multiplyGroup, [&](std::int64_t begin, std::int64_t end) {
    if (done) done(begin, end);
  });
}

}  // namespace strata::kernels

#endif
