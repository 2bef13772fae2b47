// Attention sentence by sentence and head by head: the small products stay in the cache, padding is
// never touched.
#include <algorithm>
#include <vector>

#include "core/nn/kernels/simd.h"

namespace strata::kernels {
namespace {

// A [m, k] with any strides times B [k, n] whose rows are contiguous, into C [m, n] or, where it
// `adds`, onto it.
template <typename T>
struct Product {
  const T* a;
  std::int64_t aRow, aColumn;
  const T* b;
  std::int64_t bRow;
  T* c;
  std::int64_t cRow;
  std::int64_t m, n, k;
  bool adds = false;
};

// A block of kRows x kVectors vectors of the result, kept in registers.
template <typename T, int kRows, int kVectors>
STRATA_INLINE void block(const Product<T>& p, std::int64_t row, std::int64_t column) {
  using V = Vector<T>;
  V sums[kRows][kVectors] = {};
  T* c = p.c + row * p.cRow + column;
  if (p.adds) {
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v)
        std::memcpy(&sums[r][v], c + r * p.cRow + v * kLanes<T>, sizeof(V));
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
    for (int v = 0; v < kVectors; ++v)
      std::memcpy(c + r * p.cRow + v * kLanes<T>, &sums[r][v], sizeof(V));
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
STRATA_INLINE void multiply(const Product<T>& p) {
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

// out [width, columns] = rows [count, width] transposed; columns beyond count are 0.
template <typename T>
STRATA_INLINE void transpose(const T* rows, std::int64_t stride, std::int64_t count,
                             std::int64_t width, T* out, std::int64_t columns) {
  for (std::int64_t i = 0; i < width; ++i) {
    T* line = out + i * columns;
    for (std::int64_t s = 0; s < count; ++s) line[s] = rows[s * stride + i];
    for (std::int64_t s = count; s < columns; ++s) line[s] = 0;
  }
}

// What one sentence and head work on.
template <typename T>
struct Unit {
  const T *q, *k, *v;
  std::int64_t queries, keys;  // true ones
  T* weights;
  std::int64_t row;  // of the first query's weights, over all: keys dropout
};

template <typename T>
STRATA_INLINE Unit<T> unitOf(const AttentionArguments<T>& a, std::int64_t index) {
  const std::int64_t sentence = index / a.heads, head = index % a.heads, offset = head * a.width;
  const std::int64_t keys = a.lengths != nullptr ? a.lengths[sentence] : a.keys;
  return {a.q + sentence * a.queries * a.qStride + offset,
          a.k + sentence * a.keys * a.kvStride + offset,
          a.v + sentence * a.keys * a.kvStride + offset,
          a.queriesArePadded ? keys : a.queries,
          keys,
          a.weights + index * a.queries * a.keyStride,
          index * a.queries};
}

template <typename T>
STRATA_INLINE void softmaxRow(T* row, std::int64_t limit, std::int64_t columns, T scale) {
  T top = row[0];
#pragma omp simd reduction(max : top)
  for (std::int64_t s = 0; s < limit; ++s) top = row[s] > top ? row[s] : top;
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t s = 0; s < limit; ++s) {
    row[s] = exponential((row[s] - top) * scale);
    sum += row[s];
  }
  const T inverse = T(1) / sum;
#pragma omp simd
  for (std::int64_t s = 0; s < limit; ++s) row[s] *= inverse;
  for (std::int64_t s = limit; s < columns; ++s) row[s] = 0;
}

template <typename T>
STRATA_INLINE void maskRows(const T* in, T* out, const Unit<T>& unit, std::int64_t stride,
                            const Mask& mask) {
  const T scale = static_cast<T>(mask.scale);
  const std::uint32_t threshold = mask.threshold;
  for (std::int64_t t = 0; t < unit.queries; ++t) {
    const RowKey key = rowKey(mask, unit.row + t);
#pragma omp simd
    for (std::int64_t s = 0; s < stride; ++s)
      out[t * stride + s] = in[t * stride + s] * factorOf(key, s, threshold, scale);
  }
}

// The attentions whose results are added up.
template <typename T>
struct Attentions {
  const AttentionArguments<T>* arguments;
  const Mask* masks;
  std::size_t count;
};

// Room for one unit's transposed keys and two matrices of weights, and whether what the unit gives
// is added to what another attention gave.
template <typename T>
struct Workspace {
  explicit Workspace(const AttentionArguments<T>& a)
      : transposed(a.width * a.keyStride),
        first(a.queries * a.keyStride),
        second(a.queries * a.keyStride) {}
  std::vector<T> transposed, first, second;
  bool adds = false;
};

template <typename T>
STRATA_INLINE void forwardUnit(const AttentionArguments<T>& a, const Mask& mask, std::int64_t index,
                               Workspace<T>& w) {
  T *transposed = w.transposed.data(), *dropped = w.first.data();
  const Unit<T> unit = unitOf(a, index);
  const std::int64_t columns = (unit.keys + kLanes<T> - 1) / kLanes<T> * kLanes<T>;
  transpose(unit.k, a.kvStride, unit.keys, a.width, transposed, columns);
  multiply<T>({unit.q, a.qStride, 1, transposed, columns, unit.weights, a.keyStride, unit.queries,
               columns, a.width});
  const T scale = static_cast<T>(a.scale);
  for (std::int64_t t = 0; t < unit.queries; ++t)
    softmaxRow(unit.weights + t * a.keyStride, a.causal ? t + 1 : unit.keys, a.keyStride, scale);
  const T* weights = unit.weights;
  if (mask.threshold != 0) {
    maskRows(unit.weights, dropped, unit, a.keyStride, mask);
    weights = dropped;
  }
  const std::int64_t outStride = a.heads * a.width;
  T* out = a.out + (index / a.heads) * a.queries * outStride + (index % a.heads) * a.width;
  multiply<T>({weights, a.keyStride, 1, unit.v, a.kvStride, out, outStride, unit.queries, a.width,
               unit.keys, w.adds});
  for (std::int64_t t = unit.queries; t < a.queries; ++t) {
    std::fill_n(out + t * outStride, a.width, T(0));
    std::fill_n(unit.weights + t * a.keyStride, a.keyStride, T(0));
  }
}

// Weights' gradients become scores' gradients, through dropout and softmax.
template <typename T>
STRATA_INLINE void softmaxBackward(const Unit<T>& unit, std::int64_t stride, const Mask& mask,
                                   T scale, T* gradients) {
  const T kept = static_cast<T>(mask.scale);
  for (std::int64_t t = 0; t < unit.queries; ++t) {
    T* g = gradients + t * stride;
    const T* w = unit.weights + t * stride;
    if (mask.threshold != 0) {
      const RowKey key = rowKey(mask, unit.row + t);
#pragma omp simd
      for (std::int64_t s = 0; s < unit.keys; ++s) g[s] *= factorOf(key, s, mask.threshold, kept);
    }
    T dot = 0;
#pragma omp simd reduction(+ : dot)
    for (std::int64_t s = 0; s < unit.keys; ++s) dot += g[s] * w[s];
#pragma omp simd
    for (std::int64_t s = 0; s < unit.keys; ++s) g[s] = w[s] * (g[s] - dot) * scale;
  }
}

template <typename T>
STRATA_INLINE void clearRows(T* rows, std::int64_t from, std::int64_t to, std::int64_t stride,
                             std::int64_t width) {
  for (std::int64_t t = from; t < to; ++t) std::fill_n(rows + t * stride, width, T(0));
}

template <typename T>
STRATA_INLINE void backwardUnit(const AttentionArguments<T>& a, const AttentionGradients<T>& g,
                                const Mask& mask, std::int64_t index, Workspace<T>& w) {
  T *transposed = w.transposed.data(), *dropped = w.first.data(), *gradients = w.second.data();
  const Unit<T> unit = unitOf(a, index);
  const std::int64_t sentence = index / a.heads, offset = (index % a.heads) * a.width;
  const std::int64_t outStride = a.heads * a.width;
  const T* gradOut = g.gradOut + sentence * a.queries * outStride + offset;
  T* gradQ = g.q + sentence * a.queries * a.qStride + offset;
  T* gradK = g.k + sentence * a.keys * a.kvStride + offset;
  T* gradV = g.v + sentence * a.keys * a.kvStride + offset;
  const T* weights = unit.weights;
  if (mask.threshold != 0) {
    maskRows(unit.weights, dropped, unit, a.keyStride, mask);
    weights = dropped;
  }
  // dV = P^T dO; dP = dO V^T
  multiply<T>({weights, 1, a.keyStride, gradOut, outStride, gradV, a.kvStride, unit.keys, a.width,
               unit.queries, g.adds});
  const std::int64_t columns = (unit.keys + kLanes<T> - 1) / kLanes<T> * kLanes<T>;
  transpose(unit.v, a.kvStride, unit.keys, a.width, transposed, columns);
  multiply<T>({gradOut, outStride, 1, transposed, columns, gradients, a.keyStride, unit.queries,
               columns, a.width});
  softmaxBackward(unit, a.keyStride, mask, static_cast<T>(a.scale), gradients);
  // dQ = dS K; dK = dS^T Q
  multiply<T>({gradients, a.keyStride, 1, unit.k, a.kvStride, gradQ, a.qStride, unit.queries,
               a.width, unit.keys, w.adds});
  multiply<T>({gradients, 1, a.keyStride, unit.q, a.qStride, gradK, a.kvStride, unit.keys, a.width,
               unit.queries, g.adds});
  clearRows(gradQ, unit.queries, a.queries, a.qStride, a.width);
  if (g.adds) return;
  clearRows(gradK, unit.keys, a.keys, a.kvStride, a.width);
  clearRows(gradV, unit.keys, a.keys, a.kvStride, a.width);
}

struct Units {
  std::int64_t begin, end;
};

#define STRATA_ATTENTION(T)                                                                      \
  STRATA_CLONES void runForward(const Attentions<T>& all, const Units& units, Workspace<T>& w) { \
    for (std::int64_t index = units.begin; index < units.end; ++index) {                         \
      for (std::size_t j = 0; j < all.count; ++j) {                                              \
        w.adds = j > 0;                                                                          \
        forwardUnit(all.arguments[j], all.masks[j], index, w);                                   \
      }                                                                                          \
    }                                                                                            \
  }                                                                                              \
  STRATA_CLONES void runBackward(const Attentions<T>& all, const AttentionGradients<T>* g,       \
                                 const Units& units, Workspace<T>& w) {                          \
    for (std::int64_t index = units.begin; index < units.end; ++index) {                         \
      for (std::size_t j = 0; j < all.count; ++j) {                                              \
        w.adds = j > 0;                                                                          \
        backwardUnit(all.arguments[j], g[j], all.masks[j], index, w);                            \
      }                                                                                          \
    }                                                                                            \
  }
STRATA_ATTENTION(float)
STRATA_ATTENTION(double)
#undef STRATA_ATTENTION

}  // namespace

template <typename T>
std::int64_t keyStrideOf(std::int64_t keys) {
  return (keys + kLanes<T> - 1) / kLanes<T> * kLanes<T>;
}

template <typename T>
void attention(const std::vector<AttentionArguments<T>>& parts, const std::vector<Mask>& masks) {
  const AttentionArguments<T>& first = parts.front();
  parallel(first.batch * first.heads, first.threads,
           [&](std::int64_t begin, std::int64_t end, int) {
             Workspace<T> workspace(first);
             runForward({parts.data(), masks.data(), parts.size()}, {begin, end}, workspace);
           });
}

template <typename T>
void attentionBackward(const std::vector<AttentionArguments<T>>& parts,
                       const std::vector<AttentionGradients<T>>& gradients,
                       const std::vector<Mask>& masks) {
  const AttentionArguments<T>& first = parts.front();
  parallel(first.batch * first.heads, first.threads,
           [&](std::int64_t begin, std::int64_t end, int) {
             Workspace<T> workspace(first);
             runBackward({parts.data(), masks.data(), parts.size()}, gradients.data(), {begin, end},
                         workspace);
           });
}

#define STRATA_INSTANTIATE(T)                                                                   \
  template std::int64_t keyStrideOf<T>(std::int64_t);                                           \
  template void attention(const std::vector<AttentionArguments<T>>&, const std::vector<Mask>&); \
  template void attentionBackward(const std::vector<AttentionArguments<T>>&,                    \
                                  const std::vector<AttentionGradients<T>>&,                    \
                                  const std::vector<Mask>&);
STRATA_INSTANTIATE(float)
STRATA_INSTANTIATE(double)
#undef STRATA_INSTANTIATE

}  // namespace strata::kernels
