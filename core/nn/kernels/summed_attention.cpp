// Sums of attentions with the same queries, sentence by sentence and head by head. Their values
// derive from their keys and a shared term, so only the keys of each part are read and only their
// gradient is written, and the shared term is multiplied once.
#include <vector>

#include "core/nn/kernels/attention_parts.h"
#include "core/nn/kernels/products.h"

namespace strata::kernels {
namespace {

// Offsets of one sentence and head in [batch, rows, heads * width].
struct Place {
  std::int64_t ofQueries, ofKeys;
};
template <typename T>
STRATA_INLINE Place placeOf(const SummedArguments<T>& a, std::int64_t index) {
  const std::int64_t sentence = index / a.heads, offset = index % a.heads * a.width;
  return {sentence * a.queries * a.heads * a.width + offset,
          sentence * a.keys * a.heads * a.width + offset};
}

template <typename T>
STRATA_INLINE Weights<T> weightsOf(const SummedArguments<T>& a, std::size_t part,
                                   std::int64_t index) {
  const std::int64_t keys = a.lengths != nullptr ? a.lengths[index / a.heads] : a.keys;
  return {a.weights[part] + index * a.queries * a.keyStride, a.queries, keys, a.keyStride,
          index * a.queries};
}

// Scratch memory for one unit. Two factors are stacked if one product takes both: weights above
// gradients of scores, times the result's gradient above the queries.
template <typename T>
struct Workspace {
  explicit Workspace(const SummedArguments<T>& a)
      : transposed(a.width * a.keyStride),
        factors(2 * a.queries * a.keyStride),
        total(a.queries * a.keyStride),
        ofShared(a.queries * a.keyStride),
        rows(2 * a.queries * a.width) {}
  std::vector<T> transposed, factors, total, ofShared, rows;
};

template <typename T>
STRATA_INLINE void add(const T* from, std::int64_t count, T* to) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) to[i] += from[i];
}

template <typename T>
STRATA_INLINE void forwardUnit(const SummedArguments<T>& a, std::int64_t index, Workspace<T>& w) {
  const std::int64_t stride = a.heads * a.width, size = a.queries * a.keyStride;
  const Place place = placeOf(a, index);
  T* out = a.out + place.ofQueries;
  T *total = w.total.data(), *dropped = w.factors.data();
  std::fill_n(total, size, T(0));
  for (std::size_t j = 0; j < a.keysOf.size(); ++j) {
    const Weights<T> weights = weightsOf(a, j, index);
    const T* keys = a.keysOf[j] + place.ofKeys;
    const std::int64_t columns = wholeVectors<T>(weights.keys);
    transpose(keys, stride, weights.keys, a.width, w.transposed.data(), columns);
    multiply(Product<T>{a.q + place.ofQueries, stride, 1, w.transposed.data(), columns,
                        weights.rows, a.keyStride, a.queries, columns, a.width});
    for (std::int64_t t = 0; t < a.queries; ++t) {
      softmaxRow(weights.rows + t * a.keyStride, weights.keys, a.keyStride,
                 static_cast<T>(a.scoreScale));
    }
    const T* used = weights.rows;
    if (a.masks[j].threshold != 0) {
      dropRows(weights, a.masks[j], dropped);
      used = dropped;
    }
    add(used, size, total);
    multiply(Product<T>{used, a.keyStride, 1, keys, stride, out, stride, a.queries, a.width,
                        weights.keys, j > 0});
  }
  const std::int64_t keys = weightsOf(a, 0, index).keys;
  multiply(Product<T>{total, a.keyStride, 1, a.shared + place.ofKeys, stride, out, stride,
                      a.queries, a.width, keys, true});
  const T scale = static_cast<T>(a.valueScale);
  for (std::int64_t t = 0; t < a.queries; ++t) {
#pragma omp simd
    for (std::int64_t i = 0; i < a.width; ++i) out[t * stride + i] *= scale;
  }
}

// rows = [valueScale * gradient of the result; queries]
template <typename T>
STRATA_INLINE void stackRows(const SummedArguments<T>& a, const T* gradOut, const T* q, T* rows) {
  const std::int64_t stride = a.heads * a.width, second = a.queries * a.width;
  const T scale = static_cast<T>(a.valueScale);
  for (std::int64_t t = 0; t < a.queries; ++t) {
    T* line = rows + t * a.width;
#pragma omp simd
    for (std::int64_t i = 0; i < a.width; ++i) line[i] = gradOut[t * stride + i] * scale;
    std::copy_n(q + t * stride, a.width, line + second);
  }
}

