// Steps of sentence attention on a matrix of keys and on one of attention weights.
#pragma once
#include "core/nn/kernels/simd.h"

namespace strata::kernels {

// Transposes four rows of four: the rows are interleaved twice, each with the one two further.
template <typename T>
STRATA_INLINE void transposeBlock(const T* rows, std::int64_t stride, T* out,
                                  std::int64_t columns) {
  typedef T Four __attribute__((vector_size(4 * sizeof(T))));
  Four in[4];
#pragma GCC unroll 4
  for (int r = 0; r < 4; ++r) std::memcpy(&in[r], rows + r * stride, sizeof(Four));
#pragma GCC unroll 2
  for (int pass = 0; pass < 2; ++pass) {
    const Four zipped[4] = {__builtin_shufflevector(in[0], in[2], 0, 4, 1, 5),
                            __builtin_shufflevector(in[0], in[2], 2, 6, 3, 7),
                            __builtin_shufflevector(in[1], in[3], 0, 4, 1, 5),
                            __builtin_shufflevector(in[1], in[3], 2, 6, 3, 7)};
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r) in[r] = zipped[r];
  }
#pragma GCC unroll 4
  for (int r = 0; r < 4; ++r) std::memcpy(out + r * columns, &in[r], sizeof(Four));
}

// out [width, columns] = rows [count, width] transposed; columns beyond count are 0.
template <typename T>
STRATA_INLINE void transpose(const T* rows, std::int64_t stride, std::int64_t count,
                             std::int64_t width, T* out, std::int64_t columns) {
  const std::int64_t whole = count / 4 * 4, wide = width / 4 * 4;
  for (std::int64_t s = 0; s < whole; s += 4) {
    for (std::int64_t i = 0; i < wide; i += 4)
      transposeBlock(rows + s * stride + i, stride, out + i * columns + s, columns);
  }
  for (std::int64_t i = 0; i < width; ++i) {
    T* line = out + i * columns;
    for (std::int64_t s = i < wide ? whole : 0; s < count; ++s) line[s] = rows[s * stride + i];
    for (std::int64_t s = count; s < columns; ++s) line[s] = 0;
  }
}

// The attention weights of one sentence and head: [queries, stride], the first `keys` columns real.
template <typename T>
struct Weights {
  T* rows;
  std::int64_t queries, keys, stride;
  std::int64_t first;  // index of the first row over all sentences and heads, for dropout
};

template <typename T>
STRATA_INLINE std::int64_t wholeVectors(std::int64_t columns) {
  return (columns + kLanes<T> - 1) / kLanes<T> * kLanes<T>;
}

// Turns scores into weights; columns from `limit` on become 0.
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

// out = the weights after dropout.
template <typename T>
STRATA_INLINE void dropRows(const Weights<T>& w, const Mask& mask, T* out) {
  const T scale = static_cast<T>(mask.scale);
  const std::uint32_t threshold = mask.threshold;
  for (std::int64_t t = 0; t < w.queries; ++t) {
    const RowKey key = rowKey(mask, w.first + t);
#pragma omp simd
    for (std::int64_t s = 0; s < w.stride; ++s)
      out[t * w.stride + s] = w.rows[t * w.stride + s] * factorOf(key, s, threshold, scale);
  }
}

// Turns gradients of weights into gradients of scores, through dropout and softmax.
template <typename T>
STRATA_INLINE void softmaxBackward(const Weights<T>& w, const Mask& mask, T scale, T* gradients) {
  const T kept = static_cast<T>(mask.scale);
  for (std::int64_t t = 0; t < w.queries; ++t) {
    T* g = gradients + t * w.stride;
    const T* row = w.rows + t * w.stride;
    if (mask.threshold != 0) {
      const RowKey key = rowKey(mask, w.first + t);
#pragma omp simd
      for (std::int64_t s = 0; s < w.keys; ++s) g[s] *= factorOf(key, s, mask.threshold, kept);
    }
    T dot = 0;
#pragma omp simd reduction(+ : dot)
    for (std::int64_t s = 0; s < w.keys; ++s) dot += g[s] * row[s];
#pragma omp simd
    for (std::int64_t s = 0; s < w.keys; ++s) g[s] = row[s] * (g[s] - dot) * scale;
  }
}

template <typename T>
STRATA_INLINE void clearRows(T* rows, std::int64_t from, std::int64_t to, std::int64_t stride,
                             std::int64_t width) {
  for (std::int64_t t = from; t < to; ++t) std::fill_n(rows + t * stride, width, T(0));
}

struct Units {
  std::int64_t begin, end;  // sentences times heads
};

}  // namespace strata::kernels
