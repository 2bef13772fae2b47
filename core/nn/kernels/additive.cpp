#include "core/nn/kernels/additive.h"

#include <vector>

#include "core/nn/kernels/activations.h"

namespace strata::kernels {
namespace {

// The keys of one row.
struct Reach {
  std::int64_t sentence, count;
};
STRATA_INLINE Reach reachOf(const AdditiveShape& shape, std::int64_t row) {
  const std::int64_t sentence = shape.sentences == nullptr ? row : shape.sentences[row];
  return {sentence, shape.lengths == nullptr ? shape.keys : shape.lengths[sentence]};
}

template <typename T>
STRATA_INLINE void softmax(T* values, std::int64_t count, std::int64_t all) {
  T highest = values[0], total = 0;
  for (std::int64_t s = 1; s < count; ++s) highest = std::max(highest, values[s]);
  for (std::int64_t s = 0; s < count; ++s) {
    values[s] = exponential(values[s] - highest);
    total += values[s];
  }
  for (std::int64_t s = 0; s < count; ++s) values[s] /= total;
  for (std::int64_t s = count; s < all; ++s) values[s] = 0;
}

template <typename T>
STRATA_INLINE void attendRow(const AdditiveArguments<T>& a, const AdditiveShape& shape,
                             std::int64_t row) {
  const Reach reach = reachOf(shape, row);
  const T *q = a.queries + row * shape.width, *v = a.energy;
  const T* keys = a.keys + reach.sentence * shape.keys * shape.width;
  T* weights = a.weights + row * shape.weightStride;
  for (std::int64_t s = 0; s < reach.count; ++s) {
    const T* key = keys + s * shape.width;
    T energy = 0;
#pragma omp simd reduction(+ : energy)
    for (std::int64_t c = 0; c < shape.width; ++c)
      energy += v[c] * hyperbolicTangent(key[c] + q[c]);
    weights[s] = energy;
  }
  softmax(weights, reach.count, shape.keys);
  T* context = a.contexts + row * shape.contextStride;
  const T* values = a.values + reach.sentence * shape.keys * shape.valueWidth;
  for (std::int64_t s = 0; s < reach.count; ++s) {
    const T weight = weights[s];
    const T* value = values + s * shape.valueWidth;
#pragma omp simd
    for (std::int64_t c = 0; c < shape.valueWidth; ++c) context[c] += weight * value[c];
  }
}

template <typename T>
STRATA_INLINE void attendRowBackward(const AdditiveGradients<T>& a, const AdditiveShape& shape,
                                     std::int64_t row, T* energies) {
  const Reach reach = reachOf(shape, row);
  const T *q = a.queries + row * shape.width, *v = a.energy;
  const T* gradContext = a.gradContexts + row * shape.contextStride;
  const T* weights = a.weights + row * shape.weightStride;
  const T* values = a.values + reach.sentence * shape.keys * shape.valueWidth;
  T mean = 0;
  for (std::int64_t s = 0; s < reach.count; ++s) {
    energies[s] = dot(gradContext, values + s * shape.valueWidth, shape.valueWidth);
    mean += weights[s] * energies[s];
  }
  T* gradQuery = a.gradQueries + row * shape.width;
  std::memset(gradQuery, 0, static_cast<std::size_t>(shape.width) * sizeof(T));
  const std::int64_t first = reach.sentence * shape.keys * shape.width;
  for (std::int64_t s = 0; s < reach.count; ++s) {
    const T gradEnergy = weights[s] * (energies[s] - mean);
    const T* key = a.keys + first + s * shape.width;
    T* gradKey = a.gradKeys + first + s * shape.width;
    T* gradV = a.gradEnergy;
#pragma omp simd
    for (std::int64_t c = 0; c < shape.width; ++c) {
      const T t = hyperbolicTangent(key[c] + q[c]);
      const T inner = gradEnergy * v[c] * (1 - t * t);
      gradV[c] += gradEnergy * t;
      gradQuery[c] += inner;
      gradKey[c] += inner;
    }
  }
}

template <typename T>
STRATA_INLINE void attendRows(const AdditiveArguments<T>& a, const AdditiveShape& shape) {
  for (std::int64_t row = 0; row < shape.rows; ++row) attendRow(a, shape, row);
}
template <typename T>
STRATA_INLINE void attendRowsBackward(const AdditiveGradients<T>& a, const AdditiveShape& shape,
                                      T* energies) {
  for (std::int64_t row = 0; row < shape.rows; ++row) attendRowBackward(a, shape, row, energies);
}

// Templates cannot be cloned for several processors: one function per type.
STRATA_CLONES void runFloat(const AdditiveArguments<float>& a, const AdditiveShape& shape) {
  attendRows(a, shape);
}
STRATA_CLONES void runDouble(const AdditiveArguments<double>& a, const AdditiveShape& shape) {
  attendRows(a, shape);
}
STRATA_CLONES void backFloat(const AdditiveGradients<float>& a, const AdditiveShape& shape,
                             float* energies) {
  attendRowsBackward(a, shape, energies);
}
STRATA_CLONES void backDouble(const AdditiveGradients<double>& a, const AdditiveShape& shape,
                              double* energies) {
  attendRowsBackward(a, shape, energies);
}

}  // namespace

template <>
void additiveAttention(const AdditiveArguments<float>& arguments, const AdditiveShape& shape) {
  runFloat(arguments, shape);
}
template <>
void additiveAttention(const AdditiveArguments<double>& arguments, const AdditiveShape& shape) {
  runDouble(arguments, shape);
}
template <>
void additiveAttentionBackward(const AdditiveGradients<float>& gradients,
                               const AdditiveShape& shape) {
  std::vector<float> energies(static_cast<std::size_t>(shape.keys));
  backFloat(gradients, shape, energies.data());
}
template <>
void additiveAttentionBackward(const AdditiveGradients<double>& gradients,
                               const AdditiveShape& shape) {
  std::vector<double> energies(static_cast<std::size_t>(shape.keys));
  backDouble(gradients, shape, energies.data());
}

}  // namespace strata::kernels
