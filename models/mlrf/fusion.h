// Fusion of all levels of a stack into one vector per position, phi(Z_j) of Eq. 3. Wang et al.,
// COLING 2018, section 3.2; models.md 4.3.
//   paper     here            shape           meaning
//   z^l       levels_XD       L+1 x [..., D]  the stack's input (l = 0) and its layers' outputs;
//                                             h^l in the encoder
//   E_l       layerEmbedding  [max L + 1, D]  embedding of the level (Eq. 4); both stacks share it
//   z~^l      z_XND           [..., n, D]     what is fused (Eq. 4)
//   W_1       w1              [A, D]          or one per level or per hop: [n, A, D], [P, A, D]
//   W_2       w2              [P, A]          one row per hop; feature-wise [P D, A]
//   a         a_XPN           [..., P, n]     a distribution over the levels per hop (Eq. 6)
//   s~        s_XPD           [..., P, D]     a weighted sum of levels per hop (Eq. 7)
//   z^        (result)        [..., D]        phi(Z_j)
// A = d_a attention width, D = d model width, F = d_f inner width, P = n_hop hops, n (N) levels; X
// stands for any leading axes.
#pragma once
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <memory>
#include <string>
#include <vector>

#include "core/nn/layers.h"
#include "models/mlrf/config.h"
#include "models/transformer/level_fusion.h"

namespace strata::mlrf {

struct FusionSizes {
  std::int64_t layers = 3;  // of the stack
  std::int64_t modelDim = 256, attentionDim = 1024, innerDim = 512;
  bool bias = false;  // of the network that combines levels or hops
};

// Where a fusion is.
struct FusionPlace {
  std::string side;              // encoder or decoder
  torch::Tensor layerEmbedding;  // undefined if neither side uses it
  std::shared_ptr<DropoutState> dropout;
};

// The kinds of fusion differ in what they make of z~. Nothing here mixes leading axes, so that a
// step of incremental decoding is the same function.
class Fusion : public transformer::LevelFusion {
 public:
  torch::Tensor forward(const std::vector<torch::Tensor>& levels_XD, Recorder* recorder) final;
  void initialise(Initialiser&, bool /*xavier*/) override {}
  std::vector<RecordingInfo> recordable() const override { return {levelsInfo()}; }

 protected:
  Fusion(const FusionConfig& config, const FusionPlace& place);

  // z^ [..., D] of z~.
  virtual torch::Tensor fuse(const torch::Tensor& z_XND, Recorder* recorder) = 0;

  // The single hidden layer FNN of section 3.2, with the layer normalisation after it.
  struct Network {
    Linear fc1, fc2;
    LayerNorm norm;  // null: none
    void initialise(Initialiser& random, bool xavier) const;
  };
  Network addNetwork(std::int64_t parts, const FusionSizes& sizes);
  // Of the parts side by side; `z_XND` has the top level.
  torch::Tensor join(const Network& network, const torch::Tensor& parts_X,
                     const torch::Tensor& z_XND);
  void publishNorms(const torch::Tensor& z_XND, Recorder* recorder) const;

  RecordingInfo levelsInfo() const { return info("levels", "block", {"level", "feature"}); }
  RecordingInfo normsInfo() const { return info("level_norms", "level_norms", {"level"}); }
  RecordingInfo weightsInfo() const { return info("hop_weights", "hop_weights", {"hop", "level"}); }
  // The levels as each hop reads them: replaced, they leave the weights as they are.
  RecordingInfo readLevelsInfo() const {
    return info("read_levels", "block", {"hop", "level", "feature"});
  }
  RecordingInfo hopsInfo() const { return info("hops", "block", {"hop", "feature"}); }

 private:
  RecordingInfo info(const char* name, const char* kind, std::vector<std::string> axes) const;

  std::string side_;
  bool norm_, residual_;
  int first_;                     // level that is fused first
  torch::Tensor layerEmbedding_;  // an alias of a parameter; undefined: none is added
  // Every kind takes two sites, so that models that differ only in it draw the same masks
  // elsewhere.
  DropoutSite innerDropout_, outerDropout_;
};

class AverageFusion : public Fusion {
 public:
  AverageFusion(const FusionConfig& config, const FusionPlace& place)
      : Fusion(config, place), plainNorm_(config.plainNorm) {}

 protected:
  torch::Tensor fuse(const torch::Tensor& z_XND, Recorder* recorder) override;

 private:
  bool plainNorm_;
};

// One of the other pooling methods that section 3.2 mentions.
class MaximumFusion : public Fusion {
 public:
  MaximumFusion(const FusionConfig& config, const FusionPlace& place) : Fusion(config, place) {}

 protected:
  torch::Tensor fuse(const torch::Tensor& z_XND, Recorder* recorder) override;
};

class FeedForwardFusion : public Fusion {
 public:
  FeedForwardFusion(const FusionConfig& config, const FusionSizes& sizes, const FusionPlace& place);
  void initialise(Initialiser& random, bool xavier) override {
    network_.initialise(random, xavier);
  }
  std::vector<RecordingInfo> recordable() const override { return {levelsInfo(), normsInfo()}; }

 protected:
  torch::Tensor fuse(const torch::Tensor& z_XND, Recorder* recorder) override;

 private:
  Network network_;
};

// A parameter of any shape, named `weight`.
class WeightImpl : public torch::nn::Module {
 public:
  explicit WeightImpl(at::IntArrayRef shape) { weight = newParameter(*this, "weight", shape); }
  torch::Tensor weight;
};
TORCH_MODULE(Weight);

class SelfAttentionFusion : public Fusion {
 public:
  SelfAttentionFusion(const FusionConfig& config, const FusionSizes& sizes,
                      const FusionPlace& place);
  void initialise(Initialiser& random, bool xavier) override;
  std::vector<RecordingInfo> recordable() const override {
    return {levelsInfo(), normsInfo(), weightsInfo(), readLevelsInfo(), hopsInfo()};
  }

 protected:
  torch::Tensor fuse(const torch::Tensor& z_XND, Recorder* recorder) override;

 private:
  torch::Tensor energies(const torch::Tensor& z_XND) const;
  torch::Tensor weighted(const torch::Tensor& e_XNP, const torch::Tensor& z_XND,
                         Recorder* recorder) const;

  FusionConfig config_;
  Weight w1_, w2_;
  Network network_;
};

// The fusion that `config` asks for; null: none.
std::shared_ptr<Fusion> makeFusion(const FusionConfig& config, const FusionSizes& sizes,
                                   const FusionPlace& place);

}  // namespace strata::mlrf
