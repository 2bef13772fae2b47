#include "core/nn/kernels/winograd.h"

#include <array>
#include <utility>
#include <vector>

#include "core/nn/kernels/convolution_parts.h"

namespace strata::kernels {
namespace {

constexpr int kTaps = kWinogradTaps;

// The points p at which polynomials of degree m + 1 are known, with their value at infinity. Those
// for tiles of four keep the coefficients small: with 0, 1, -1, 2 and -2, which are usual, float32
// loses half as much again.
template <int kSize>
constexpr std::array<double, kSize + 1> kPoints;
template <>
constexpr std::array<double, 3> kPoints<2>{0, 1, -1};
template <>
constexpr std::array<double, 5> kPoints<4>{0, 0.75, -0.75, 1.5, -1.5};

template <std::size_t kRows, std::size_t kColumns>
using Matrix = std::array<std::array<double, kColumns>, kRows>;

constexpr double power(double base, int exponent) {
  double result = 1;
  while (exponent-- > 0) result *= base;
  return result;
}

// B^T, G and A^T by the construction of Toom and Cook: a row of B^T has the coefficients of the
// product of all (x - p_j) but its own, a row of G the powers of p over the product of all (p -
// p_j), a column of A^T the powers of p.
template <std::size_t kPointCount>
constexpr auto inputMatrix(const std::array<double, kPointCount>& points) {
  constexpr std::size_t kFactors = kPointCount + 1;
  Matrix<kFactors, kFactors> rows{};
  for (std::size_t i = 0; i < kFactors; ++i) {
    rows[i][0] = 1;
    for (std::size_t j = 0; j < kPointCount; ++j) {
      if (j == i) continue;
      for (std::size_t k = kFactors; k-- > 0;)
        rows[i][k] = (k > 0 ? rows[i][k - 1] : 0) - points[j] * rows[i][k];
    }
  }
  return rows;
}

template <std::size_t kPointCount>
constexpr auto tapMatrix(const std::array<double, kPointCount>& points) {
  Matrix<kPointCount + 1, kTaps> rows{};
  for (std::size_t i = 0; i < kPointCount; ++i) {
    double differences = 1;
    for (std::size_t j = 0; j < kPointCount; ++j) {
      if (j != i) differences *= points[i] - points[j];
    }
    for (int k = 0; k < kTaps; ++k) rows[i][k] = power(points[i], k) / differences;
  }
  rows[kPointCount][kTaps - 1] = 1;
  return rows;
}

template <std::size_t kPointCount>
constexpr auto outputMatrix(const std::array<double, kPointCount>& points) {
  constexpr std::size_t kSize = kPointCount - kTaps + 2;
  Matrix<kSize, kPointCount + 1> rows{};
  for (std::size_t o = 0; o < kSize; ++o) {
    for (std::size_t i = 0; i < kPointCount; ++i) rows[o][i] = power(points[i], int(o));
  }
  rows[kSize - 1][kPointCount] = 1;
  return rows;
}

template <int kSize>
constexpr auto kInputs = inputMatrix(kPoints<kSize>);  // B^T [F, F]
template <int kSize>
constexpr auto kOfTaps = tapMatrix(kPoints<kSize>);  // G [F, 3]
template <int kSize>
constexpr auto kOutputs = outputMatrix(kPoints<kSize>);  // A^T [m, F]
template <int kSize>
constexpr int kFactors = kSize + kTaps - 1;

// Rows of several matrices, or successive ones of the same matrix.
template <typename T, std::size_t kCount>
using Rows = std::array<T*, kCount>;
template <std::size_t kCount, typename T>
STRATA_INLINE Rows<T, kCount> rowsFrom(T* first, std::int64_t distance) {
  Rows<T, kCount> rows;
  for (std::size_t r = 0; r < kCount; ++r)
    rows[r] = first + static_cast<std::int64_t>(r) * distance;
  return rows;
}

template <double kFactor, typename T>
STRATA_INLINE T plus(T sum, T value) {
  if constexpr (kFactor == 0) return sum;
  if constexpr (kFactor == 1) return sum + value;
  if constexpr (kFactor == -1) return sum - value;
  return sum + T(kFactor) * value;
}

// Of M, or of M^T.
template <const auto& kMatrix, bool kTransposed>
constexpr double entry(std::size_t row, std::size_t column) {
  return kTransposed ? kMatrix[column][row] : kMatrix[row][column];
}
// That row times the values.
template <const auto& kMatrix, bool kTransposed, std::size_t kRow, typename T, std::size_t... i>
STRATA_INLINE T sumOf(const std::array<T, sizeof...(i)>& values, std::index_sequence<i...>) {
  T sum = 0;
  ((sum = plus<entry<kMatrix, kTransposed>(kRow, i)>(sum, values[i])), ...);
  return sum;
}
template <const auto& kMatrix, bool kTransposed, typename T, std::size_t... i, std::size_t... r>
STRATA_INLINE void combineColumn(const Rows<const T, sizeof...(i)>& in,
                                 const Rows<T, sizeof...(r)>& out, std::int64_t column,
                                 std::index_sequence<i...> all, std::index_sequence<r...>) {
  const std::array<T, sizeof...(i)> values{in[i][column]...};
  const std::array<T, sizeof...(r)> sums{sumOf<kMatrix, kTransposed, r>(values, all)...};
  ((out[r][column] = sums[r]), ...);
}
// out = M in, or M^T in, for every column of the rows.
template <const auto& kMatrix, bool kTransposed = false, typename T, std::size_t kIn,
          std::size_t kOut>
STRATA_INLINE void combine(const Rows<const T, kIn>& in, const Rows<T, kOut>& out,
                           std::int64_t columns) {
#pragma omp simd
  for (std::int64_t c = 0; c < columns; ++c) {
    combineColumn<kMatrix, kTransposed>(in, out, c, std::make_index_sequence<kIn>{},
                                        std::make_index_sequence<kOut>{});
  }
}

// Tiles [begin, end).
template <int kSize>
struct Walk {
  const Tiles& tiles;
  Range range;

