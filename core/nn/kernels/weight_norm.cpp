// Weight normalisation, unit by unit: each is in the cache until it is done.
#include "core/nn/kernels/simd.h"

namespace strata::kernels {
namespace {

// Of linear layers, which have one tap, values are next to each other.
template <bool kOneTap, typename T>
STRATA_INLINE void normUnit(const WeightNormArguments<T>& a, std::int64_t unit) {
  const std::int64_t size = a.inputs * a.taps;
  const T* v = a.v + unit * size;
  T* weight = a.weight + unit * size;
  const T inverse = T(1) / std::sqrt(dot(v, v, size)), factor = a.gain[unit] * inverse;
  a.inverseNorm[unit] = inverse;
  const std::int64_t stride = kOneTap ? 1 : a.taps;
  for (std::int64_t k = 0; k < a.taps; ++k) {
#pragma omp simd
    for (std::int64_t i = 0; i < a.inputs; ++i)
      weight[k * a.inputs + i] = factor * v[i * stride + k];
  }
}

// dv = g / |v| (dw - v (v dw) / |v|^2), dg = (v dw) / |v|
template <bool kOneTap, typename T>
STRATA_INLINE void normUnitBackward(const WeightNormArguments<T>& a,
                                    const WeightNormGradients<T>& gradients, std::int64_t unit) {
  const std::int64_t size = a.inputs * a.taps, stride = kOneTap ? 1 : a.taps;
  const T* v = a.v + unit * size;
  const T* given = gradients.weight + unit * gradients.unitStride;
  T* out = gradients.v + unit * size;
  T sum = 0;  // v dw
  for (std::int64_t k = 0; k < a.taps; ++k) {
    const T* tap = given + k * gradients.tapStride;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < a.inputs; ++i) sum += tap[i] * v[i * stride + k];
  }
  const T inverse = a.inverseNorm[unit], factor = a.gain[unit] * inverse,
          along = sum * inverse * inverse;
  gradients.gain[unit] = sum * inverse;
  for (std::int64_t k = 0; k < a.taps; ++k) {
    const T* tap = given + k * gradients.tapStride;
#pragma omp simd
    for (std::int64_t i = 0; i < a.inputs; ++i)
      out[i * stride + k] = factor * (tap[i] - along * v[i * stride + k]);
  }
}

struct Span {
  std::int64_t begin, end;
};

template <bool kOneTap, typename T>
STRATA_INLINE void normUnits(const WeightNormArguments<T>& a, const Span& units) {
  for (std::int64_t u = units.begin; u < units.end; ++u) normUnit<kOneTap>(a, u);
}
template <bool kOneTap, typename T>
STRATA_INLINE void normUnitsBackward(const WeightNormArguments<T>& a,
                                     const WeightNormGradients<T>& gradients, const Span& units) {
  for (std::int64_t u = units.begin; u < units.end; ++u) normUnitBackward<kOneTap>(a, gradients, u);
}

#define STRATA_WEIGHT_NORM(T)                                                       \
  STRATA_CLONES void runNorms(const WeightNormArguments<T>& a, const Span& units) { \
    a.taps == 1 ? normUnits<true>(a, units) : normUnits<false>(a, units);           \
  }                                                                                 \
  STRATA_CLONES void runNormsBackward(const WeightNormArguments<T>& a,              \
                                      const WeightNormGradients<T>& gradients,      \
                                      const Span& units) {                          \
    a.taps == 1 ? normUnitsBackward<true>(a, gradients, units)                      \
                : normUnitsBackward<false>(a, gradients, units);                    \
  }
STRATA_WEIGHT_NORM(float)
STRATA_WEIGHT_NORM(double)
#undef STRATA_WEIGHT_NORM

}  // namespace

template <typename T>
void weightNorm(const WeightNormArguments<T>& arguments, int threads) {
  parallel(arguments.units, threads, [&](std::int64_t begin, std::int64_t end, int) {
    runNorms(arguments, {begin, end});
  });
}

template <typename T>
void weightNormBackward(const WeightNormArguments<T>& arguments,
                        const WeightNormGradients<T>& gradients, int threads) {
  parallel(arguments.units, threads, [&](std::int64_t begin, std::int64_t end, int) {
    runNormsBackward(arguments, gradients, {begin, end});
  });
}

#define STRATA_INSTANTIATE(T)                                                                    \
  template void weightNorm(const WeightNormArguments<T>&, int);                                  \
  template void weightNormBackward(const WeightNormArguments<T>&, const WeightNormGradients<T>&, \
                                   int);
STRATA_INSTANTIATE(float)
STRATA_INSTANTIATE(double)
#undef STRATA_INSTANTIATE

}  // namespace strata::kernels
