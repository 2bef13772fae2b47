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

// Whether multiplyTransposed is to be used: with hasPanels(), and for shapes where it is faster
// than libtorch's product, which rearranges both factors. Those are shapes with so narrow a factor
// that 256 rows of it stay in the second cache.
bool multipliesTransposed(const TallMatrix& g, const TallMatrix& x, std::int64_t rows, int threads);
// G^T x [columns of G, columns of x], without bias and ReLU.
void multiplyTransposed(const TallMatrix& g, const TallMatrix& x, std::int64_t rows,
                        const PanelOutput& output, int threads);

}  // namespace strata::kernels
