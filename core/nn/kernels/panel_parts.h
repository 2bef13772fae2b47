// Shared by products with panels of float32, of bf16 and of int8.
#pragma once
#include <vector>

#include "core/nn/kernels/panels.h"
#include "core/nn/kernels/simd.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define STRATA_HAS_AVX512 1
#include <immintrin.h>
// The intrinsics' own (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
// Of functions that are called only where the processor has these instructions.
#define STRATA_AVX512 \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma,prefer-vector-width=512")))
#endif

namespace strata::kernels {

constexpr std::int64_t kLane = kLanes<float>;    // columns of a vector
constexpr int kPanelVectors = 3, kTileRows = 8;  // 24 sums, 3 weights, an input: 28 registers
constexpr std::int64_t kPanelColumns = kPanelVectors * kLane;

inline std::int64_t roundedUp(std::int64_t count, std::int64_t unit) {
  return (count + unit - 1) / unit * unit;
}

// Memory of a thread, kept for its next products.
template <typename T>
T* valuesFor(std::vector<T>& memory, std::int64_t count) {
  if (std::ssize(memory) < count) memory.resize(static_cast<std::size_t>(count));
  return memory.data();
}

// Columns [first, first + columns) of a matrix.
struct Panel {
  std::int64_t first, columns;

  std::int64_t stored() const { return roundedUp(columns, kLane); }
};

inline std::int64_t panelCount(const PanelShape& shape) {
  return (shape.columns + kPanelColumns - 1) / kPanelColumns;
}
// A single vector has too few sums to keep the units busy: the last two panels then have two each.
inline Panel panelAt(const PanelShape& shape, std::int64_t number) {
  const std::int64_t vectors = roundedUp(shape.columns, kLane) / kLane,
                     last = panelCount(shape) - 1;
  const bool evened = vectors % kPanelVectors == 1 && vectors > 1;
  std::int64_t first = number * kPanelColumns, width = kPanelColumns;
  if (evened && number == last) first -= kLane;
  if (evened && number >= last - 1) width = 2 * kLane;
  return {first, std::min(width, shape.columns - first)};
}

// Calls body(panel, column) for every vector of columns of every panel, in parallel; `column`: the
// matrix's column that the vector begins with.
template <typename Body>
void forEachVector(const PanelShape& shape, int threads, const Body& body) {
  parallel(panelCount(shape), threads, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t p = begin; p < end; ++p) {
      const Panel panel = panelAt(shape, p);
      for (std::int64_t c = 0; c < panel.columns; c += kLane) body(panel, panel.first + c);
    }
  });
}

// What becomes of the sums over a part of the inputs, of which it may be the first or the last.
inline PanelOutput ofPart(PanelOutput output, bool first, bool last) {
  output.adds = output.adds || !first;
  if (!last) output.bias = nullptr;
  output.relu = output.relu && last;
  return output;
}

constexpr std::int64_t kRowsAtOnce = 16 * kTileRows;  // their inputs stay in the cache

// Calls body(panel, begin, end) for every panel and every group of rows, in parallel. A panel comes
// from memory once: its groups follow each other.
template <typename Body>
void forEachPanel(const PanelShape& shape, std::int64_t rows, int threads, const Body& body) {
  const std::int64_t groups = (rows + kRowsAtOnce - 1) / kRowsAtOnce;
  parallel(groups * panelCount(shape), threads, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t task = begin; task < end; ++task) {
      const std::int64_t first = task % groups * kRowsAtOnce;
      body(panelAt(shape, task / groups), first, std::min(rows, first + kRowsAtOnce));
    }
  });
}

// The same for more rows than panels: a group of rows comes from memory once, and done(begin, end)
// is called after body(begin, end).
template <typename Body, typename Done>
void forEachGroup(std::int64_t rows, int threads, const Body& body, const Done& done) {
  const std::int64_t tiles = (rows + kTileRows - 1) / kTileRows;
  parallel(tiles, threads, [&](std::int64_t begin, std::int64_t end, int) {
    const std::int64_t last = std::min(rows, end * kTileRows);
    for (std::int64_t first = begin * kTileRows; first < last; first += kRowsAtOnce) {
      const std::int64_t next = std::min(last, first + kRowsAtOnce);
      body(first, next);
      done(first, next);
    }
  });
}

#ifdef STRATA_HAS_AVX512

// Calls tile.run<rows, vectors>(row) until all rows of the panel are done.
template <int kVectors, typename Tile>
STRATA_AVX512 STRATA_INLINE void forEachTile(std::int64_t begin, std::int64_t end,
                                             const Tile& tile) {
  std::int64_t row = begin;
  for (; row + kTileRows <= end; row += kTileRows) tile.template run<kTileRows, kVectors>(row);
  switch (end - row) {
    case 7:
      return tile.template run<7, kVectors>(row);
    case 6:
      return tile.template run<6, kVectors>(row);
    case 5:
      return tile.template run<5, kVectors>(row);
    case 4:
      return tile.template run<4, kVectors>(row);
    case 3:
      return tile.template run<3, kVectors>(row);
    case 2:
      return tile.template run<2, kVectors>(row);
    case 1:
      return tile.template run<1, kVectors>(row);
    default:
      return;
  }
}
template <typename Tile>
STRATA_AVX512 STRATA_INLINE void forEachTile(const Panel& panel, std::int64_t begin,
                                             std::int64_t end, const Tile& tile) {
  switch (panel.stored() / kLane) {
    case 1:
      return forEachTile<1>(begin, end, tile);
    case 2:
      return forEachTile<2>(begin, end, tile);
    default:
      return forEachTile<3>(begin, end, tile);
  }
}

