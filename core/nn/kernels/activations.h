// Sigmoid and hyperbolic tangent for vectorised loops; the absolute error in float is about 1e-7.
#pragma once
#include "core/nn/kernels/simd.h"

namespace strata::kernels {

// e^(-x) for x >= 0; from 86 on the result is that of 86 (4.5e-38). Relative error about 1e-7 near
// 0, 1.3e-6 at 86. Shorter than exponential(), which needs the exact rest of x: with -x log2 e = n
// + f, 2^f = 1 + f q(f), where q has the smallest relative error.
STRATA_INLINE float decay(float x) {
  constexpr float kRounding = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
  const float power = (x > 86.0f ? 86.0f : x) * -1.44269504f;
  const float shifted = power + kRounding, f = power - (shifted - kRounding);
  float q = 1.32647273e-3f;
  q = q * f + 9.67151299e-3f;
  q = q * f + 5.55073358e-2f;
  q = q * f + 2.40222424e-1f;
  q = q * f + 6.93147004e-1f;
  const std::int32_t exponent =
      std::bit_cast<std::int32_t>(shifted) - std::bit_cast<std::int32_t>(kRounding);
  return (q * f + 1.0f) * std::bit_cast<float>((exponent + 127) << 23);
}

STRATA_INLINE float sigmoid(float x) {
  const float e = decay(std::fabs(x)), nearest = 1.0f / (1.0f + e);
  return x < 0 ? e * nearest : nearest;
}
STRATA_INLINE double sigmoid(double x) {
  return 1.0 / (1.0 + std::exp(-x));
}
STRATA_INLINE float hyperbolicTangent(float x) {
  const float e = decay(2.0f * std::fabs(x));
  return std::copysign((1.0f - e) / (1.0f + e), x);
}
STRATA_INLINE double hyperbolicTangent(double x) {
  return std::tanh(x);
}

}  // namespace strata::kernels
