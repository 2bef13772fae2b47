#include "core/nn/kernels/rounded_products.h"

#include "core/nn/kernels/bf16_parts.h"

namespace strata::kernels {

#ifdef STRATA_HAS_AVX512
namespace {

constexpr std::int64_t kPairsAtOnce = 256;  // of a panel: they stay in the cache
constexpr std::int64_t kSummedRows = 1024;  // of G and x that are packed at once
constexpr std::int64_t kPackedRows = 16;    // of these that are packed before the next
constexpr std::int64_t kAhead = 32;         // rows later, values are fetched from memory
constexpr std::int64_t kStripsAtOnce = 4;   // of G: they stay in the cache with the panels of x

// Rows of pairs: each row's are next to each other.
struct RowPairs {
  const Bf16Pair* values;
  std::int64_t pairs;

  const Bf16Pair* of(std::int64_t row, std::int64_t pair) const {
    return values + row * pairs + pair;
  }
  std::int64_t rowStride() const { return pairs; }
  std::int64_t pairStride() const { return 1; }
};
// Strips of 16 rows, whose pairs of one number are next to each other.
struct StripPairs {
  const Bf16Pair* values;
  std::int64_t pairs;

  const Bf16Pair* of(std::int64_t row, std::int64_t pair) const {
    return values + row / kLane * kLane * pairs + pair * kLane + row % kLane;
  }
  std::int64_t rowStride() const { return 1; }
  std::int64_t pairStride() const { return kLane; }
};

// Pairs [first, first + count) of some rows, and the part of a panel that they are multiplied by.
// vdpbf16ps is written in assembly language, which needs no target of its own; in the order written
// (volatile) all sums fit into registers.
template <typename Pairs>
struct RoundedTile {
  Pairs x;
  std::int64_t first, count;
  const Bf16Pair* weights;
  Panel panel;
  PanelOutput output;

  template <int kRows, int kVectors>
  STRATA_AVX512 STRATA_INLINE void run(std::int64_t row) const {
    __m512 sums[kRows][kVectors] = {};
    prefetchOutput<kRows, kVectors>(output, panel, row);
    const Bf16Pair* from = x.of(row, first);
    const Bf16Pair* weight = weights;
    const std::int64_t rowStride = x.rowStride(), pairStride = x.pairStride();
    constexpr int kAhead = 16;  // pairs of each column are on their way from a larger cache
    for (std::int64_t k = 0; k < count; ++k, weight += kVectors * kLane, from += pairStride) {
      __m512i values[kVectors];
#pragma GCC unroll 3
      for (int v = 0; v < kVectors; ++v) {
        __builtin_prefetch(weight + (kAhead * kVectors + v) * kLane);
        values[v] = _mm512_loadu_si512(weight + v * kLane);
      }
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        const __m512i input = _mm512_set1_epi32(static_cast<int>(from[r * rowStride]));
#pragma GCC unroll 3
        for (int v = 0; v < kVectors; ++v)
          asm volatile("vdpbf16ps %2, %1, %0" : "+v"(sums[r][v]) : "v"(input), "v"(values[v]));
      }
    }
    storeTile(sums, output, panel, row);
  }
};

// Rows [begin, end) by pairs [first, first + kPairsAtOnce) of a panel.
template <typename Pairs>
STRATA_AVX512 void multiplyPairs(const Pairs& x, const Bf16Pair* panels, const Panel& panel,
                                 std::int64_t first, const PanelOutput& output, std::int64_t begin,
                                 std::int64_t end) {
  const std::int64_t next = std::min(x.pairs, first + kPairsAtOnce);
  forEachTile(panel, begin, end,
              RoundedTile<Pairs>{x, first, next - first,
                                 panels + panel.first * x.pairs + first * panel.stored(), panel,
                                 ofPart(output, first == 0, next == x.pairs)});
}

STRATA_AVX512 void roundRow(const float* from, std::int64_t inner, Bf16Pair* to) {
  auto* values = reinterpret_cast<__m256i*>(to);
  for (std::int64_t i = 0; i < inner; i += kLane, ++values)
    _mm256_storeu_si256(values,
                        roundedToBf16(_mm512_maskz_loadu_ps(columnMask(inner - i), from + i)));
}

// Rows [from, from + rows) of G and x, as pairs of successive rows.
struct RowsOfProduct {
  const TallMatrix &g, &x;
  std::int64_t from, rows;
  PanelOutput output;

  std::int64_t pairs() const { return pairsOf(rows); }
  PanelShape shape() const { return {x.columns, rows}; }