// The first `count` columns of a vector, all of them if it has fewer.
STRATA_AVX512 STRATA_INLINE __mmask16 columnMask(std::int64_t count) {
  if (count >= kLane) return 0xffff;
  return static_cast<__mmask16>(count > 0 ? (1 << count) - 1 : 0);
}

// The 16 x 16 matrix of 32-bit values with these rows, transposed: pairs of rows, then pairs of
// pairs, and so on.
STRATA_AVX512 STRATA_INLINE void transpose(__m512i (&rows)[kLane]) {
  __m512i mixed[kLane];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {
    mixed[2 * i] = _mm512_unpacklo_epi32(rows[2 * i], rows[2 * i + 1]);
    mixed[2 * i + 1] = _mm512_unpackhi_epi32(rows[2 * i], rows[2 * i + 1]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    rows[4 * i] = _mm512_unpacklo_epi64(mixed[4 * i], mixed[4 * i + 2]);
    rows[4 * i + 1] = _mm512_unpackhi_epi64(mixed[4 * i], mixed[4 * i + 2]);
    rows[4 * i + 2] = _mm512_unpacklo_epi64(mixed[4 * i + 1], mixed[4 * i + 3]);
    rows[4 * i + 3] = _mm512_unpackhi_epi64(mixed[4 * i + 1], mixed[4 * i + 3]);
  }
  constexpr int kEven = 0x88, kOdd = 0xdd;  // quarters of two vectors
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    mixed[i] = _mm512_shuffle_i32x4(rows[i], rows[4 + i], kEven);
    mixed[4 + i] = _mm512_shuffle_i32x4(rows[i], rows[4 + i], kOdd);
    mixed[8 + i] = _mm512_shuffle_i32x4(rows[8 + i], rows[12 + i], kEven);
    mixed[12 + i] = _mm512_shuffle_i32x4(rows[8 + i], rows[12 + i], kOdd);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    rows[i] = _mm512_shuffle_i32x4(mixed[i], mixed[8 + i], kEven);
    rows[4 + i] = _mm512_shuffle_i32x4(mixed[4 + i], mixed[12 + i], kEven);
    rows[8 + i] = _mm512_shuffle_i32x4(mixed[i], mixed[8 + i], kOdd);
    rows[12 + i] = _mm512_shuffle_i32x4(mixed[4 + i], mixed[12 + i], kOdd);
  }
}

// Stores a vector of sums; `valid` columns of it are the matrix's.
STRATA_AVX512 STRATA_INLINE void storeSums(__m512 sums, const PanelOutput& output, std::int64_t row,
                                           std::int64_t column, std::int64_t valid) {
  const __mmask16 mask = columnMask(valid);
  float* to = output.out + row * output.stride + column;
  if (output.adds) sums = _mm512_add_ps(sums, _mm512_maskz_loadu_ps(mask, to));
  if (output.bias != nullptr)
    sums = _mm512_add_ps(sums, _mm512_maskz_loadu_ps(mask, output.bias + column));
  if (output.relu) sums = _mm512_max_ps(_mm512_setzero_ps(), sums);
  _mm512_mask_storeu_ps(to, mask, sums);
}

// Fetches the memory that the sums of some rows of a panel are written to.
template <int kRows, int kVectors>
STRATA_AVX512 STRATA_INLINE void prefetchOutput(const PanelOutput& output, const Panel& panel,
                                                std::int64_t row) {
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v)
      __builtin_prefetch(output.out + (row + r) * output.stride + panel.first + v * kLane, 1);
  }
}

// Stores whole vectors, that nothing becomes of but a sum, without masks.
template <int kRows, int kVectors>
STRATA_AVX512 STRATA_INLINE void storeWhole(const __m512 (&sums)[kRows][kVectors],
                                            const PanelOutput& output, float* to) {
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
// Stores the sums of some rows of a panel.
template <int kRows, int kVectors>
STRATA_AVX512 STRATA_INLINE void storeTile(const __m512 (&sums)[kRows][kVectors],
                                           const PanelOutput& output, const Panel& panel,
                                           std::int64_t row) {
  if (panel.columns == kVectors * kLane && output.bias == nullptr && !output.relu)
    return storeWhole(sums, output, output.out + row * output.stride + panel.first);
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v)
      storeSums(sums[r][v], output, row + r, panel.first + v * kLane, panel.columns - v * kLane);
  }
}

#endif

}  // namespace strata::kernels
