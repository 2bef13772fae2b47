// How the operators of core/nn compute. Every matrix product of a model goes through the functions
// of this file or through a kernel, so that its precision is decided in one place.
//   bf16 products: factors are read as bf16 and accumulated in float32 if the device supports it;
//   results are float32. Norms, softmax, losses, sums and cell states are always float32.
#pragma once
#include <torch/torch.h>

namespace strata {

struct Arithmetic {
  bool kernels = true;  // single-pass CPU kernels; false: libtorch's operators, as on a GPU
  bool bf16Products = false;
};

// While one exists, this thread's forward passes compute this way; back-propagation follows its
// forward pass.
class ArithmeticScope {
 public:
  explicit ArithmeticScope(const Arithmetic& arithmetic);
  ~ArithmeticScope();
  ArithmeticScope(const ArithmeticScope&) = delete;
  ArithmeticScope& operator=(const ArithmeticScope&) = delete;

 private:
  Arithmetic before_;
};
const Arithmetic& arithmetic();  // of this thread
// This thread's arithmetic with the given precision of products.
Arithmetic withBf16Products(bool bf16);

// Whether the single-pass kernels support this tensor.
bool usesKernels(const torch::Tensor& x);

// a b, batched over leading axes like torch::matmul.
torch::Tensor product(const torch::Tensor& a, const torch::Tensor& b);
// x W^T + b [..., O] of x [..., I] and W [O, I]; b may be undefined.
torch::Tensor affine(const torch::Tensor& x, const torch::Tensor& weight,
                     const torch::Tensor& bias = {});
// sum + x W^T, overwriting `sum` if no gradient is wanted: it must be contiguous and not shared.
torch::Tensor plusProduct(torch::Tensor sum, const torch::Tensor& x, const torch::Tensor& weight);

}  // namespace strata
