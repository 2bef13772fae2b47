// Products of matrices that fit in the cache.
#pragma once
#include <cstdint>

namespace strata::kernels {

// A [m, k] with any strides times B [k, n] with contiguous rows, into C [m, n] or, if `adds`, added
// to it.
template <typename T>
struct Product {
  const T* a;
  std::int64_t aRow, aColumn;
  const T* b;
  std::int64_t bRow;
  T* c;
  std::int64_t cRow;
  std::int64_t m, n, k;
  bool adds = false;
};

void multiply(const Product<float>& product);
void multiply(const Product<double>& product);

}  // namespace strata::kernels
