// The layers of the Transformer. Vaswani et al., NIPS 2017, "Attention Is All You Need", sections
// 3.1-3.3; models.md 4.2.
//   paper              here                shape          meaning
//   d_model, d_ff, h   width, inner, heads                sizes
//   Q, K, V            packed_BT3D         [B, T, 3 D]    of all heads (Eq. 1); each head has
//                                                         consecutive columns
//   W^Q, W^K, W^V      q, k, v             [D, D]         of all heads together (section 3.2.2)
//   W^O                out                 [D, D]         joins the heads
//   W_1, b_1           fc1                 [F, D], [F]    of the feed-forward network (Eq. 2)
//   W_2, b_2           fc2                 [D, F], [D]
// B sentences, T positions, S source positions, D = d_model, F = d_ff, R rows of an incremental
// search.
#pragma once
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <memory>
#include <string>
#include <vector>

#include "core/nn/decoder_cache.h"
#include "core/nn/fused.h"
#include "core/nn/layers.h"
#include "core/nn/recorder.h"

namespace strata::transformer {

using DropoutPointer = std::shared_ptr<DropoutState>;

// The heads' outputs of an attention, before the output projection joins them: "MAP.heads".
RecordingInfo headsInfo(RecordingInfo map);

struct LayerShape {
  std::int64_t width = 512, inner = 2048, heads = 8;  // d_model, d_ff, h; h divides d_model
};

// q, k, v and out projections of one attention. Departs from the paper: all four have biases,
// because those of the public recipes do.
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

// The last sublayer of a layer; fc1, fc2 and final_layer_norm belong to the layer.
struct FeedForward {
  Linear first, second;
  LayerNorm norm;
  DropoutSite inner, outer;
  torch::Tensor forward(const torch::Tensor& x) const;
};

class EncoderLayerImpl : public torch::nn::Module {
 public:
  EncoderLayerImpl(const LayerShape& shape, const DropoutPointer& dropout);
  torch::Tensor forward(const torch::Tensor& x_BSD, const WordRows& rows, const Published& map);
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
  DecoderLayerImpl(const LayerShape& shape, const DropoutPointer& dropout);

  struct Maps {
    Published self, source;
  };
  torch::Tensor forward(const torch::Tensor& x_BTD, const torch::Tensor& memory_BSD,
                        const AttentionRows& rows, const Maps& maps);

  // Keys and values of the source, computed once for all steps.
  torch::Tensor keysValues(const torch::Tensor& memory_BSD) const;
  struct StepContext {
    const Backpointers& backpointers;
    const WordRows& source;
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

}  // namespace strata::transformer
