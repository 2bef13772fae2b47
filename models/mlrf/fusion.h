// Fusion of all levels of a stack into one vector per position. Wang et al., COLING 2018, section
// 3.
//   paper     here            shape           meaning
//   z^l       stack_XD        L+1 x [..., D]  the stack's input (l = 0) and its layers' outputs
//   E_l       layerEmbedding  [max L + 1, D]  embedding of the level (Eq. 4); both stacks
//                                             share it
//   W_1       w1              [A, D]          or one per level or per hop: [n, A, D], [P, A, D]
//   W_2       w2              [P, A]          one row per hop; feature-wise [P D, A]
//   a         a_XPN           [..., P, n]     a distribution over the levels per hop (Eq. 6)
//   s~        s_XPD           [..., P, D]     a weighted sum of levels per hop (Eq. 7)
// A attention width, D model width, P hops, n (N) levels, F inner width; X stands for any leading
// axes.
#pragma once
#include <torch/torch.h>

#include <memory>
#include <vector>

#include "core/nn/fused.h"
#include "core/nn/layers.h"
#include "models/mlrf/config.h"

namespace strata::mlrf {

// A parameter of any shape, named `weight`.
class WeightImpl : public torch::nn::Module {
 public:
  explicit WeightImpl(at::IntArrayRef shape) { weight = newParameter(*this, "weight", shape); }
  torch::Tensor weight;
};
TORCH_MODULE(Weight);

struct FusionSizes {
  std::int64_t layers = 3;  // of the stack
  std::int64_t modelDim = 256, attentionDim = 1024, innerDim = 512;
  bool bias = false;  // of the network that combines levels or hops
};

// Fuses position by position: nothing here mixes leading axes.
class FusionImpl : public torch::nn::Module {
 public:
  FusionImpl(const FusionConfig& config, const FusionSizes& sizes,
             const std::shared_ptr<DropoutState>& dropout);

  // What a fusion publishes; the leading axes X are a batch and its positions.
  struct Maps {
    Published levels = {};   // z~ [X, N, D]
    Published norms = {};    // |z~^l| [X, N]; feed-forward and self-attention
    Published weights = {};  // a [X, P, N]; feature-wise weights are averaged over the features
    Published hops = {};     // s~ [X, P, D]
  };
  // The fused [..., D]. `stack_XD` has level 0 and every layer's output. layerEmbedding is
  // undefined if neither side uses it.
  torch::Tensor forward(const std::vector<torch::Tensor>& stack_XD,
                        const torch::Tensor& layerEmbedding, const Maps& maps);

  void initialise(Initialiser& random);

 private:
  torch::Tensor selfAttention(const torch::Tensor& z_XND, const Maps& maps);
  torch::Tensor energies(const torch::Tensor& z_XND) const;
  torch::Tensor join(const torch::Tensor& inner_X);

  FusionConfig config_;
  Weight w1{nullptr}, w2{nullptr};
  Linear fc1{nullptr}, fc2{nullptr};
  LayerNorm layerNorm_{nullptr};
  DropoutSite innerDropout_, outerDropout_;
};
TORCH_MODULE(Fusion);

}  // namespace strata::mlrf
