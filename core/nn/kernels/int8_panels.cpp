// Products with panels of int8: whole numbers, scaled by a factor of each row of inputs and one of
// each column of weights.
#include "core/nn/kernels/panel_parts.h"

namespace strata::kernels {
namespace {

constexpr std::int64_t kTogether = 4;  // inputs that one instruction sums up
constexpr float kLargest = 127;
constexpr int kRaised = 128;  // inputs are unsigned: raised by this

// Begin of a panel among the values.
std::int64_t beginOf(const Panel& panel, const PanelShape& shape) {
  return panel.first * int8Inner(shape.inner);
}

// Column c of W, which the panel contains.
void packColumn(const float* from, const PanelShape& shape, const Panel& panel, std::int64_t c,
                const Int8Matrix<std::int8_t, float, std::int32_t>& panels) {
  float top = 0;
  for (std::int64_t i = 0; i < shape.inner; ++i) top = std::max(top, std::abs(from[i]));
  std::int8_t* to = panels.values + beginOf(panel, shape) + (c - panel.first) * kTogether;
  std::int32_t sum = 0;
  for (std::int64_t i = 0; i < shape.inner && top > 0; ++i) {
    const auto value = static_cast<std::int8_t>(std::lrint(from[i] / top * kLargest));
    to[i / kTogether * panel.stored() * kTogether + i % kTogether] = value;
    sum += value;
  }
  panels.scales[c] = top / kLargest;
  panels.offsets[c] = -kRaised * sum;
}

}  // namespace

std::int64_t int8Inner(std::int64_t inner) {
  return roundedUp(inner, kTogether);
}

std::int64_t int8PanelValues(const PanelShape& shape) {
  return roundedUp(shape.columns, kLane) * int8Inner(shape.inner);
}

void packInt8Panels(const float* weight, const PanelShape& shape,
                    const Int8Matrix<std::int8_t, float, std::int32_t>& panels) {
  std::fill_n(panels.values, int8PanelValues(shape), std::int8_t{0});
  for (std::int64_t p = 0; p < panelCount(shape); ++p) {
    const Panel panel = panelAt(shape, p);
    for (std::int64_t c = panel.first; c < panel.first + panel.columns; ++c)
      packColumn(weight + c * shape.inner, shape, panel, c, panels);
  }
}

#ifdef STRATA_HAS_AVX512
namespace {

// vpdpbusd is written in assembly language, which needs no target of its own: GCC 12 copies every
// sum to memory and back around the intrinsic.
struct Int8Tile {
  Int8Inputs<const std::uint8_t, const float> x;
  std::int64_t inner;  // a multiple of kTogether
  const std::int8_t* weights;
  const float* scales;
  const std::int32_t* offsets;
  Panel panel;
  PanelOutput output;

  template <int kRows, int kVectors>
  STRATA_AVX512 STRATA_INLINE void run(std::int64_t row) const {
    __m512i sums[kRows][kVectors];
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 3
      for (int v = 0; v < kVectors; ++v)
        sums[r][v] = _mm512_maskz_loadu_epi32(maskOf(v), offsets + panel.first + v * kLane);
    }
    const std::uint8_t* from = x.values + row * inner;
    const std::int8_t* weight = weights;
    for (std::int64_t i = 0; i < inner; i += kTogether, weight += kVectors * 64) {
      __m512i values[kVectors];
#pragma GCC unroll 3
      for (int v = 0; v < kVectors; ++v) values[v] = _mm512_loadu_si512(weight + v * 64);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        std::int32_t four;
        std::memcpy(&four, from + r * inner + i, sizeof(four));
        const __m512i inputs = _mm512_set1_epi32(four);
#pragma GCC unroll 3
        for (int v = 0; v < kVectors; ++v)
          asm("vpdpbusd %2, %1, %0" : "+v"(sums[r][v]) : "v"(inputs), "v"(values[v]));
      }
    }
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const __m512 rowScale = _mm512_set1_ps(x.scales[row + r]);
#pragma GCC unroll 3
      for (int v = 0; v < kVectors; ++v) {
        const __m512 scale = _mm512_mul_ps(
            rowScale, _mm512_maskz_loadu_ps(maskOf(v), scales + panel.first + v * kLane));
        storeSums(_mm512_mul_ps(_mm512_cvtepi32_ps(sums[r][v]), scale), output, row + r,
                  panel.first + v * kLane, panel.columns - v * kLane);
      }
    }
  }

  STRATA_AVX512 STRATA_INLINE __mmask16 maskOf(int vector) const {
    return columnMask(panel.columns - vector * kLane);
  }
};

