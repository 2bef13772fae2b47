// The narrower factor is read as it is, a block of rows at a time, from the second cache; of the
// wider one some columns are packed at once and stay in the first. Rows that come next are fetched
// from memory meanwhile, a little at a time: requests in quick succession delay the others.
#include "core/nn/kernels/transposed_products.h"

#include "core/nn/kernels/panel_parts.h"

namespace strata::kernels {

#ifdef STRATA_HAS_AVX512
namespace {

constexpr std::int64_t kMostColumns = 256;   // of the narrower factor
constexpr std::int64_t kFewestColumns = 64;  // of the wider one for each thread
constexpr std::int64_t kFewestRows = 128;
constexpr std::int64_t kSummedRows = 256;
constexpr std::int64_t kStripsAtOnce = 8;  // 16 columns of the wider factor each
constexpr std::int64_t kRowsOfAFetch = 4;  // multiplied before the next line is fetched

// A line of each of successive rows.
struct Lines {
  const float* first = nullptr;
  std::int64_t stride = 0;
};

// A block of rows on its way from memory. A tile fetches one line of a quarter of the rows.
class Fetching {
 public:
  Fetching() = default;
  // `rows`: those that a tile multiplies.
  Fetching(const float* block, std::int64_t columns, std::int64_t stride, std::int64_t rows)
      : block_(block),
        stride_(stride),
        rows_(rows / kRowsOfAFetch),
        left_(roundedUp(columns, kLane) / kLane * kRowsOfAFetch) {}

  bool complete() const { return left_ == 0; }
  Lines next() {
    --left_;
    return {block_ + left_ / kRowsOfAFetch * kLane + left_ % kRowsOfAFetch * rows_ * stride_,
            stride_};
  }

 private:
  const float* block_ = nullptr;
  std::int64_t stride_ = 0, rows_ = 0, left_ = 0;
};

// A packed strip of G, and the part of x that a panel of the result is multiplied by.
struct StripTile {
  const float* strip;  // [rows, kLane]
  const float* x;
  std::int64_t stride, rows;
  Lines fetched;
  Panel panel;
  PanelOutput output;

  template <int kRows, int kVectors>
  STRATA_AVX512 STRATA_INLINE void run(std::int64_t row) const {
    __m512 sums[kRows][kVectors] = {};
    prefetchOutput<kRows, kVectors>(output, panel, row);
    const float* g = strip + row % kLane;
    const float *from = x, *line = fetched.first;
    const std::int64_t distance = stride, lineDistance = fetched.stride;
    for (std::int64_t r = 0; r < rows; ++r, g += kLane, from += distance) {
      if (r % kRowsOfAFetch == 0) {
        _mm_prefetch(line, _MM_HINT_T1);
        line += lineDistance;
      }
      addRow(g, from, distance, sums);
    }
    storeTile(sums, output, panel, row);
  }

 private:
  template <int kRows, int kVectors>
  STRATA_AVX512 STRATA_INLINE static void addRow(const float* g, const float* from,
                                                 std::int64_t distance,
                                                 __m512 (&sums)[kRows][kVectors]) {
    constexpr int kAhead = 12;  // rows later, values are on their way to the first cache
    __m512 values[kVectors];
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v) {
      __builtin_prefetch(from + kAhead * distance + v * kLane);
      values[v] = _mm512_loadu_ps(from + v * kLane);
    }
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const __m512 factor = _mm512_set1_ps(g[r]);
#pragma GCC unroll 3
      for (int v = 0; v < kVectors; ++v)
        sums[r][v] = _mm512_fmadd_ps(values[v], factor, sums[r][v]);
    }
  }
};

// Columns [begin, end) of the wider factor, G, by x.
struct ColumnsOfProduct {
  const TallMatrix &g, &x;
  std::int64_t rows, begin, end;
  PanelOutput output;

  STRATA_AVX512 void multiply(float* strips) const {
    fetchFirst();
    for (std::int64_t row = 0; row < rows; row += kSummedRows) {
      const std::int64_t next = row + kSummedRows;
      Fetching nextOfX;
      if (next < rows) nextOfX = {x.values + next * x.stride, x.columns, x.stride, kSummedRows};
      for (std::int64_t column = begin; column < end; column += kStripsAtOnce * kLane)
        multiplyStrips(row, column, strips, nextOfX);
    }
  }

