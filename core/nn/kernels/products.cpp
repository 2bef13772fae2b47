#include "core/nn/kernels/products.h"

#include "core/nn/kernels/simd.h"

namespace strata::kernels {
namespace {

// A block of kRows x kVectors vectors of the result, kept in registers.
template <typename T, int kRows, int kVectors>
STRATA_INLINE void block(const Product<T>& p, std::int64_t row, std::int64_t column) {
  using V = Vector<T>;
  V sums[kRows][kVectors] = {};
  T* c = p.c + row * p.cRow + column;
  if (p.adds) {  // prefetch the old values during the products
    for (int r = 0; r < kRows; ++r) {
      for (int v = 0; v < kVectors; ++v) __builtin_prefetch(c + r * p.cRow + v * kLanes<T>, 1);
    }
  }
  const T* a = p.a + row * p.aRow;
  const T* b = p.b + column;
  for (std::int64_t i = 0; i < p.k; ++i) {
    V values[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v)
      std::memcpy(&values[v], b + i * p.bRow + v * kLanes<T>, sizeof(V));
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const T factor = a[r * p.aRow + i * p.aColumn];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sums[r][v] += values[v] * factor;
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      T* to = c + r * p.cRow + v * kLanes<T>;
      if (p.adds) {
        V before;
        std::memcpy(&before, to, sizeof(V));
        sums[r][v] += before;
      }
      std::memcpy(to, &sums[r][v], sizeof(V));
    }
  }
}

template <typename T, int kVectors>
STRATA_INLINE void columnsOf(const Product<T>& p, std::int64_t column) {
  std::int64_t row = 0;
  for (; row + 6 <= p.m; row += 6) block<T, 6, kVectors>(p, row, column);
  for (; row + 2 <= p.m; row += 2) block<T, 2, kVectors>(p, row, column);
  for (; row < p.m; ++row) block<T, 1, kVectors>(p, row, column);
}

template <typename T>
STRATA_INLINE void multiplyBlocks(const Product<T>& p) {
  constexpr std::int64_t kWidth = kLanes<T>;
  std::int64_t column = 0;
  for (; column + 4 * kWidth <= p.n; column += 4 * kWidth) columnsOf<T, 4>(p, column);
  for (; column + 2 * kWidth <= p.n; column += 2 * kWidth) columnsOf<T, 2>(p, column);
  for (; column + kWidth <= p.n; column += kWidth) columnsOf<T, 1>(p, column);
  if (column == p.n) return;
  for (std::int64_t row = 0; row < p.m; ++row) {
    for (std::int64_t j = column; j < p.n; ++j) {
      T sum = p.adds ? p.c[row * p.cRow + j] : T(0);
      for (std::int64_t i = 0; i < p.k; ++i)
        sum += p.a[row * p.aRow + i * p.aColumn] * p.b[i * p.bRow + j];
      p.c[row * p.cRow + j] = sum;
    }
  }
}

}  // namespace

STRATA_CLONES void multiply(const Product<float>& product) {
  multiplyBlocks(product);
}
STRATA_CLONES void multiply(const Product<double>& product) {
  multiplyBlocks(product);
}

}  // namespace strata::kernels