STRATA_AVX512 void multiplyInt8Panel(const Int8Tile& tile, std::int64_t begin, std::int64_t end) {
  forEachTile(tile.panel, begin, end, tile);
}

// One row; `inner` values, the rest of `stored` is filled up with 0.
STRATA_AVX512 float quantiseRow(const float* x, std::int64_t inner, std::int64_t stored,
                                std::uint8_t* values) {
  __m512 tops = _mm512_setzero_ps();
  __mmask16 unordered = 0;
  for (std::int64_t i = 0; i < inner; i += kLane) {
    const __m512 each = _mm512_maskz_loadu_ps(columnMask(inner - i), x + i);
    tops = _mm512_max_ps(tops, _mm512_abs_ps(each));
    unordered |= _mm512_cmp_ps_mask(each, each, _CMP_UNORD_Q);
  }
  const float top = _mm512_reduce_max_ps(tops);
  const __m512 factor = _mm512_set1_ps(top > 0 ? kLargest / top : 0);
  const __m512i raised = _mm512_set1_epi32(kRaised);
  for (std::int64_t i = 0; i < stored; i += kLane) {
    const __m512 each = _mm512_maskz_loadu_ps(columnMask(inner - i), x + i);
    const __m512i whole = _mm512_add_epi32(_mm512_cvtps_epi32(_mm512_mul_ps(each, factor)), raised);
    _mm512_mask_cvtusepi32_storeu_epi8(values + i, columnMask(stored - i), whole);
  }
  return unordered != 0 ? std::nanf("") : top / kLargest;
}

}  // namespace

bool hasInt8Panels() {
  static const bool has = hasPanels() && __builtin_cpu_supports("avx512vnni");
  return has;
}

void quantiseRows(const float* x, std::int64_t rows, std::int64_t inner,
                  const Int8Inputs<std::uint8_t, float>& quantised, int threads) {
  const std::int64_t stored = int8Inner(inner);
  constexpr std::int64_t kWorthAThread = 16384;  // values; waking a thread takes as long
  const int used = rows * inner < kWorthAThread ? 1 : threads;
  parallel(rows, used, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t r = begin; r < end; ++r)
      quantised.scales[r] =
          quantiseRow(x + r * inner, inner, stored, quantised.values + r * stored);
  });
}

void multiplyInt8Panels(const Int8Inputs<const std::uint8_t, const float>& x, std::int64_t rows,
                        const Int8Panels& panels, const PanelShape& shape,
                        const PanelOutput& output, int threads) {
  forEachPanel(shape, rows, threads, [&](const Panel& panel, std::int64_t begin, std::int64_t end) {
    multiplyInt8Panel({.x = x,
                       .inner = int8Inner(shape.inner),
                       .weights = panels.values + beginOf(panel, shape),
                       .scales = panels.scales,
                       .offsets = panels.offsets,
                       .panel = panel,
                       .output = output},
                      begin, end);
  });
}

#else

bool hasInt8Panels() {
  return false;
}
void quantiseRows(const float*, std::int64_t, std::int64_t, const Int8Inputs<std::uint8_t, float>&,
                  int) {}
void multiplyInt8Panels(const Int8Inputs<const std::uint8_t, const float>&, std::int64_t,
                        const Int8Panels&, const PanelShape&, const PanelOutput&, int) {}

#endif

}  // namespace strata::kernels
