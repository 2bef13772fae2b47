// Row by row: dropout, ReLU, normalisation, embedding.
#include <vector>

#include "core/nn/kernels/simd.h"

namespace strata::kernels {

Mask maskOf(double rate, std::uint64_t key) {
  if (rate <= 0) return {};
  return {key, static_cast<std::uint32_t>(std::min(rate * 4294967296.0, 4294967295.0)),
          1.0 / (1.0 - rate)};
}

namespace {

struct Range {
  std::int64_t begin, end, columns;
};

template <typename T>
STRATA_INLINE void dropoutRows(const T* in, T* out, const Mask& mask, const Range& range) {
  const T scale = static_cast<T>(mask.scale);
  const std::uint32_t threshold = mask.threshold;
  for (std::int64_t row = range.begin; row < range.end; ++row) {
    const RowKey key = rowKey(mask, row);
    const T* x = in + row * range.columns;
    T* y = out + row * range.columns;
#pragma omp simd
    for (std::int64_t c = 0; c < range.columns; ++c)
      y[c] = x[c] * factorOf(key, c, threshold, scale);
  }
}

template <typename T>
STRATA_INLINE void scaledSumRows(const T* a, const T* b, T factor, T* out, const Range& range) {
#pragma omp simd
  for (std::int64_t i = range.begin * range.columns; i < range.end * range.columns; ++i)
    out[i] = (a[i] + b[i]) * factor;
}

template <typename T>
STRATA_INLINE void reluRows(T* inOut, const T* bias, const Mask& mask, const Range& range) {
  const T scale = static_cast<T>(mask.scale);
  const std::uint32_t threshold = mask.threshold;
  for (std::int64_t row = range.begin; row < range.end; ++row) {
    T* x = inOut + row * range.columns;
    if (bias != nullptr) {
#pragma omp simd
      for (std::int64_t c = 0; c < range.columns; ++c) x[c] += bias[c];
    }
    if (threshold == 0) {
#pragma omp simd
      for (std::int64_t c = 0; c < range.columns; ++c) x[c] = x[c] > T(0) ? x[c] : T(0);
      continue;
    }
    const RowKey key = rowKey(mask, row);
#pragma omp simd
    for (std::int64_t c = 0; c < range.columns; ++c)
      x[c] = (x[c] > T(0) ? x[c] : T(0)) * factorOf(key, c, threshold, scale);
  }
}

template <typename T>
STRATA_INLINE void reluBackwardRows(T* gradient, const T* output, T* sums, T scale,
                                    const Range& range) {
  for (std::int64_t row = range.begin; row < range.end; ++row) {
    T* g = gradient + row * range.columns;
    const T* y = output + row * range.columns;
    if (sums == nullptr) {
#pragma omp simd
      for (std::int64_t c = 0; c < range.columns; ++c) g[c] = y[c] > T(0) ? g[c] * scale : T(0);
      continue;
    }
#pragma omp simd
    for (std::int64_t c = 0; c < range.columns; ++c) {
      g[c] = y[c] > T(0) ? g[c] * scale : T(0);
      sums[c] += g[c];
    }
  }
}

template <typename T>
STRATA_INLINE void addInto(T* z, const NormArguments<T>& a, std::int64_t row, const Mask& mask,
                           std::int64_t columns) {
  if (a.bias != nullptr) {
#pragma omp simd
    for (std::int64_t c = 0; c < columns; ++c) z[c] += a.bias[c];
  }
  if (mask.threshold != 0) {
    const RowKey key = rowKey(mask, row);
    const T scale = static_cast<T>(mask.scale);
    const std::uint32_t threshold = mask.threshold;
#pragma omp simd
    for (std::int64_t c = 0; c < columns; ++c) z[c] *= factorOf(key, c, threshold, scale);
  }
  if (a.residual != nullptr) {
    const T* residual = a.residual + row * columns;
#pragma omp simd
    for (std::int64_t c = 0; c < columns; ++c) z[c] += residual[c];
  }
}

template <typename T>
STRATA_INLINE void normRows(const NormArguments<T>& a, const Mask& mask, const Range& range) {
  const std::int64_t columns = range.columns;
  for (std::int64_t row = range.begin; row < range.end; ++row) {
    T* z = a.product + row * columns;
    addInto(z, a, row, mask, columns);
    T sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t c = 0; c < columns; ++c) sum += z[c];
    const T mean = sum / static_cast<T>(columns);
    T squares = 0;
#pragma omp simd reduction(+ : squares)
    for (std::int64_t c = 0; c < columns; ++c) squares += (z[c] - mean) * (z[c] - mean);
    const T inverse =
        T(1) / std::sqrt(squares / static_cast<T>(columns) + static_cast<T>(a.epsilon));
    T* out = a.out + row * columns;
#pragma omp simd
    for (std::int64_t c = 0; c < columns; ++c) {
      z[c] = (z[c] - mean) * inverse;
      out[c] = z[c] * a.gain[c] + a.shift[c];
    }
    a.inverseDeviation[row] = inverse;
  }
}

// `sums` holds bias, gain and shift gradients, in this order.
template <typename T>
STRATA_INLINE void normBackwardRows(const NormGradients<T>& a, const Mask& mask, const Range& range,
                                    T* sums) {
  const std::int64_t columns = range.columns;
  const T scale = static_cast<T>(mask.scale);
  const std::uint32_t threshold = mask.threshold;
  const T* gain = a.gain;  // GCC does not vectorise the first loop with a.gain
  T* biasSums = sums;
  T* gainSums = sums + columns;
  T* shiftSums = sums + 2 * columns;
  for (std::int64_t row = range.begin; row < range.end; ++row) {
    const T* g = a.gradOut + row * columns;
    const T* x = a.normalised + row * columns;
    T* product = a.product + row * columns;
    T first = 0, second = 0;
#pragma omp simd reduction(+ : first, second)
    for (std::int64_t c = 0; c < columns; ++c) {
      const T scaled = g[c] * gain[c];
      first += scaled;
      second += scaled * x[c];
      gainSums[c] += g[c] * x[c];
      shiftSums[c] += g[c];
    }
    first /= static_cast<T>(columns);
    second /= static_cast<T>(columns);
    const T inverse = a.inverseDeviation[row];
    T* residual = a.residual != nullptr ? a.residual + row * columns : product;
#pragma omp simd
    for (std::int64_t c = 0; c < columns; ++c)
      residual[c] = inverse * (g[c] * gain[c] - first - x[c] * second);
    if (threshold != 0) {
      const RowKey key = rowKey(mask, row);
#pragma omp simd
      for (std::int64_t c = 0; c < columns; ++c)
        product[c] = residual[c] * factorOf(key, c, threshold, scale);
    }
#pragma omp simd
    for (std::int64_t c = 0; c < columns; ++c) biasSums[c] += product[c];
  }
}

template <typename T>
STRATA_INLINE void embedRows(const EmbedArguments<T>& a, const Mask& mask, const Range& range) {
  const T kept = static_cast<T>(mask.scale);
  const std::uint32_t threshold = mask.threshold;
  for (std::int64_t row = range.begin; row < range.end; ++row) {
    const T scale = a.ids[row] < 0 ? T(0) : static_cast<T>(a.scale);
    const T* word = a.table + std::max<std::int64_t>(a.ids[row], 0) * range.columns;
    const T* position = a.positions + (row % a.positionRows) * range.columns;
    T* out = a.out + row * range.columns;
    if (threshold == 0) {
#pragma omp simd
      for (std::int64_t c = 0; c < range.columns; ++c) out[c] = scale * word[c] + position[c];
      continue;
    }
    const RowKey key = rowKey(mask, row);
#pragma omp simd
    for (std::int64_t c = 0; c < range.columns; ++c)
      out[c] = (scale * word[c] + position[c]) * factorOf(key, c, threshold, kept);
  }
}

// One set of clones per type: a template cannot be cloned itself.
#define STRATA_ROWS(T)                                                                            \
  STRATA_CLONES void runDropout(const T* in, T* out, const Mask& mask, const Range& range) {      \
    dropoutRows(in, out, mask, range);                                                            \
  }                                                                                               \
  STRATA_CLONES void runScaledSum(const T* a, const T* b, T factor, T* out, const Range& range) { \
    scaledSumRows(a, b, factor, out, range);                                                      \
  }                                                                                               \
  STRATA_CLONES void runRelu(T* inOut, const T* bias, const Mask& mask, const Range& range) {     \
    reluRows(inOut, bias, mask, range);                                                           \
  }                                                                                               \
  STRATA_CLONES void runReluBackward(T* gradient, const T* output, T* sums, T scale,              \
                                     const Range& range) {                                        \
    reluBackwardRows(gradient, output, sums, scale, range);                                       \
  }                                                                                               \
  STRATA_CLONES void runNorm(const NormArguments<T>& a, const Mask& mask, const Range& range) {   \
    normRows(a, mask, range);                                                                     \
  }                                                                                               \
  STRATA_CLONES void runNormBackward(const NormGradients<T>& a, const Mask& mask,                 \
                                     const Range& range, T* sums) {                               \
    normBackwardRows(a, mask, range, sums);                                                       \
  }                                                                                               \
  STRATA_CLONES void runEmbed(const EmbedArguments<T>& a, const Mask& mask, const Range& range) { \
    embedRows(a, mask, range);                                                                    \
  }
STRATA_ROWS(float)
STRATA_ROWS(double)
#undef STRATA_ROWS

// Adds up the threads' partial sums, in their order.
template <typename T>
void addUp(const std::vector<T>& partial, std::int64_t offset, std::int64_t stride, int threads,
           std::int64_t columns, T* out) {
  if (out == nullptr) return;
  for (std::int64_t c = 0; c < columns; ++c) {
    T sum = 0;
    for (int thread = 0; thread < threads; ++thread) sum += partial[thread * stride + offset + c];
    out[c] = sum;
  }
}

}  // namespace

