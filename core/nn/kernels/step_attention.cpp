// Attention of one position of every hypothesis over cached keys and values.
#include <numeric>
#include <utility>
#include <vector>

#include "core/nn/kernels/simd.h"

namespace strata::kernels {
namespace {

struct Rows {
  std::int64_t begin, end;
};

// Memory of one thread. Scores and weights are [keys, heads].
template <typename T>
struct StepScratch {
  std::vector<const T*> places;  // the keys and values of every position
  std::vector<T> scores, tops, sums;

  explicit StepScratch(const StepArguments<T>& a)
      : places(a.keys), scores((a.keys + 8) * a.heads), tops(a.heads), sums(a.heads) {}
};

constexpr int kDots = 8;  // dot products whose sums are put together in one vector

// Lanes of one and of the other, alternating in blocks of `block` lanes: the first blocks of each
// pair, or with `second` the second ones.
template <typename V, int kBlock, bool kSecond, std::size_t... kLane>
STRATA_INLINE V interleaved(const V& one, const V& other, std::index_sequence<kLane...>) {
  constexpr int kCount = sizeof...(kLane);
  return __builtin_shufflevector(one, other,
                                 (static_cast<int>(kLane) / kBlock % 2 * kCount +
                                  static_cast<int>(kLane) / (2 * kBlock) * 2 * kBlock +
                                  static_cast<int>(kLane) % kBlock + (kSecond ? kBlock : 0))...);
}
template <typename T, int kBlock>
STRATA_INLINE Vector<T> added(const Vector<T>& one, const Vector<T>& other) {
  using Lanes = std::make_index_sequence<static_cast<std::size_t>(kLanes<T>)>;
  return interleaved<Vector<T>, kBlock, false>(one, other, Lanes{}) +
         interleaved<Vector<T>, kBlock, true>(one, other, Lanes{});
}

// The sums of the lanes of eight vectors.
template <typename T>
STRATA_INLINE void sumsOfLanes(const Vector<T>* vectors, T* sums) {
  Vector<T> four[4], two[2];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) four[i] = added<T, 1>(vectors[2 * i], vectors[2 * i + 1]);
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) two[i] = added<T, 2>(four[2 * i], four[2 * i + 1]);
  const Vector<T> all = added<T, 4>(two[0], two[1]);
  for (int i = 0; i < kDots; ++i) {
    sums[i] = all[i];
    for (std::int64_t later = i + kDots; later < kLanes<T>; later += kDots) sums[i] += all[later];
  }
}

template <typename T>
STRATA_INLINE Vector<T> loaded(const T* from) {
  Vector<T> values;
  std::memcpy(&values, from, sizeof(values));
  return values;
}

// Reads ahead what will be read at a place that the processor cannot foresee.
template <typename T>
STRATA_INLINE void fetchAhead(const T* from, std::int64_t count) {
  for (std::int64_t i = 0; i < count; i += kLanes<T>) __builtin_prefetch(from + i);
}

// Scores of all keys and heads; a head has kVectors vectors, and kHeads of the heads share a group
// of eight dot products with other keys.
template <typename T, int kVectors, int kHeads>
STRATA_INLINE void scoreKeys(const StepArguments<T>& a, const T* q, std::int64_t keys,
                             StepScratch<T>& scratch) {
  constexpr int kKeys = kDots / kHeads;
  const T scale = static_cast<T>(a.scale);
  for (std::int64_t s = 0; s < keys; s += kKeys) {
    for (std::int64_t ahead = s + kKeys; ahead < std::min(keys, s + 2 * kKeys); ++ahead)
      fetchAhead(scratch.places[ahead] + a.keyOffset, a.heads * a.width);
    for (std::int64_t h = 0; h < a.heads; h += kHeads) {
      Vector<T> products[kDots];
#pragma GCC unroll 8
      for (int i = 0; i < kDots; ++i) {
        const T* key = scratch.places[std::min(s + i / kHeads, keys - 1)] + a.keyOffset;
        const std::int64_t begin = (h + i % kHeads) * a.width;
        Vector<T> sum = loaded(q + begin) * loaded(key + begin);
#pragma GCC unroll 8
        for (int v = 1; v < kVectors; ++v)
          sum += loaded(q + begin + v * kLanes<T>) * loaded(key + begin + v * kLanes<T>);
        products[i] = sum;
      }
      T sums[kDots];
      sumsOfLanes<T>(products, sums);
      for (int i = 0; i < kDots; ++i)
        scratch.scores[(s + i / kHeads) * a.heads + h + i % kHeads] = sums[i] * scale;
    }
  }
}

