// Attention sentence by sentence and head by head: the small products stay in the cache, padding is
// never touched.
#include <vector>

#include "core/nn/kernels/attention_parts.h"
#include "core/nn/kernels/products.h"

namespace strata::kernels {
namespace {

// The arrays of one sentence and head.
template <typename T>
struct Unit {
  const T *q, *k, *v;
  Weights<T> weights;
};

template <typename T>
STRATA_INLINE Unit<T> unitOf(const AttentionArguments<T>& a, std::int64_t index) {
  const std::int64_t sentence = index / a.heads, head = index % a.heads, offset = head * a.width;
  const std::int64_t keys = a.lengths != nullptr ? a.lengths[sentence] : a.keys;
  return {a.q + sentence * a.queries * a.qStride + offset,
          a.k + sentence * a.keys * a.kvStride + offset,
          a.v + sentence * a.keys * a.kvStride + offset,
          {a.weights + index * a.queries * a.keyStride, a.queriesArePadded ? keys : a.queries, keys,
           a.keyStride, index * a.queries}};
}

// Scratch memory for one unit's transposed keys and two matrices of weights.
template <typename T>
struct Workspace {
  explicit Workspace(const AttentionArguments<T>& a)
      : transposed(a.width * a.keyStride),
        first(a.queries * a.keyStride),
        second(a.queries * a.keyStride) {}
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
  T* out = a.out + (index / a.heads) * a.queries * outStride + (index % a.heads) * a.width;
  multiply(Product<T>{weights, a.keyStride, 1, unit.v, a.kvStride, out, outStride, queries, a.width,
                      keys});
  clearRows(out, queries, a.queries, outStride, a.width);
  clearRows(rows, queries, a.queries, a.keyStride, a.keyStride);
}

template <typename T>
STRATA_INLINE void backwardUnit(const AttentionArguments<T>& a, const AttentionGradients<T>& g,
                                std::int64_t index, Workspace<T>& w) {
  T *transposed = w.transposed.data(), *dropped = w.first.data(), *gradients = w.second.data();
  const Unit<T> unit = unitOf(a, index);
  const std::int64_t queries = unit.weights.queries, keys = unit.weights.keys;
  const std::int64_t sentence = index / a.heads, offset = (index % a.heads) * a.width;
  const std::int64_t outStride = a.heads * a.width;
  const T* gradOut = g.gradOut + sentence * a.queries * outStride + offset;
  T* gradQ = g.q + sentence * a.queries * a.qStride + offset;
  T* gradK = g.k + sentence * a.keys * a.kvStride + offset;
  T* gradV = g.v + sentence * a.keys * a.kvStride + offset;
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
  clearRows(gradQ, queries, a.queries, a.qStride, a.width);
  clearRows(gradK, keys, a.keys, a.kvStride, a.width);
  clearRows(gradV, keys, a.keys, a.kvStride, a.width);
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