  // Packs kPackedRows rows of x.
  void packPanels(std::int64_t first, Bf16Pair* panels) const {
    for (std::int64_t p = 0; p < panelCount(shape()); ++p) {
      const Panel panel = panelAt(shape(), p);
      Bf16Pair* const to = panels + panel.first * pairs() + first / 2 * panel.stored();
      for (std::int64_t c = 0; c < panel.columns; c += kLane)
        pack(x, panel.first + c, first, to + c, panel.stored());
    }
  }
  // Packs columns [begin, end) of G and multiplies them.
  void multiply(std::int64_t begin, std::int64_t end, const Bf16Pair* panels,
                Bf16Pair* strips) const {
    for (std::int64_t row = 0; row < rows; row += kPackedRows) {
      for (std::int64_t c = begin; c < end; c += kLane)
        pack(g, c, row, strips + (c - begin) * pairs() + row / 2 * kLane, kLane);
    }
    PanelOutput block = output;
    block.out += begin * output.stride;
    for (std::int64_t p = 0; p < panelCount(shape()); ++p) {
      for (std::int64_t k = 0; k < pairs(); k += kPairsAtOnce)
        multiplyPairs(StripPairs{strips, pairs()}, panels, panelAt(shape(), p), k, block, 0,
                      end - begin);
    }
  }

 private:
  // A vector of columns in kPackedRows rows from `first` on, as far as there are any.
  void pack(const TallMatrix& factor, std::int64_t column, std::int64_t first, Bf16Pair* to,
            std::int64_t stored) const {
    const float* const values = factor.values + (from + first) * factor.stride;
    for (std::int64_t r = kAhead; r < kAhead + kPackedRows; ++r)
      __builtin_prefetch(values + r * factor.stride + column);
    packBf16Vector({values + column, 1, factor.stride}, factor.columns - column,
                   std::min(kPackedRows, rows - first), to, stored);
  }
};

}  // namespace

bool hasRoundedProducts() {
  static const bool has = hasPanels() && __builtin_cpu_supports("avx512bf16");
  return has;
}

void multiplyRounded(const PanelInput& x, const Bf16Pair* panels, const PanelShape& shape,
                     const PanelOutput& output, int threads, const RowsDone& done) {
  const std::int64_t pairs = pairsOf(shape.inner);
  const auto multiplyGroup = [&](std::int64_t begin, std::int64_t end) {
    thread_local std::vector<Bf16Pair> memory;
    // roundRow writes whole vectors.
    Bf16Pair* const rounded = valuesFor(memory, (end - begin) * pairs + kLane);
    for (std::int64_t r = begin; r < end; ++r)
      roundRow(x.values + r * x.stride, shape.inner, rounded + (r - begin) * pairs);
    PanelOutput rows = output;
    rows.out += begin * output.stride;
    for (std::int64_t k = 0; k < pairs; k += kPairsAtOnce) {
      for (std::int64_t p = 0; p < panelCount(shape); ++p)
        multiplyPairs(RowPairs{rounded, pairs}, panels, panelAt(shape, p), k, rows, 0, end - begin);
    }
  };
  forEachGroup(x.rows, threads, multiplyGroup, [&](std::int64_t begin, std::int64_t end) {
    if (done) done(begin, end);
  });
}

void multiplyRoundedTransposed(const TallMatrix& g, const TallMatrix& x, std::int64_t rows,
                               const PanelOutput& output, int threads) {
  thread_local std::vector<Bf16Pair> panelMemory;
  const std::int64_t most = pairsOf(std::min(rows, kSummedRows)),
                     strips = (g.columns + kLane - 1) / kLane,
                     atOnce = std::clamp<std::int64_t>(strips / (2 * threads), 1, kStripsAtOnce);
  Bf16Pair* const panels = valuesFor(panelMemory, roundedUp(x.columns, kLane) * most);
  for (std::int64_t from = 0; from < rows; from += kSummedRows) {
    RowsOfProduct part{g, x, from, std::min(kSummedRows, rows - from), output};
    part.output.adds = output.adds || from > 0;
    parallel((part.rows + kPackedRows - 1) / kPackedRows, threads,
             [&](std::int64_t begin, std::int64_t end, int) {
               for (std::int64_t p = begin; p < end; ++p) part.packPanels(p * kPackedRows, panels);
             });
    parallel((strips + atOnce - 1) / atOnce, threads,
             [&](std::int64_t begin, std::int64_t end, int) {
               thread_local std::vector<Bf16Pair> stripMemory;
               Bf16Pair* const packed = valuesFor(stripMemory, atOnce * kLane * most);
               for (std::int64_t block = begin; block < end; ++block) {
                 const std::int64_t first = block * atOnce * kLane;
                 part.multiply(first, std::min(g.columns, first + atOnce * kLane), panels, packed);
               }
             });
  }
}

#else

bool hasRoundedProducts() {
  return false;
}
void multiplyRounded(const PanelInput&, const Bf16Pair*, const PanelShape&, const PanelOutput&, int,
                     const RowsDone&) {}
void multiplyRoundedTransposed(const TallMatrix&, const TallMatrix&, std::int64_t,
                               const PanelOutput&, int) {}

#endif

}  // namespace strata::kernels
