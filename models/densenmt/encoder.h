// The encoder of DenseNMT: Shen et al., NAACL 2018, sections 3.1 and 3.3; models.md 1.3, 1.4, 1.6.
// Notation as in layers.h.
#pragma once
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <memory>
#include <vector>

#include "models/densenmt/layers.h"

namespace strata::densenmt {

// encoder.keys.{j} or encoder.values.{j}.
RecordingInfo statesInfo(const char* states, std::size_t part);
// encoder.layers.{i}.block or decoder.layers.{i}.block: what layer i adds to its stack.
RecordingInfo blockInfo(const char* side, std::size_t layer);

class EncoderImpl : public torch::nn::Module {
 public:
  EncoderImpl(const DenseConfig& config, const DropoutPointer& dropout);
  std::unique_ptr<DenseMemory> forward(const SourceBatch& source, Recorder* recorder);
  void initialise(Initialiser& random, double dropout);
  // Multiplies the gradients of the stack and its key projections: everything here except the word
  // and position tables and their projections.
  void scaleGradients(double factor);
  std::size_t layers() const { return layers_.size(); }
  const WordTable& words() const { return embedding_.words(); }

 private:
  // h0, and the states that are attended to, each as parts: the full final state, or one part each,
  // newest first.
  struct States {
    torch::Tensor base_BSW;
    std::vector<Parts> attended;
  };
  States states(const torch::Tensor& emb_BSE, const SourceBatch& source, Recorder* recorder);
  // What the sum of the attentions to the parts is multiplied by, [B, 1, 1].
  torch::Tensor factorOf(const SourceBatch& source, const torch::TensorOptions& options,
                         std::size_t parts) const;
  // V of a state; undefined if attention makes it of the key and what all values share.
  torch::Tensor ownValue(const States& states, std::size_t part, const torch::Tensor& base_BSE);

  DenseConfig config_;
  SideEmbedding embedding_;
  WeightNorm in_{nullptr};    // null if h0 is the embedding
  WeightNorm base_{nullptr};  // L(h0) of values; null without it
  std::vector<EncoderLayer> layers_;
  std::vector<WeightNorm> keys_, values_;  // values_ is empty if values are made of the keys
};
TORCH_MODULE(Encoder);

}  // namespace strata::densenmt
