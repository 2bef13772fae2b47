// Updates of parameters: every value is read and written once.
#include "core/nn/kernels/simd.h"

namespace strata::kernels {
namespace {

struct Range {
  std::int64_t begin, end;
};

template <typename T>
STRATA_INLINE void nesterovOf(const NesterovArguments<T>& a, const Range& range) {
  T *values = a.values, *velocities = a.velocities;
  const T* gradients = a.gradients;
  const T scale = static_cast<T>(a.scale), kept = static_cast<T>(a.kept),
          decay = static_cast<T>(a.decay), momentum = static_cast<T>(a.momentum),
          rate = static_cast<T>(a.rate), squared = static_cast<T>(a.momentum * a.momentum),
          farther = static_cast<T>((1 + a.momentum) * a.rate);
#pragma omp simd
  for (std::int64_t i = range.begin; i < range.end; ++i) {
    const T gradient = scale * gradients[i] + decay * values[i];
    values[i] = (kept * values[i] + squared * velocities[i]) - farther * gradient;
    velocities[i] = momentum * velocities[i] - rate * gradient;
  }
}

#define STRATA_NESTEROV(T)                                                            \
  STRATA_CLONES void runNesterov(const NesterovArguments<T>& a, const Range& range) { \
    nesterovOf(a, range);                                                             \
  }
STRATA_NESTEROV(float)
STRATA_NESTEROV(double)
#undef STRATA_NESTEROV

}  // namespace

template <typename T>
void nesterov(const NesterovArguments<T>& arguments, int threads) {
  parallel(arguments.count, threads, [&](std::int64_t begin, std::int64_t end, int) {
    runNesterov(arguments, {begin, end});
  });
}

template void nesterov(const NesterovArguments<float>&, int);
template void nesterov(const NesterovArguments<double>&, int);

}  // namespace strata::kernels
