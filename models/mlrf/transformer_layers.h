// The layers of the base model (models.md 4.2): post-norm, every sublayer LN(x + Dropout(f(x))).
// B sentences, T positions, S source positions, D model width, R rows of an incremental search.
#pragma once
#include <torch/torch.h>

#include <memory>
#include <string>
#include <vector>

#include "core/nn/decoder_cache.h"
#include "core/nn/fused.h"
#include "core/nn/layers.h"
#include "core/nn/recorder.h"
#include "models/mlrf/config.h"

namespace strata::mlrf {

using DropoutPointer = std::shared_ptr<DropoutState>;

// q, k, v and out projections of one attention.
class ProjectionsImpl : public torch::nn::Module, public AdjacentParameters {
 public:
  explicit ProjectionsImpl(std::int64_t width);
  std::vector<Group> adjacentParameters() const override {
    return {{q->weight, k->weight, v->weight}, {q->bias, k->bias, v->bias}};
  }
  Linear q, k, v, out;
  void initialise(Initialiser& random, bool xavier);
};
TORCH_MODULE(Projections);

// LN(x + Dropout(W_2 Dropout(ReLU(W_1 x + b_1)) + b_2)); fc1, fc2 and final_layer_norm belong to
// the layer.
struct FeedForward {
  Linear first, second;
  LayerNorm norm;
  DropoutSite inner, outer;
  torch::Tensor forward(const torch::Tensor& x) const;
};

class EncoderLayerImpl : public torch::nn::Module {
 public:
  EncoderLayerImpl(const MlrfConfig& config, const DropoutPointer& dropout);
  torch::Tensor forward(const torch::Tensor& x_BSD, const SourceBatch& source,
                        const Published& map);
  void initialise(Initialiser& random, bool xavier);

 private:
  std::int64_t heads_;
  Projections attention_;
  LayerNorm attentionNorm_;
  DropoutSite weightsDropout_, attentionDropout_;
  FeedForward feedForward_;
};
TORCH_MODULE(EncoderLayer);

class DecoderLayerImpl : public torch::nn::Module {
 public:
  DecoderLayerImpl(const MlrfConfig& config, const DropoutPointer& dropout);

  struct Maps {
    Published self, source;
  };
  torch::Tensor forward(const torch::Tensor& x_BTD, const torch::Tensor& memory_BSD,
                        const SourceBatch& source, const Maps& maps);

  // Keys and values of the source, computed once for all steps.
  torch::Tensor keysValues(const torch::Tensor& memory_BSD) const;
  struct StepContext {
    const Backpointers& backpointers;
    const std::vector<std::int32_t>& table;  // of the backpointers
    const SourceBatch& source;
    const torch::Tensor& keysValues_BS2D;
    HistoryCache& history;
  };
  torch::Tensor step(const torch::Tensor& x_RD, const StepContext& context, const Maps& maps) const;
  void initialise(Initialiser& random, bool xavier);

 private:
  std::int64_t heads_;
  Projections attention_;
  LayerNorm attentionNorm_;
  Projections sourceAttention_;
  LayerNorm sourceNorm_;
  DropoutSite weightsDropout_, attentionDropout_, sourceWeightsDropout_, sourceDropout_;
  FeedForward feedForward_;
};
TORCH_MODULE(DecoderLayer);

}  // namespace strata::mlrf
