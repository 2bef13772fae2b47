// One position of every hypothesis at a time: attention over cached keys, and the best words.
#include <limits>
#include <vector>

#include "core/nn/kernels/simd.h"

namespace strata::kernels {
namespace {

struct Rows {
  std::int64_t begin, end;
};

template <typename T>
STRATA_INLINE T dot(const T* a, const T* b, std::int64_t count) {
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

template <typename T>
STRATA_INLINE void softmaxInPlace(T* row, std::int64_t count) {
  T top = row[0], sum = 0;
#pragma omp simd reduction(max : top)
  for (std::int64_t s = 0; s < count; ++s) top = row[s] > top ? row[s] : top;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t s = 0; s < count; ++s) {
    row[s] = exponential(row[s] - top);
    sum += row[s];
  }
  const T inverse = T(1) / sum;
#pragma omp simd
  for (std::int64_t s = 0; s < count; ++s) row[s] *= inverse;
}

// Index of the row of keys and values at position s of row r.
template <typename T>
STRATA_INLINE const T* cached(const StepArguments<T>& a, std::int64_t r, std::int64_t s) {
  const std::int64_t row = a.oneRowForAllKeys ? a.rowOf[r] : a.rowOf[s * a.rows + r];
  return a.slices[s] + row * a.sliceStride;
}

template <typename T>
STRATA_INLINE void stepRows(const StepArguments<T>& a, const Rows& rows, T* scores) {
  const T scale = static_cast<T>(a.scale);
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    const std::int64_t keys = a.lengths != nullptr ? a.lengths[a.rowOf[r]] : a.keys;
    const T* q = a.q + r * a.qStride;
    for (std::int64_t s = 0; s < keys; ++s) {
      const T* key = cached(a, r, s) + a.keyOffset;
      for (std::int64_t h = 0; h < a.heads; ++h)
        scores[h * a.keys + s] = dot(q + h * a.width, key + h * a.width, a.width) * scale;
    }
    for (std::int64_t h = 0; h < a.heads; ++h) softmaxInPlace(scores + h * a.keys, keys);
    T* out = a.out + r * a.heads * a.width;
    std::fill_n(out, a.heads * a.width, T(0));
    for (std::int64_t s = 0; s < keys; ++s) {
      const T* value = cached(a, r, s) + a.valueOffset;
      for (std::int64_t h = 0; h < a.heads; ++h) {
        const T weight = scores[h * a.keys + s];
        T* o = out + h * a.width;
        const T* v = value + h * a.width;
#pragma omp simd
        for (std::int64_t i = 0; i < a.width; ++i) o[i] += weight * v[i];
      }
    }
    if (a.weights == nullptr) continue;
    for (std::int64_t h = 0; h < a.heads; ++h) {
      T* weights = a.weights + (r * a.heads + h) * a.keys;
      std::copy_n(scores + h * a.keys, keys, weights);
      std::fill_n(weights + keys, a.keys - keys, T(0));
    }
  }
}

// A list of the best columns so far, best first.
template <typename T>
struct Best {
  T* values;
  std::int32_t* columns;
  int count, held;

  STRATA_INLINE T threshold() const {
    return held < count ? -std::numeric_limits<T>::infinity() : values[count - 1];
  }
  STRATA_INLINE void insert(T value, std::int32_t column) {
    int place = held < count ? held++ : count - 1;
    for (; place > 0 && values[place - 1] < value; --place) {
      values[place] = values[place - 1];
      columns[place] = columns[place - 1];
    }
    values[place] = value;
    columns[place] = column;
  }
};

template <typename T>
STRATA_INLINE void bestRow(const T* row, const bool* excluded, std::int64_t columns,
                           Best<T>& best) {
  constexpr std::int64_t kBlock = 64;
  for (std::int64_t begin = 0; begin < columns; begin += kBlock) {
    const std::int64_t end = std::min(columns, begin + kBlock);
    T top = row[begin];
#pragma omp simd reduction(max : top)
    for (std::int64_t c = begin; c < end; ++c) top = row[c] > top ? row[c] : top;
    if (best.held == best.count && !(top > best.threshold())) continue;
    for (std::int64_t c = begin; c < end; ++c) {
      if (excluded != nullptr && excluded[c]) continue;
      if (best.held < best.count || row[c] > best.threshold())
        best.insert(row[c], static_cast<std::int32_t>(c));
    }
  }
}

template <typename T>
STRATA_INLINE void bestRows(const T* values, const bool* excluded, int count, std::int32_t* columns,
                            const Rows& rows, std::int64_t width, T* held) {
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    Best<T> best{held, columns + r * count, count, 0};
    bestRow(values + r * width, excluded, width, best);
    for (int i = best.held; i < count; ++i) best.columns[i] = -1;
  }
}

#define STRATA_STEP(T)                                                                    \
  STRATA_CLONES void runStep(const StepArguments<T>& a, const Rows& rows, T* scores) {    \
    stepRows(a, rows, scores);                                                            \
  }                                                                                       \
  STRATA_CLONES void runBest(const T* values, const bool* excluded, int count,            \
                             std::int32_t* columns, const Rows& rows, std::int64_t width, \
                             T* held) {                                                   \
    bestRows(values, excluded, count, columns, rows, width, held);                        \
  }
STRATA_STEP(float)
STRATA_STEP(double)
#undef STRATA_STEP

}  // namespace

template <typename T>
void stepAttention(const StepArguments<T>& arguments) {
  parallel(arguments.rows, arguments.threads, [&](std::int64_t begin, std::int64_t end, int) {
    std::vector<T> scores(arguments.heads * arguments.keys);
    runStep(arguments, {begin, end}, scores.data());
  });
}

template <typename T>
void bestColumns(const T* values, const bool* excluded, int count, std::int32_t* columns,
                 const Extent& extent) {
  parallel(extent.rows, extent.threads, [&](std::int64_t begin, std::int64_t end, int) {
    std::vector<T> held(count);
    runBest(values, excluded, count, columns, {begin, end}, extent.columns, held.data());
  });
}

#define STRATA_INSTANTIATE(T)                           \
  template void stepAttention(const StepArguments<T>&); \
  template void bestColumns(const T*, const bool*, int, std::int32_t*, const Extent&);
STRATA_INSTANTIATE(float)
STRATA_INSTANTIATE(double)
#undef STRATA_INSTANTIATE

}  // namespace strata::kernels
