// How the operators of core/nn compute. Every matrix product of a model goes through the functions
// of this file or through a kernel, so that one place decides its precision.
//   bf16 products: factors are read as bf16 and multiplied with float32 sums where the device has
//   them; results are float32. Norms, softmax, losses, sums and cell states are always float32.
#pragma once
#include <torch/torch.h>

namespace strata {

struct Arithmetic {
  bool kernels = true;  // single passes on a CPU; false: libtorch's operators, as on a GPU
  bool bf16Products = false;
};

// While one lives, this thread's forward passes compute so; back-propagation follows what the
// forward pass did.
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
// This thread's arithmetic with the products that a precision asks for.
Arithmetic withBf16Products(bool bf16);

// Whether the single-pass kernels take this tensor.
bool usesKernels(const torch::Tensor& x);

// a b, batched over leading axes as torch::matmul has it.
torch::Tensor product(const torch::Tensor& a, const torch::Tensor& b);
// x W^T + b [..., O] of x [..., I] and W [O, I]; b may be undefined.
torch::Tensor affine(const torch::Tensor& x, const torch::Tensor& weight,
                     const torch::Tensor& bias = {});
// sum + x W^T, which takes the memory of `sum` where no gradient is wanted: it must be the caller's
// own and contiguous.
torch::Tensor plusProduct(torch::Tensor sum, const torch::Tensor& x, const torch::Tensor& weight);

}  // namespace strata