template <typename T>
void dropout(const T* in, T* out, const Mask& mask, const Extent& extent) {
  parallel(extent.rows, extent.threads, [&](std::int64_t begin, std::int64_t end, int) {
    runDropout(in, out, mask, {begin, end, extent.columns});
  });
}

template <typename T>
void scaledSum(const T* a, const T* b, T factor, T* out, const Extent& extent) {
  parallel(extent.rows, extent.threads, [&](std::int64_t begin, std::int64_t end, int) {
    runScaledSum(a, b, factor, out, {begin, end, extent.columns});
  });
}

template <typename T>
void reluDropout(T* inOut, const T* bias, const Mask& mask, const Extent& extent) {
  parallel(extent.rows, extent.threads, [&](std::int64_t begin, std::int64_t end, int) {
    runRelu(inOut, bias, mask, {begin, end, extent.columns});
  });
}

template <typename T>
void reluDropoutBackward(T* gradient, const T* output, T* sums, double scale,
                         const Extent& extent) {
  parallel(extent.rows, extent.threads, [&](std::int64_t begin, std::int64_t end, int) {
    T* own = sums != nullptr ? sums + omp_get_thread_num() * extent.columns : nullptr;
    runReluBackward(gradient, output, own, static_cast<T>(scale), {begin, end, extent.columns});
  });
}

