// Sums of squares in one pass, added up in float64: float32 would lose a share of a matrix's
// smaller elements.
#include <algorithm>

#include "core/nn/kernels/simd.h"

namespace strata::kernels {
namespace {

constexpr std::int64_t kPiece = 32768;  // elements; results depend on it, not on the threads

template <typename T>
STRATA_INLINE double squareSum(const T* values, std::int64_t count) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < count; ++i) {
    const auto value = static_cast<double>(values[i]);
    sum += value * value;
  }
  return sum;
}

// Templates cannot be cloned for several processors: one function per type.
STRATA_CLONES double sumOf(const float* values, std::int64_t count) {
  return squareSum(values, count);
}
STRATA_CLONES double sumOf(const double* values, std::int64_t count) {
  return squareSum(values, count);
}

}  // namespace

template <typename T>
void sumsOfSquares(const std::vector<Stretch<T>>& stretches, double* sums, int threads) {
  struct Piece {
    Stretch<T> values;
    std::size_t stretch;
  };
  std::vector<Piece> pieces;
  for (std::size_t s = 0; s < stretches.size(); ++s) {
    for (std::int64_t begin = 0; begin < stretches[s].count; begin += kPiece)
      pieces.push_back(
          {{stretches[s].values + begin, std::min(kPiece, stretches[s].count - begin)}, s});
  }
  std::vector<double> parts(pieces.size());
  parallel(static_cast<std::int64_t>(pieces.size()), threads,
           [&](std::int64_t begin, std::int64_t end, int) {
             for (std::int64_t i = begin; i < end; ++i)
               parts[i] = sumOf(pieces[i].values.values, pieces[i].values.count);
           });
  std::fill_n(sums, stretches.size(), 0.0);
  for (std::size_t i = 0; i < pieces.size(); ++i) sums[pieces[i].stretch] += parts[i];
}

template void sumsOfSquares(const std::vector<Stretch<float>>&, double*, int);
template void sumsOfSquares(const std::vector<Stretch<double>>&, double*, int);

}  // namespace strata::kernels
