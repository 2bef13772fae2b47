// Shared by the kernels: threads, vectors, the hash behind dropout, exponentials.
#pragma once
#include <omp.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "core/nn/kernels/kernels.h"

// Compiled for several generations of x86-64; the loader picks one. OpenMP regions are outlined
// before functions are cloned, so cloned functions contain none: parallel() calls them.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define STRATA_CLONES __attribute__((target_clones("avx512f", "arch=haswell", "default")))
#else
#define STRATA_CLONES
#endif
#define STRATA_INLINE inline __attribute__((always_inline))

namespace strata::kernels {

// Calls body(begin, end, thread) over [0, count) in equal parts.
template <typename Body>
void parallel(std::int64_t count, int threads, const Body& body) {
  const int used = static_cast<int>(std::min<std::int64_t>(threads, count));
  if (used <= 1 || omp_in_parallel()) {
    if (count > 0) body(std::int64_t{0}, count, 0);
    return;
  }
#pragma omp parallel num_threads(threads)
  {
    const std::int64_t team = omp_get_num_threads(), thread = omp_get_thread_num();
    const std::int64_t share = (count + team - 1) / team, begin = thread * share;
    if (begin < count) body(begin, std::min(count, begin + share), static_cast<int>(thread));
  }
}

STRATA_INLINE std::uint64_t mix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// The two words of a row's key that are hashed with each column.
struct RowKey {
  std::uint32_t first, second;
};
STRATA_INLINE RowKey rowKey(const Mask& mask, std::int64_t row) {
  const std::int64_t number = mask.numbers != nullptr ? mask.numbers[row] : mask.first + row;
  const std::uint64_t key =
      mix64(mask.key + 0x9e3779b97f4a7c15u * (static_cast<std::uint64_t>(number) + 1));
  return {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)};
}

// 32 well-mixed bits of (row key, column): a bijection of the column under each key.
STRATA_INLINE std::uint32_t hashOf(const RowKey& key, std::uint32_t column) {
  std::uint32_t x = column * 0x9e3779b9u + key.first;
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x ^= key.second;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

// The dropout factor of (row, column).
template <typename T>
STRATA_INLINE T factorOf(const RowKey& key, std::int64_t column, std::uint32_t threshold, T scale) {
  return hashOf(key, static_cast<std::uint32_t>(column)) >= threshold ? scale : T(0);
}

// e^x for x <= 88; below -87 the result is that of -87 (1.6e-38). Relative error about 2e-7.
STRATA_INLINE float exponential(float x) {
  x = x < -87.0f ? -87.0f : x;
  constexpr float kRounding = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
  const float shifted = x * 1.44269504f + kRounding;
  const float power = shifted - kRounding;
  const float r = (x - power * 0.693145752f) - power * 1.42860677e-6f;  // ln 2 in two parts
  float sum = 1.0f / 5040;
  sum = sum * r + 1.0f / 720;
  sum = sum * r + 1.0f / 120;
  sum = sum * r + 1.0f / 24;
  sum = sum * r + 1.0f / 6;
  sum = sum * r + 0.5f;
  sum = sum * r + 1.0f;
  sum = sum * r + 1.0f;
  const std::int32_t exponent =
      std::bit_cast<std::int32_t>(shifted) - std::bit_cast<std::int32_t>(kRounding);
  return sum * std::bit_cast<float>((exponent + 127) << 23);
}
STRATA_INLINE double exponential(double x) {
  return std::exp(x);
}

template <typename T>
STRATA_INLINE T dot(const T* a, const T* b, std::int64_t width) {
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t c = 0; c < width; ++c) sum += a[c] * b[c];
  return sum;
}

// Vectors of 64 bytes; the compiler splits them where the machine's are narrower.
template <typename T>
struct VectorOf;
template <>
struct VectorOf<float> {
  typedef float type __attribute__((vector_size(64)));
};
template <>
struct VectorOf<double> {
  typedef double type __attribute__((vector_size(64)));
};
template <typename T>
using Vector = typename VectorOf<T>::type;
template <typename T>
constexpr std::int64_t kLanes = 64 / static_cast<std::int64_t>(sizeof(T));

}  // namespace strata::kernels