template <typename T>
void dropoutNorm(const NormArguments<T>& arguments, const Mask& mask, const Extent& extent) {
  parallel(extent.rows, extent.threads, [&](std::int64_t begin, std::int64_t end, int) {
    runNorm(arguments, mask, {begin, end, extent.columns});
  });
}

template <typename T>
void dropoutNormBackward(const NormGradients<T>& gradients, const Mask& mask,
                         const Extent& extent) {
  const std::int64_t stride = 3 * extent.columns;
  std::vector<T> partial(extent.threads * stride);
  parallel(extent.rows, extent.threads, [&](std::int64_t begin, std::int64_t end, int thread) {
    runNormBackward(gradients, mask, {begin, end, extent.columns},
                    partial.data() + thread * stride);
  });
  addUp(partial, 0, stride, extent.threads, extent.columns, gradients.bias);
  addUp(partial, extent.columns, stride, extent.threads, extent.columns, gradients.gainGrad);
  addUp(partial, 2 * extent.columns, stride, extent.threads, extent.columns, gradients.shiftGrad);
}

template <typename T>
void embed(const EmbedArguments<T>& arguments, const Mask& mask, const Extent& extent) {
  parallel(extent.rows, extent.threads, [&](std::int64_t begin, std::int64_t end, int) {
    runEmbed(arguments, mask, {begin, end, extent.columns});
  });
}

#define STRATA_INSTANTIATE(T)                                                             \
  template void dropout(const T*, T*, const Mask&, const Extent&);                        \
  template void scaledSum(const T*, const T*, T, T*, const Extent&);                      \
  template void reluDropout(T*, const T*, const Mask&, const Extent&);                    \
  template void reluDropoutBackward(T*, const T*, T*, double, const Extent&);             \
  template void dropoutNorm(const NormArguments<T>&, const Mask&, const Extent&);         \
  template void dropoutNormBackward(const NormGradients<T>&, const Mask&, const Extent&); \
  template void embed(const EmbedArguments<T>&, const Mask&, const Extent&);
STRATA_INSTANTIATE(float)
STRATA_INSTANTIATE(double)
#undef STRATA_INSTANTIATE

}  // namespace strata::kernels
