// Products whose factors are both rounded to bf16, to the nearest, halves to even; their values and
// sums are float32. Every element of a result depends neither on the other rows nor on the number
// of threads.
#pragma once
#include "core/nn/kernels/transposed_products.h"

namespace strata::kernels {

// Whether this processor has an instruction for them: AVX-512 BF16. Without it do not call what is
// below.
bool hasRoundedProducts();

// x W^T of packBf16Panels(W).
void multiplyRounded(const PanelInput& x, const Bf16Pair* panels, const PanelShape& shape,
                     const PanelOutput& output, int threads, const RowsDone& done = {});

// G^T x [columns of G, columns of x].
void multiplyRoundedTransposed(const TallMatrix& g, const TallMatrix& x, std::int64_t rows,
                               const PanelOutput& output, int threads);

}  // namespace strata::kernels