 private:
  std::int64_t rowsFrom(std::int64_t row) const { return std::min(kSummedRows, rows - row); }
  std::int64_t columnsFrom(std::int64_t column) const {
    return std::min(kStripsAtOnce * kLane, end - column);
  }
  void fetchFirst() const {
    const auto fetch = [](const float* values, std::int64_t columns) {
      for (std::int64_t c = 0; c < columns; c += kLane) __builtin_prefetch(values + c, 0, 2);
    };
    for (std::int64_t r = 0; r < rowsFrom(0); ++r) {
      fetch(x.values + r * x.stride, x.columns);
      fetch(g.values + r * g.stride + begin, columnsFrom(begin));
    }
  }
  // The strips after those of `column`: of the same rows, or of the next ones.
  Fetching stripsAfter(std::int64_t row, std::int64_t column) const {
    column += kStripsAtOnce * kLane;
    if (column >= end) {
      column = begin;
      row += kSummedRows;
    }
    if (row >= rows) return {};
    return {g.values + row * g.stride + column, columnsFrom(column), g.stride, rowsFrom(row)};
  }
  STRATA_AVX512 void pack(std::int64_t row, std::int64_t column, float* strip) const {
    const __mmask16 mask = columnMask(end - column);
    const float* from = g.values + row * g.stride + column;
    for (std::int64_t r = 0; r < rowsFrom(row); ++r, from += g.stride, strip += kLane)
      _mm512_storeu_ps(strip, _mm512_maskz_loadu_ps(mask, from));
  }
  STRATA_AVX512 void multiplyStrips(std::int64_t row, std::int64_t column, float* strips,
                                    Fetching& nextOfX) const {
    const std::int64_t count = columnsFrom(column), strip = kSummedRows * kLane;
    for (std::int64_t c = 0; c < count; c += kLane)
      pack(row, column + c, strips + c / kLane * strip);
    Fetching nextStrips = stripsAfter(row, column);
    const PanelShape shape{x.columns, rowsFrom(row)};
    PanelOutput part = ofPart(output, row == 0, row + kSummedRows >= rows);
    part.out += column * part.stride;
    for (std::int64_t p = 0; p < panelCount(shape); ++p) {
      const Panel panel = panelAt(shape, p);
      for (std::int64_t c = 0; c < count; c += kTileRows) {
        Lines lines{strips, 0};  // nothing to fetch
        if (!nextStrips.complete()) {
          lines = nextStrips.next();
        } else if (!nextOfX.complete()) {
          lines = nextOfX.next();
        }
        forEachTile(panel, c, std::min(count, c + kTileRows),
                    StripTile{strips + c / kLane * strip, x.values + row * x.stride + panel.first,
                              x.stride, shape.inner, lines, panel, part});
      }
    }
  }
};

// G the wider factor.
void multiplyWider(const TallMatrix& g, const TallMatrix& x, std::int64_t rows,
                   const PanelOutput& output, int threads) {
  parallel((g.columns + kLane - 1) / kLane, threads,
           [&](std::int64_t begin, std::int64_t end, int) {
             thread_local std::vector<float> strips(kStripsAtOnce * kLane * kSummedRows);
             ColumnsOfProduct{g, x, rows, begin * kLane, std::min(g.columns, end * kLane), output}
                 .multiply(strips.data());
           });
}

// 16 rows and columns of a matrix, whose rows are as far apart as `stride` says, as columns and
// rows of the result.
STRATA_AVX512 void storeTransposed(const float* from, std::int64_t stride, std::int64_t rows,
                                   const PanelOutput& output, std::int64_t row,
                                   std::int64_t column) {
  __m512i values[kLane];
#pragma GCC unroll 16
  for (int r = 0; r < kLane; ++r)
    values[r] = r < rows ? _mm512_loadu_si512(from + r * stride) : _mm512_setzero_si512();
  transpose(values);
#pragma GCC unroll 16
  for (int r = 0; r < kLane; ++r)
    storeSums(_mm512_castsi512_ps(values[r]), output, row + r, column, rows);
}

}  // namespace

bool multipliesTransposed(const TallMatrix& g, const TallMatrix& x, std::int64_t rows,
                          int threads) {
  const auto [narrow, wide] = std::minmax(g.columns, x.columns);
  return hasPanels() && rows >= kFewestRows && narrow > 0 && narrow <= kMostColumns &&
         narrow % kLane == 0 && wide >= kFewestColumns * threads;
}

void multiplyTransposed(const TallMatrix& g, const TallMatrix& x, std::int64_t rows,
                        const PanelOutput& output, int threads) {
  if (g.columns >= x.columns) return multiplyWider(g, x, rows, output, threads);
  thread_local std::vector<float> memory;
  float* const turned = valuesFor(memory, g.columns * x.columns);  // x^T G
  multiplyWider(x, g, rows, {.out = turned, .stride = g.columns}, threads);
  parallel(g.columns / kLane, threads, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t row = begin * kLane; row < end * kLane; row += kLane) {
      for (std::int64_t column = 0; column < x.columns; column += kLane)
        storeTransposed(turned + column * g.columns + row, g.columns, x.columns - column, output,
                        row, column);
    }
  });
}

#else

bool multipliesTransposed(const TallMatrix&, const TallMatrix&, std::int64_t, int) {
  return false;
}
void multiplyTransposed(const TallMatrix&, const TallMatrix&, std::int64_t, const PanelOutput&,
                        int) {}

#endif

}  // namespace strata::kernels
