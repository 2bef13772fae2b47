// Weights of a model in the layouts that products with few rows read fastest (kernels/panels.h).
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <vector>

#include "core/nn/parameters.h"
#include "core/run/compute.h"

namespace strata {

// Packs a weight when a product first needs it, and keeps it until a parameter changes. In memory
// the packed weights take as much as the model again (bf16: half, int8: a quarter). Not
// thread-safe.
class PackedWeights {
 public:
  // Whether this processor can (AVX-512; int8: with VNNI), for parameters on the CPU in float32.
  static bool supports(Compute compute);

  // The parameters of a model, or of all the models of an ensemble.
  PackedWeights(NamedParameters parameters, Compute compute);
  ~PackedWeights();

  Compute compute() const { return compute_; }
  std::int64_t bytes() const;  // of what is packed now

  // Call before products: forgets what was packed if a parameter has changed since.
  void refresh();
  // A matrix derived from parameters that its module keeps unchanged: it may be packed, like
  // parameters and parts of them.
  void admit(const torch::Tensor& kept);

  struct Options {
    const torch::Tensor& bias;  // may be undefined
    bool relu = false;
    torch::Tensor sum = {};  // contiguous; the product is added to it, in place
  };
  // x W^T + b [..., O] for x [..., I] and W [O, I]. Undefined if the weight is not this model's.
  torch::Tensor product(const torch::Tensor& x, const torch::Tensor& weight,
                        const Options& options);

 private:
  struct Matrix;
  using Place = std::tuple<const void*, std::int64_t, std::int64_t, std::int64_t>;

  const Matrix* matrixOf(const torch::Tensor& weight);

  Compute compute_;
  NamedParameters parameters_;
  std::vector<torch::Tensor> admitted_;
  std::set<const void*> storages_;  // of both
  std::uint64_t version_;           // of the parameters when they were packed
  std::map<Place, std::unique_ptr<Matrix>> matrices_;
};

}  // namespace strata
