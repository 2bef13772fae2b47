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
  T top = 0, exponentials = 0,
    total = 0;  // largest score, sum of e^(score - top), sum of the scores
};

// Adds the bias and computes the row's maximum and sums.
template <typename T>
STRATA_INLINE RowSums<T> measure(T* row, const T* bias, std::int64_t columns) {
  if (bias != nullptr) {
#pragma omp simd
    for (std::int64_t c = 0; c < columns; ++c) row[c] += bias[c];
  }
  RowSums<T> sums;
  T top = row[0], total = 0, exponentials = 0;
#pragma omp simd reduction(max : top) reduction(+ : total)
  for (std::int64_t c = 0; c < columns; ++c) {
    top = row[c] > top ? row[c] : top;
    total += row[c];
  }
#pragma omp simd reduction(+ : exponentials)
  for (std::int64_t c = 0; c < columns; ++c) exponentials += exponential(row[c] - top);
  sums.top = top;
  sums.total = total;
  sums.exponentials = exponentials;
  return sums;
}

template <typename T>
STRATA_INLINE void logSoftmaxRows(T* scores, const T* bias, const Range& range) {
  for (std::int64_t r = range.begin; r < range.end; ++r) {
    T* row = scores + r * range.columns;
    const RowSums<T> sums = measure(row, bias, range.columns);
    const T shift = sums.top + std::log(sums.exponentials);
#pragma omp simd
    for (std::int64_t c = 0; c < range.columns; ++c) row[c] -= shift;
  }
}

template <typename T>
STRATA_INLINE void gradientRow(T* row, const RowSums<T>& sums, std::int64_t target, T smoothing,
                               T* biasGrad, std::int64_t columns) {
  const T inverse = T(1) / sums.exponentials, spread = smoothing / static_cast<T>(columns),
          top = sums.top;
#pragma omp simd
  for (std::int64_t c = 0; c < columns; ++c) row[c] = exponential(row[c] - top) * inverse - spread;
  row[target] -= T(1) - smoothing;
  if (biasGrad == nullptr) return;
#pragma omp simd
  for (std::int64_t c = 0; c < columns; ++c) biasGrad[c] += row[c];
}

template <typename T>
STRATA_INLINE void crossEntropyRows(const CrossEntropyArguments<T>& a, const Range& range,
                                    T* biasGrad) {
  const double smoothing = a.smoothing;
  for (std::int64_t r = range.begin; r < range.end; ++r) {
    T* row = a.scores + r * range.columns;
    const RowSums<T> sums = measure(row, a.bias, range.columns);
    const T own = row[a.targets[r]];
    const double logSum =
        static_cast<double>(sums.top) + std::log(static_cast<double>(sums.exponentials));
    const double nll = logSum - static_cast<double>(own);
    const double uniform =
        logSum - static_cast<double>(sums.total) / static_cast<double>(range.columns);
    a.nll[r] = nll;
    a.loss[r] = (1 - smoothing) * nll + smoothing * uniform;
    if (a.wrong != nullptr) a.wrong[r] = own < sums.top;
    if (a.wantGradient)
      gradientRow(row, sums, a.targets[r], static_cast<T>(smoothing), biasGrad, range.columns);
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
