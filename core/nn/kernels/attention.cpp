// Attention sentence by sentence and head by head: the small products stay in the cache, padding is
// never touched.
#include <vector>

#include "core/nn/kernels/attention_parts.h"
#include "core/nn/kernels/products.h"

namespace strata::kernels {
namespace {

std::int64_t firstRow(const SentenceRows& sentences, std::int64_t sentence) {
  return sentences.starts != nullptr ? sentences.starts[sentence] : sentence * sentences.positions;
}
std::int64_t rowCount(const SentenceRows& sentences, std::int64_t sentence) {
  return sentences.lengths != nullptr ? sentences.lengths[sentence] : sentences.positions;
}

// The arrays of one sentence and head.
template <typename T>
struct Unit {
  std::int64_t firstQuery, firstKey, offset;  // rows, and the head's first column
  const T *q, *k, *v;
  Weights<T> weights;
};

template <typename T>
STRATA_INLINE Unit<T> unitOf(const AttentionArguments<T>& a, std::int64_t index) {
  const std::int64_t sentence = index / a.heads, offset = (index % a.heads) * a.width;
  const std::int64_t firstQuery = firstRow(a.queries, sentence),
                     firstKey = firstRow(a.keys, sentence), rows = index * a.queries.positions;
  return {firstQuery,
          firstKey,
          offset,
          a.q + firstQuery * a.qStride + offset,
          a.k + firstKey * a.kvStride + offset,
          a.v + firstKey * a.kvStride + offset,
          {a.weights + rows * a.keyStride, rowCount(a.queries, sentence),
           rowCount(a.keys, sentence), a.keyStride, rows}};
}

// Zeros for a sentence's padding after its `real` rows.
template <typename T>
STRATA_INLINE void clearPadding(const SentenceRows& sentences, T* rows, std::int64_t real,
                                std::int64_t stride, std::int64_t width) {
  if (sentences.starts == nullptr) clearRows(rows, real, sentences.positions, stride, width);
}

// Scratch memory for one unit's transposed keys and two matrices of weights.
template <typename T>
struct Workspace {
  explicit Workspace(const AttentionArguments<T>& a)
      : transposed(a.width * a.keyStride),
        first(a.queries.positions * a.keyStride),
        second(a.queries.positions * a.keyStride) {}
  std::vector<T> transposed, first, second;
};

template <typename T>
STRATA_INLINE void forwardUnit(const AttentionArguments<T>& a, std::int64_t index,
                               Workspace<T>& w) {
  T *transposed = w.transposed.data(), *dropped = w.first.data();
  const Unit<T> unit = unitOf(a, index);
  const std::int64_t queries = unit.weights.queries, keys = unit.weights.keys;
  const std::int64_t columns = wholeVectors<T>(keys);
  transpose(unit.k, a.kvStride, keys, a.width, transposed, columns);
  T* rows = unit.weights.rows;
  multiply(Product<T>{unit.q, a.qStride, 1, transposed, columns, rows, a.keyStride, queries,
                      columns, a.width});
  const T scale = static_cast<T>(a.scale);
  for (std::int64_t t = 0; t < queries; ++t)
    softmaxRow(rows + t * a.keyStride, a.causal ? t + 1 : keys, a.keyStride, scale);
  const T* weights = rows;
  if (a.mask.threshold != 0) {
    dropRows(unit.weights, a.mask, dropped);
    weights = dropped;
  }
  const std::int64_t outStride = a.heads * a.width;
  T* out = a.out + unit.firstQuery * outStride + unit.offset;
  multiply(Product<T>{weights, a.keyStride, 1, unit.v, a.kvStride, out, outStride, queries, a.width,
                      keys});
  clearPadding(a.queries, out, queries, outStride, a.width);
  clearPadding(a.queries, rows, queries, a.keyStride, a.keyStride);
}

template <typename T>
STRATA_INLINE void backwardUnit(const AttentionArguments<T>& a, const AttentionGradients<T>& g,
                                std::int64_t index, Workspace<T>& w) {
  T *transposed = w.transposed.data(), *dropped = w.first.data(), *gradients = w.second.data();
  const Unit<T> unit = unitOf(a, index);
  const std::int64_t queries = unit.weights.queries, keys = unit.weights.keys;
  const std::int64_t outStride = a.heads * a.width;
  const T* gradOut = g.gradOut + unit.firstQuery * outStride + unit.offset;
  T* gradQ = g.q + unit.firstQuery * a.qStride + unit.offset;
  T* gradK = g.k + unit.firstKey * a.kvStride + unit.offset;
  T* gradV = g.v + unit.firstKey * a.kvStride + unit.offset;
  const T* weights = unit.weights.rows;
  if (a.mask.threshold != 0) {
    dropRows(unit.weights, a.mask, dropped);
    weights = dropped;
  }
  // dV = P^T dO; dP = dO V^T
  multiply(Product<T>{weights, 1, a.keyStride, gradOut, outStride, gradV, a.kvStride, keys, a.width,
                      queries});
  const std::int64_t columns = wholeVectors<T>(keys);
  transpose(unit.v, a.kvStride, keys, a.width, transposed, columns);
  multiply(Product<T>{gradOut, outStride, 1, transposed, columns, gradients, a.keyStride, queries,
                      columns, a.width});
  softmaxBackward(unit.weights, a.mask, static_cast<T>(a.scale), gradients);
  // dQ = dS K; dK = dS^T Q
  multiply(Product<T>{gradients, a.keyStride, 1, unit.k, a.kvStride, gradQ, a.qStride, queries,
                      a.width, keys});
  multiply(Product<T>{gradients, 1, a.keyStride, unit.q, a.qStride, gradK, a.kvStride, keys,
                      a.width, queries});
  clearPadding(a.queries, gradQ, queries, a.qStride, a.width);
  clearPadding(a.keys, gradK, keys, a.kvStride, a.width);
  clearPadding(a.keys, gradV, keys, a.kvStride, a.width);
}

#define STRATA_ATTENTION(T)                                                                      \
  STRATA_CLONES void runForward(const AttentionArguments<T>& a, const Units& units,              \
                                Workspace<T>& w) {                                               \
    for (std::int64_t index = units.begin; index < units.end; ++index) forwardUnit(a, index, w); \
  }                                                                                              \
  STRATA_CLONES void runBackward(const AttentionArguments<T>& a, const AttentionGradients<T>& g, \
                                 const Units& units, Workspace<T>& w) {                          \
    for (std::int64_t index = units.begin; index < units.end; ++index)                           \
      backwardUnit(a, g, index, w);                                                              \
  }
STRATA_ATTENTION(float)
STRATA_ATTENTION(double)
#undef STRATA_ATTENTION

}  // namespace

template <typename T>
std::int64_t keyStrideOf(std::int64_t keys) {
  return wholeVectors<T>(keys);
}

template <typename T>
void attention(const AttentionArguments<T>& a) {
  parallel(a.batch * a.heads, a.threads, [&](std::int64_t begin, std::int64_t end, int) {
    Workspace<T> workspace(a);
    runForward(a, {begin, end}, workspace);
  });
}

template <typename T>
void attentionBackward(const AttentionArguments<T>& a, const AttentionGradients<T>& gradients) {
  parallel(a.batch * a.heads, a.threads, [&](std::int64_t begin, std::int64_t end, int) {
    Workspace<T> workspace(a);
    runBackward(a, gradients, {begin, end}, workspace);
  });
}

#define STRATA_INSTANTIATE(T)                            \
  template std::int64_t keyStrideOf<T>(std::int64_t);    \
  template void attention(const AttentionArguments<T>&); \
  template void attentionBackward(const AttentionArguments<T>&, const AttentionGradients<T>&);
STRATA_INSTANTIATE(float)
STRATA_INSTANTIATE(double)
#undef STRATA_INSTANTIATE

}  // namespace strata::kernels