template <typename T>
STRATA_INLINE void backwardUnit(const SummedArguments<T>& a, const SummedGradients<T>& g,
                                std::int64_t index, Workspace<T>& w) {
  const std::int64_t stride = a.heads * a.width, size = a.queries * a.keyStride;
  const Place place = placeOf(a, index);
  const std::int64_t keys = weightsOf(a, 0, index).keys, columns = wholeVectors<T>(keys);
  T *transposed = w.transposed.data(), *rows = w.rows.data(), *total = w.total.data();
  T *dropped = w.factors.data(), *gradients = dropped + size;
  stackRows(a, g.gradOut + place.ofQueries, a.q + place.ofQueries, rows);
  std::fill_n(total, size, T(0));
  // dP_j = dO (K_j + C)^T: the second product is the same in all parts.
  transpose(a.shared + place.ofKeys, stride, keys, a.width, transposed, columns);
  multiply(Product<T>{rows, a.width, 1, transposed, columns, w.ofShared.data(), a.keyStride,
                      a.queries, columns, a.width});
  for (std::size_t j = 0; j < a.keysOf.size(); ++j) {
    const Weights<T> weights = weightsOf(a, j, index);
    const T* keysOf = a.keysOf[j] + place.ofKeys;
    transpose(keysOf, stride, keys, a.width, transposed, columns);
    std::copy_n(w.ofShared.data(), size, gradients);
    multiply(Product<T>{rows, a.width, 1, transposed, columns, gradients, a.keyStride, a.queries,
                        columns, a.width, true});
    softmaxBackward(weights, a.masks[j], static_cast<T>(a.scoreScale), gradients);
    if (a.masks[j].threshold != 0) {
      dropRows(weights, a.masks[j], dropped);
    } else {
      std::copy_n(weights.rows, size, dropped);
    }
    add(dropped, size, total);
    multiply(Product<T>{gradients, a.keyStride, 1, keysOf, stride, g.q + place.ofQueries, stride,
                        a.queries, a.width, keys, j > 0});
    // dK_j = P_j^T dO + dS_j^T Q
    T* gradKeys = g.keysOf[j] + place.ofKeys;
    multiply(Product<T>{dropped, 1, a.keyStride, rows, a.width, gradKeys, stride, keys, a.width,
                        2 * a.queries, g.adds});
    if (!g.adds) clearRows(gradKeys, keys, a.keys, stride, a.width);
  }
  // dC = (sum_j P_j)^T dO
  T* gradShared = g.shared + place.ofKeys;
  multiply(Product<T>{total, 1, a.keyStride, rows, a.width, gradShared, stride, keys, a.width,
                      a.queries, g.adds});
  if (!g.adds) clearRows(gradShared, keys, a.keys, stride, a.width);
}

#define STRATA_SUMMED_ATTENTION(T)                                                               \
  STRATA_CLONES void runForward(const SummedArguments<T>& a, const Units& units,                 \
                                Workspace<T>& w) {                                               \
    for (std::int64_t index = units.begin; index < units.end; ++index) forwardUnit(a, index, w); \
  }                                                                                              \
  STRATA_CLONES void runBackward(const SummedArguments<T>& a, const SummedGradients<T>& g,       \
                                 const Units& units, Workspace<T>& w) {                          \
    for (std::int64_t index = units.begin; index < units.end; ++index)                           \
      backwardUnit(a, g, index, w);                                                              \
  }
STRATA_SUMMED_ATTENTION(float)
STRATA_SUMMED_ATTENTION(double)
#undef STRATA_SUMMED_ATTENTION

}  // namespace

template <typename T>
void summedAttention(const SummedArguments<T>& a) {
  parallel(a.batch * a.heads, a.threads, [&](std::int64_t begin, std::int64_t end, int) {
    Workspace<T> workspace(a);
    runForward(a, {begin, end}, workspace);
  });
}

template <typename T>
void summedAttentionBackward(const SummedArguments<T>& a, const SummedGradients<T>& gradients) {
  parallel(a.batch * a.heads, a.threads, [&](std::int64_t begin, std::int64_t end, int) {
    Workspace<T> workspace(a);
    runBackward(a, gradients, {begin, end}, workspace);
  });
}

#define STRATA_INSTANTIATE(T)                               \
  template void summedAttention(const SummedArguments<T>&); \
  template void summedAttentionBackward(const SummedArguments<T>&, const SummedGradients<T>&);
STRATA_INSTANTIATE(float)
STRATA_INSTANTIATE(double)
#undef STRATA_INSTANTIATE

}  // namespace strata::kernels
