// Products G^T x of two matrices with many rows and few columns, summed over the rows: gradients of
// weights. Every element of a result is summed over the rows in their order: it depends neither on
// the other columns nor on the number of threads.
#pragma once
#include "core/nn/kernels/panels.h"

namespace strata::kernels {

// A factor [rows, columns].
struct TallMatrix {
  const float* values = nullptr;
  std::int64_t columns = 0, stride = 0;
};

// Whether multiplyTransposed takes products of this shape: with hasPanels(), and where it is faster
// than a product that rearranges both factors. The narrower factor then fits in a cache, however
// many rows there are.
bool multipliesTransposed(const TallMatrix& g, const TallMatrix& x, std::int64_t rows, int threads);
// G^T x [columns of G, columns of x], without bias and ReLU.
void multiplyTransposed(const TallMatrix& g, const TallMatrix& x, std::int64_t rows,
                        const PanelOutput& output, int threads);

}  // namespace strata::kernels
