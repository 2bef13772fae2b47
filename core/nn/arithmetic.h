// How the operators of core/nn compute. Every matrix product of a model goes through the functions
// of this file or through a kernel, so that its precision is decided in one place.
//   bf16 products: factors are read as bf16 and accumulated in float32 if the device supports it;
//   results are float32, or bf16 where only products read them. Norms, softmax, losses, sums and
//   cell states are always float32. The kernels of a CPU that has an instruction for it (AVX-512
//   BF16) round the factors of products with parameters only, and all results are float32.
#pragma once
#include <torch/types.h>

namespace strata {

class Bf16Weights;
class OutputWords;
class PackedWeights;

struct Arithmetic {
  bool kernels = true;  // single-pass CPU kernels; false: libtorch's operators, as on a GPU
  bool bf16Products = false;
  const Bf16Weights* bf16Weights = nullptr;  // of the model that computes; null: cast when needed
  PackedWeights* packed = nullptr;     // of a search's model: multiply by these, without gradients
  OutputWords* outputWords = nullptr;  // those that logProbabilities() is for; null: all
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

// Whether the single-pass kernels support this tensor.
bool usesKernels(const torch::Tensor& x);
// The packed weights to multiply by; null if there are none, or a gradient may be asked for.
PackedWeights* packedWeights();

// a b, batched over leading axes like torch::matmul.
torch::Tensor product(const torch::Tensor& a, const torch::Tensor& b);
// x W^T + b [..., O] of x [..., I] and W [O, I]; b may be undefined.
torch::Tensor affine(const torch::Tensor& x, const torch::Tensor& weight,
                     const torch::Tensor& bias = {});
// The same where only products read the result, or dropout before them: bf16 if products are.
torch::Tensor affineFactor(const torch::Tensor& x, const torch::Tensor& weight,
                           const torch::Tensor& bias = {});
// ReLU(x W^T + b) as such a factor.
torch::Tensor reluFactor(const torch::Tensor& x, const torch::Tensor& weight,
                         const torch::Tensor& bias = {});
// sum + x W^T, overwriting `sum` if no gradient is wanted: it must be contiguous and not shared.
torch::Tensor plusProduct(torch::Tensor sum, const torch::Tensor& x, const torch::Tensor& weight);

// What back-propagation through affine() adds to the gradients of x [N, I], W [O, I] and b [O].
struct AffineGradients {
  torch::Tensor x_NI, weight_OI,
      bias_O;  // x: overwritten instead; bias: undefined if there is none
};
// For functions that compute the gradient of y [N, O] = affine(x, W, b) themselves; no gradients.
void addAffineGradients(const torch::Tensor& gradY_NO, const torch::Tensor& x_NI,
                        const torch::Tensor& weight_OI, const AffineGradients& gradients);

// Dropout(softmax(scale q k^T)) v [B, H, T, E] of q [B, H, T, E], k and v [B, H, S, E] as one
// operator, which need not keep the scores.
struct SoftmaxProduct {
  torch::Tensor padding_BS = {};  // keys without weight; undefined: none
  bool causal = false;            // a query's keys are those up to its own position, padded or not
  double dropout = 0;             // drawn from libtorch's generator
  double scale = 1;
};
torch::Tensor softmaxProduct(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                             const SoftmaxProduct& options);

}  // namespace strata