// Scores become weights.
template <typename T>
STRATA_INLINE void weigh(std::int64_t keys, std::int64_t heads, StepScratch<T>& scratch) {
  T *scores = scratch.scores.data(), *tops = scratch.tops.data(), *sums = scratch.sums.data();
  std::copy_n(scores, heads, tops);
  for (std::int64_t s = 1; s < keys; ++s) {
    const T* row = scores + s * heads;
#pragma omp simd
    for (std::int64_t h = 0; h < heads; ++h) tops[h] = row[h] > tops[h] ? row[h] : tops[h];
  }
  std::fill_n(sums, heads, T(0));
  for (std::int64_t s = 0; s < keys; ++s) {
    T* row = scores + s * heads;
#pragma omp simd
    for (std::int64_t h = 0; h < heads; ++h) {
      row[h] = exponential(row[h] - tops[h]);
      sums[h] += row[h];
    }
  }
  for (std::int64_t h = 0; h < heads; ++h) sums[h] = T(1) / sums[h];
  for (std::int64_t s = 0; s < keys; ++s) {
    T* row = scores + s * heads;
#pragma omp simd
    for (std::int64_t h = 0; h < heads; ++h) row[h] *= sums[h];
  }
}

// out = the weighted sum of the values, four keys at a time; scores beyond the keys are zeros.
template <typename T, int kVectors>
STRATA_INLINE void sumValues(const StepArguments<T>& a, T* out, std::int64_t keys,
                             const StepScratch<T>& scratch) {
  constexpr std::int64_t kKeys = 4;
  std::fill_n(out, a.heads * a.width, T(0));
  for (std::int64_t s = 0; s < keys; s += kKeys) {
    for (std::int64_t ahead = s + kKeys; ahead < std::min(keys, s + 2 * kKeys); ++ahead)
      fetchAhead(scratch.places[ahead] + a.valueOffset, a.heads * a.width);
    const T *values[kKeys], *weights[kKeys];
    for (std::int64_t k = 0; k < kKeys; ++k) {
      values[k] = scratch.places[std::min(s + k, keys - 1)] + a.valueOffset;
      weights[k] = scratch.scores.data() + (s + k) * a.heads;
    }
    for (std::int64_t h = 0; h < a.heads; ++h) {
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) {
        const std::int64_t at = h * a.width + v * kLanes<T>;
        Vector<T> sum = loaded(out + at);
#pragma GCC unroll 4
        for (std::int64_t k = 0; k < kKeys; ++k) sum += loaded(values[k] + at) * weights[k][h];
        std::memcpy(out + at, &sum, sizeof(sum));
      }
    }
  }
}

// The same two for heads that are not whole vectors.
template <typename T>
STRATA_INLINE void scoreAnyKeys(const StepArguments<T>& a, const T* q, std::int64_t keys,
                                StepScratch<T>& scratch) {
  for (std::int64_t s = 0; s < keys; ++s) {
    for (std::int64_t h = 0; h < a.heads; ++h) {
      const T* key = scratch.places[s] + a.keyOffset + h * a.width;
      const T* query = q + h * a.width;
      T sum = 0;
#pragma omp simd reduction(+ : sum)
      for (std::int64_t i = 0; i < a.width; ++i) sum += query[i] * key[i];
      scratch.scores[s * a.heads + h] = sum * static_cast<T>(a.scale);
    }
  }
}
template <typename T>
STRATA_INLINE void sumAnyValues(const StepArguments<T>& a, T* out, std::int64_t keys,
                                const StepScratch<T>& scratch) {
  std::fill_n(out, a.heads * a.width, T(0));
  for (std::int64_t s = 0; s < keys; ++s) {
    for (std::int64_t h = 0; h < a.heads; ++h) {
      const T weight = scratch.scores[s * a.heads + h];
      const T* value = scratch.places[s] + a.valueOffset + h * a.width;
      T* o = out + h * a.width;
#pragma omp simd
      for (std::int64_t i = 0; i < a.width; ++i) o[i] += weight * value[i];
    }
  }
}

