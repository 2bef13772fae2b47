// Rows of scores over the vocabulary: log-softmax, cross-entropy and its gradient.
#include <vector>

#include "core/nn/kernels/simd.h"

namespace strata::kernels {
namespace {

struct Range {
  std::int64_t begin, end, columns;
};

template <typename T>
struct RowSums {
  T top, total;  // the largest score, and the sum of all
};

// Adds the bias.
template <typename T>
STRATA_INLINE RowSums<T> measure(T* row, const T* bias, std::int64_t columns) {
  if (bias != nullptr) {
#pragma omp simd
    for (std::int64_t c = 0; c < columns; ++c) row[c] += bias[c];
  }
  T top = row[0], total = 0;
#pragma omp simd reduction(max : top) reduction(+ : total)
  for (std::int64_t c = 0; c < columns; ++c) {
    top = row[c] > top ? row[c] : top;
    total += row[c];
  }
  return {top, total};
}

// The sum of e^(score - top). kKept: the scores become these powers.
template <bool kKept, typename T>
STRATA_INLINE T sumOfPowers(T* row, T top, std::int64_t columns) {
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t c = 0; c < columns; ++c) {
    const T power = exponential(row[c] - top);
    sum += power;
    if constexpr (kKept) row[c] = power;
  }
  return sum;
}

template <typename T>
STRATA_INLINE void logSoftmaxRows(T* scores, const T* bias, const Range& range) {
  for (std::int64_t r = range.begin; r < range.end; ++r) {
    T* row = scores + r * range.columns;
    const T top = measure(row, bias, range.columns).top;
    const T shift = top + std::log(sumOfPowers<false>(row, top, range.columns));
#pragma omp simd
    for (std::int64_t c = 0; c < range.columns; ++c) row[c] -= shift;
  }
}

// The gradient of the scores whose powers `row` holds.
template <typename T>
STRATA_INLINE void gradientRow(T* row, T sumOfAll, std::int64_t target, T smoothing, T* biasGrad,
                               std::int64_t columns) {
  const T inverse = T(1) / sumOfAll, spread = smoothing / static_cast<T>(columns);
#pragma omp simd
  for (std::int64_t c = 0; c < columns; ++c) row[c] = row[c] * inverse - spread;
  row[target] -= T(1) - smoothing;
  if (biasGrad == nullptr) return;
#pragma omp simd
  for (std::int64_t c = 0; c < columns; ++c) biasGrad[c] += row[c];
}

template <typename T>
STRATA_INLINE void crossEntropyRows(const CrossEntropyArguments<T>& a, const Range& range,
                                    T* biasGrad) {
  const double smoothing = a.smoothing;
  const std::int64_t columns = range.columns;
  for (std::int64_t r = range.begin; r < range.end; ++r) {
    T* row = a.scores + r * columns;
    const auto [top, total] = measure(row, a.bias, columns);
    const T own = row[a.targets[r]];
    const T powers = a.wantGradient ? sumOfPowers<true>(row, top, columns)
                                    : sumOfPowers<false>(row, top, columns);
    const double logSum = static_cast<double>(top) + std::log(static_cast<double>(powers));
    const double nll = logSum - static_cast<double>(own);
    const double uniform = logSum - static_cast<double>(total) / static_cast<double>(columns);
    a.nll[r] = nll;
    a.loss[r] = (1 - smoothing) * nll + smoothing * uniform;
    if (a.wrong != nullptr) a.wrong[r] = own < top;
    if (a.wantGradient)
      gradientRow(row, powers, a.targets[r], static_cast<T>(smoothing), biasGrad, columns);
  }
}

#define STRATA_SCORES(T)                                                                    \
  STRATA_CLONES void runLogSoftmax(T* scores, const T* bias, const Range& range) {          \
    logSoftmaxRows(scores, bias, range);                                                    \
  }                                                                                         \
  STRATA_CLONES void runCrossEntropy(const CrossEntropyArguments<T>& a, const Range& range, \
                                     T* sums) {                                             \
    crossEntropyRows(a, range, sums);                                                       \
  }
STRATA_SCORES(float)
STRATA_SCORES(double)
#undef STRATA_SCORES

}  // namespace

template <typename T>
void logSoftmax(T* scores, const T* bias, const Extent& extent) {
  parallel(extent.rows, extent.threads, [&](std::int64_t begin, std::int64_t end, int) {
    runLogSoftmax(scores, bias, {begin, end, extent.columns});
  });
}

template <typename T>
void crossEntropy(const CrossEntropyArguments<T>& arguments, const Extent& extent) {
  std::vector<T> partial(arguments.biasGrad != nullptr ? extent.threads * extent.columns : 0);
  parallel(extent.rows, extent.threads, [&](std::int64_t begin, std::int64_t end, int thread) {
    T* sums = arguments.biasGrad != nullptr ? partial.data() + thread * extent.columns : nullptr;
    runCrossEntropy(arguments, {begin, end, extent.columns}, sums);
  });
  if (arguments.biasGrad == nullptr) return;
  for (int thread = 0; thread < extent.threads; ++thread) {
    for (std::int64_t c = 0; c < extent.columns; ++c)
      arguments.biasGrad[c] += partial[thread * extent.columns + c];
  }
}

#define STRATA_INSTANTIATE(T)                            \
  template void logSoftmax(T*, const T*, const Extent&); \
  template void crossEntropy(const CrossEntropyArguments<T>&, const Extent&);
STRATA_INSTANTIATE(float)
STRATA_INSTANTIATE(double)
#undef STRATA_INSTANTIATE

}  // namespace strata::kernels
