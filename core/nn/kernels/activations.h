// Sigmoid and hyperbolic tangent for vectorised loops; the absolute error in float is about 1e-7.
#pragma once
#include "core/nn/kernels/simd.h"

namespace strata::kernels {

STRATA_INLINE float sigmoid(float x) {
  const float bounded = x < -87.0f ? -87.0f : x;
  return 1.0f / (1.0f + exponential(-bounded));
}
STRATA_INLINE double sigmoid(double x) {
  return 1.0 / (1.0 + std::exp(-x));
}
STRATA_INLINE float hyperbolicTangent(float x) {
  const float bounded = x < -43.0f ? -43.0f : x;
  return 2.0f / (1.0f + exponential(-2.0f * bounded)) - 1.0f;
}
STRATA_INLINE double hyperbolicTangent(double x) {
  return std::tanh(x);
}

}  // namespace strata::kernels
