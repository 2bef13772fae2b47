// Products of matrices on the CPU, without gradients: in float32 by the kernels where they are
// faster than libtorch's products, else by those. Which of the two depends on shapes and processor
// only. Where this thread's arithmetic has bf16 products, the kernels round both factors; what they
// do not multiply is not rounded.
//   N rows, I inputs, O outputs; matrices may be parts of wider ones
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <functional>

namespace strata::cpu {

struct ProductOptions {
  torch::Tensor bias = {};  // [O]
  torch::Tensor out = {};   // [N, O], written instead of a new tensor
  bool adds = false;        // the product to what `out` contains
  // Called with rows [begin, end) of the result when they are complete, by several threads at
  // once or outside of parallel work.
  std::function<void(std::int64_t begin, std::int64_t end)> done = {};
};
// A matrix W [O, I], which may be a transposed one, to be multiplied by several times.
class Factor {
 public:
  explicit Factor(const torch::Tensor& weight);
  // x W^T [N, O] of x [N, I].
  torch::Tensor times(const torch::Tensor& x, const ProductOptions& options = {}) const;
  // sum + x W^T for the few rows of a step of a recurrence, in place and on the calling thread.
  void addTo(torch::Tensor sum, const torch::Tensor& x) const;

 private:
  torch::Tensor weight_, panels_;  // panels: undefined where libtorch's products are as fast;
                                   // float32, or pairs of bf16
};
// Factor(weight).times(x, options)
torch::Tensor timesTransposed(const torch::Tensor& x, const torch::Tensor& weight,
                              const ProductOptions& options = {});

// The gradient G^T x [O, I] of W [O, I] from that of x W^T, G [N, O]: written to `out`, or added to
// what it contains.
void multiplyGradient(const torch::Tensor& productGrad, const torch::Tensor& x, torch::Tensor out,
                      bool adds = false);
// The same where W's gradient is wanted (gradient_place.h).
torch::Tensor weightGradient(const torch::Tensor& productGrad, const torch::Tensor& x,
                             const torch::Tensor& weight);

}  // namespace strata::cpu