  // Where a tile begins.
  struct Place {
    std::int64_t sentence, position;
  };
  STRATA_INLINE Place placeOf(std::int64_t tile) const {
    const std::int64_t ofEach = tiles.ofEach(), sentence = tile / ofEach;
    return {sentence, (tile - sentence * ofEach) * kSize};
  }
  // A tile's row in each of the F matrices.
  template <typename T>
  STRATA_INLINE Rows<T, kFactors<kSize>> rowsOf(T* matrices, std::int64_t tile,
                                                std::int64_t columns) const {
    return rowsFrom<kFactors<kSize>>(matrices + tile * columns, tiles.count() * columns);
  }
  // Whether there is an input here: within the sentence, and not beyond its true length.
  STRATA_INLINE bool isInput(std::int64_t sentence, std::int64_t position) const {
    return position >= 0 &&
           position < (tiles.lengths != nullptr ? tiles.lengths[sentence] : tiles.positions);
  }
};

// The last two inputs of a tile are the first ones of the next.
template <int kSize, typename T>
STRATA_INLINE void tileInputRows(const SideBySide<const T>& parts, T* factors,
                                 const Walk<kSize>& walk, const Mask& mask, T* memory) {
  const std::int64_t width = parts.width;
  const auto inputs = rowsFrom<kFactors<kSize>>(memory, width);
  for (std::int64_t tile = walk.range.begin; tile < walk.range.end; ++tile) {
    const auto [sentence, position] = walk.placeOf(tile);
    int known = 0;
    if (position > 0 && tile > walk.range.begin) {
      known = kTaps - 1;
      std::copy_n(inputs[kSize], known * width, inputs[0]);
    }
    for (int i = known; i < kFactors<kSize>; ++i) {
      const std::int64_t at = position - walk.tiles.left + i;
      if (walk.isInput(sentence, at)) {
        joinDropped(parts, sentence * walk.tiles.positions + at, inputs[i], mask);
      } else {
        std::fill_n(inputs[i], width, T(0));
      }
    }
    combine<kInputs<kSize>>(rowsFrom<kFactors<kSize>, const T>(memory, width),
                            walk.rowsOf(factors, tile, width), width);
  }
}

// What a tile adds to the first inputs of the next one is kept from one to the other.
template <int kSize, typename T>
STRATA_INLINE void untileInputRows(const T* factorsGrad, const SideBySide<T>& parts,
                                   const Walk<kSize>& walk, const Mask& mask, T* memory) {
  const Tiles& tiles = walk.tiles;
  const std::int64_t width = parts.width, shared = (kTaps - 1) * width;
  const auto sums = rowsFrom<kFactors<kSize>>(memory, width);
  T* const carried = memory + kFactors<kSize> * width;
  for (std::int64_t tile = walk.range.begin; tile < walk.range.end; ++tile) {
    const auto [sentence, position] = walk.placeOf(tile);
    if (position == 0) {
      std::fill_n(carried, shared, T(0));
    } else if (tile == walk.range.begin) {
      combine<kInputs<kSize>, /*kTransposed=*/true>(walk.rowsOf(factorsGrad, tile - 1, width), sums,
                                                    width);
      std::copy_n(sums[kSize], shared, carried);
    }
    combine<kInputs<kSize>, /*kTransposed=*/true>(walk.rowsOf(factorsGrad, tile, width), sums,
                                                  width);
    for (std::int64_t c = 0; c < shared; ++c) memory[c] += carried[c];
    std::copy_n(sums[kSize], shared, carried);
    const bool last = position + kSize >= tiles.positions;
    for (int i = 0; i < (last ? kFactors<kSize> : kSize); ++i) {
      const std::int64_t at = position - tiles.left + i;
      if (at < 0 || at >= tiles.positions) continue;
      splitDropped<T>(walk.isInput(sentence, at) ? sums[i] : nullptr, parts,
                      sentence * tiles.positions + at, mask);
    }
  }
}

template <int kSize, typename T>
STRATA_INLINE void combineTapRows(const Taps<const T>& taps, T* factors, const Range& range) {
  const std::int64_t columns = taps.extent.columns, matrix = taps.extent.rows * columns;
  for (std::int64_t row = range.begin; row < range.end; ++row) {
    combine<kOfTaps<kSize>>(rowsFrom<kTaps>(taps.values + row * taps.outputStride, taps.tapStride),
                            rowsFrom<kFactors<kSize>>(factors + row * columns, matrix), columns);
  }
}

template <int kSize, typename T>
STRATA_INLINE void separateTapRows(const T* factorsGrad, const Taps<T>& taps, const Range& range) {
  const std::int64_t columns = taps.extent.columns, matrix = taps.extent.rows * columns;
  for (std::int64_t row = range.begin; row < range.end; ++row) {
    combine<kOfTaps<kSize>, /*kTransposed=*/true>(
        rowsFrom<kFactors<kSize>>(factorsGrad + row * columns, matrix),
        rowsFrom<kTaps>(taps.values + row * taps.outputStride, taps.tapStride), columns);
  }
}

template <int kSize, typename T>
STRATA_INLINE void gluRowsOfTiles(const TiledGlu<T>& a, const Walk<kSize>& walk, T* unused) {
  const std::int64_t columns = 2 * a.width;
  for (std::int64_t tile = walk.range.begin; tile < walk.range.end; ++tile) {
    const auto [sentence, position] = walk.placeOf(tile);
    const std::int64_t first = sentence * a.tiles.positions + position,
                       count = std::min<std::int64_t>(kSize, a.tiles.positions - position);
    auto outputs = rowsFrom<kSize>(a.gates + first * columns, columns);
    std::fill(outputs.begin() + count, outputs.end(), unused);
    combine<kOutputs<kSize>>(walk.rowsOf(a.products, tile, columns), outputs, columns);
    for (std::int64_t i = 0; i < count; ++i)
      gluRow(outputs[i], a.bias, a.out + (first + i) * a.width, a.width);
  }
}

template <int kSize, typename T>
STRATA_INLINE void gluRowsOfTilesBackward(const TiledGluGradients<T>& a, const Walk<kSize>& walk,
                                          T* sums, T* memory) {
  const std::int64_t columns = 2 * a.width;
  const auto outputs = rowsFrom<kSize>(memory, columns);
  for (std::int64_t tile = walk.range.begin; tile < walk.range.end; ++tile) {
    const auto [sentence, position] = walk.placeOf(tile);
    for (int i = 0; i < kSize; ++i) {
      const std::int64_t row = sentence * a.tiles.positions + position + i;
      if (position + i < a.tiles.positions) {
        gluRowBackward(a.gradOut + row * a.width, a.gates + row * columns, outputs[i], sums,
                       a.width);
      } else {
        std::fill_n(outputs[i], columns, T(0));
      }
    }
    combine<kOutputs<kSize>, /*kTransposed=*/true>(rowsFrom<kSize, const T>(memory, columns),
                                                   walk.rowsOf(a.productsGrad, tile, columns),
                                                   columns);
  }
}

// One set of clones per type and size: a template cannot be cloned itself.
#define STRATA_WINOGRAD(T, kSize)                                                                  \
  STRATA_CLONES void runTile(const SideBySide<const T>& parts, T* factors,                         \
                             const Walk<kSize>& walk, const Mask& mask, T* memory) {               \
    tileInputRows(parts, factors, walk, mask, memory);                                             \
  }                                                                                                \
  STRATA_CLONES void runUntile(const T* factorsGrad, const SideBySide<T>& parts,                   \
                               const Walk<kSize>& walk, const Mask& mask, T* memory) {             \
    untileInputRows(factorsGrad, parts, walk, mask, memory);                                       \
  }                                                                                                \
  STRATA_CLONES void runCombine(const Taps<const T>& taps, T* factors, const Walk<kSize>& walk) {  \
    combineTapRows<kSize>(taps, factors, walk.range);                                              \
  }                                                                                                \
  STRATA_CLONES void runSeparate(const T* factorsGrad, const Taps<T>& taps,                        \
                                 const Walk<kSize>& walk) {                                        \
    separateTapRows<kSize>(factorsGrad, taps, walk.range);                                         \
  }                                                                                                \
  STRATA_CLONES void runGluOfTiles(const TiledGlu<T>& a, const Walk<kSize>& walk, T* unused) {     \
    gluRowsOfTiles(a, walk, unused);                                                               \
  }                                                                                                \
  STRATA_CLONES void runGluOfTilesBackward(const TiledGluGradients<T>& a, const Walk<kSize>& walk, \
                                           T* sums, T* memory) {                                   \
    gluRowsOfTilesBackward(a, walk, sums, memory);                                                 \
  }
STRATA_WINOGRAD(float, 2)
STRATA_WINOGRAD(float, 4)
STRATA_WINOGRAD(double, 2)
STRATA_WINOGRAD(double, 4)
#undef STRATA_WINOGRAD

// Calls body(walk, thread) for parts of [0, count), as the tiles' size has it.
template <typename Body>
void walkInParallel(const Tiles& tiles, std::int64_t count, int threads, const Body& body) {
  parallel(count, threads, [&](std::int64_t begin, std::int64_t end, int thread) {
    if (tiles.size == 2) {
      body(Walk<2>{tiles, {begin, end}}, thread);
    } else {
      body(Walk<4>{tiles, {begin, end}}, thread);
    }
  });
}

}  // namespace

template <typename T>
void tileInputs(const SideBySide<const T>& parts, T* factors, const Tiles& tiles, const Mask& mask,
                int threads) {
  walkInParallel(tiles, tiles.count(), threads, [&](const auto& walk, int) {
    std::vector<T> memory(tiles.factors() * parts.width);
    runTile(parts, factors, walk, mask, memory.data());
  });
}

template <typename T>
void untileInputs(const T* factorsGrad, const SideBySide<T>& parts, const Tiles& tiles,
                  const Mask& mask, int threads) {
  walkInParallel(tiles, tiles.count(), threads, [&](const auto& walk, int) {
    std::vector<T> memory((tiles.factors() + kTaps - 1) * parts.width);
    runUntile(factorsGrad, parts, walk, mask, memory.data());
  });
}

template <typename T>
void combineTaps(const Taps<const T>& taps, T* factors, std::int64_t tileSize) {
  const Extent& extent = taps.extent;
  walkInParallel({.size = tileSize}, extent.rows, extent.threads,
                 [&](const auto& walk, int) { runCombine(taps, factors, walk); });
}

template <typename T>
void separateTaps(const T* factorsGrad, const Taps<T>& taps, std::int64_t tileSize) {
  const Extent& extent = taps.extent;
  walkInParallel({.size = tileSize}, extent.rows, extent.threads,
                 [&](const auto& walk, int) { runSeparate(factorsGrad, taps, walk); });
}

template <typename T>
void gluOfTiles(const TiledGlu<T>& a, int threads) {
  walkInParallel(a.tiles, a.tiles.count(), threads, [&](const auto& walk, int) {
    std::vector<T> unused(2 * a.width);
    runGluOfTiles(a, walk, unused.data());
  });
}

template <typename T>
void gluOfTilesBackward(const TiledGluGradients<T>& a, int threads) {
  const std::int64_t columns = 2 * a.width;
  std::vector<T> shares(threads * columns);
  walkInParallel(a.tiles, a.tiles.count(), threads, [&](const auto& walk, int thread) {
    std::vector<T> memory(a.tiles.size * columns);
    runGluOfTilesBackward(a, walk, shares.data() + thread * columns, memory.data());
  });
  addShares(shares, a.biasGrad, columns);
}

#define STRATA_INSTANTIATE(T)                                                                 \
  template void tileInputs(const SideBySide<const T>&, T*, const Tiles&, const Mask&, int);   \
  template void untileInputs(const T*, const SideBySide<T>&, const Tiles&, const Mask&, int); \
  template void combineTaps(const Taps<const T>&, T*, std::int64_t);                          \
  template void separateTaps(const T*, const Taps<T>&, std::int64_t);                         \
  template void gluOfTiles(const TiledGlu<T>&, int);                                          \
  template void gluOfTilesBackward(const TiledGluGradients<T>&, int);
STRATA_INSTANTIATE(float)
STRATA_INSTANTIATE(double)
#undef STRATA_INSTANTIATE

}  // namespace strata::kernels