// kVectors = 0: any width.
template <typename T, int kVectors, int kHeads>
STRATA_INLINE void stepRows(const StepArguments<T>& a, const Rows& rows, StepScratch<T>& scratch) {
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    const std::int64_t end = a.lengths != nullptr ? a.lengths[a.rowOf[r]] : a.keys,
                       begin = a.begins != nullptr ? a.begins[r] : 0, keys = end - begin;
    for (std::int64_t s = begin; s < end; ++s) {
      std::int64_t row = a.oneRowForAllKeys ? a.rowOf[r] : a.rowOf[s * a.rows + r];
      if (a.starts != nullptr) row = a.starts[row];
      scratch.places[s - begin] = a.slices[s] + row * a.sliceStride;
    }
    const T* q = a.q + r * a.qStride;
    T* out = a.out + r * a.heads * a.width;
    if constexpr (kVectors > 0)
      scoreKeys<T, kVectors, kHeads>(a, q, keys, scratch);
    else
      scoreAnyKeys(a, q, keys, scratch);
    weigh(keys, a.heads, scratch);
    std::fill_n(scratch.scores.data() + keys * a.heads, 3 * a.heads, T(0));
    if constexpr (kVectors > 0)
      sumValues<T, kVectors>(a, out, keys, scratch);
    else
      sumAnyValues(a, out, keys, scratch);
    if (a.weights == nullptr) continue;
    for (std::int64_t h = 0; h < a.heads; ++h) {
      T* weights = a.weights + (r * a.heads + h) * a.keys;
      for (std::int64_t s = 0; s < keys; ++s) weights[s] = scratch.scores[s * a.heads + h];
      std::fill_n(weights + keys, a.keys - keys, T(0));
    }
  }
}

template <int kVectors>
STRATA_INLINE void stepHeads(const StepArguments<float>& a, const Rows& rows,
                             StepScratch<float>& scratch) {
  if (a.heads % 8 == 0) return stepRows<float, kVectors, 8>(a, rows, scratch);
  if (a.heads % 4 == 0) return stepRows<float, kVectors, 4>(a, rows, scratch);
  stepRows<float, 0, 1>(a, rows, scratch);
}

STRATA_CLONES void runStep(const StepArguments<float>& a, const Rows& rows,
                           StepScratch<float>& scratch) {
  if (a.width == 8 * kLanes<float>) return stepHeads<8>(a, rows, scratch);
  if (a.width == 4 * kLanes<float>) return stepHeads<4>(a, rows, scratch);
  if (a.width == 2 * kLanes<float>) return stepHeads<2>(a, rows, scratch);
  if (a.width == kLanes<float>) return stepHeads<1>(a, rows, scratch);
  stepRows<float, 0, 1>(a, rows, scratch);
}
STRATA_CLONES void runStep(const StepArguments<double>& a, const Rows& rows,
                           StepScratch<double>& scratch) {
  stepRows<double, 0, 1>(a, rows, scratch);
}

}  // namespace

template <typename T>
void stepAttention(const StepArguments<T>& arguments) {
  parallel(arguments.rows, arguments.threads, [&](std::int64_t begin, std::int64_t end, int) {
    StepScratch<T> scratch(arguments);
    runStep(arguments, {begin, end}, scratch);
  });
}

template void stepAttention(const StepArguments<float>&);
template void stepAttention(const StepArguments<double>&);

}  // namespace strata::kernels
