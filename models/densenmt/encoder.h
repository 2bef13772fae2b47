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
  // The states that are attended to, each as parts: the full final state, or one part each, newest
  // first.
  std::vector<Parts> attended(const torch::Tensor& emb_BSE, const SourceBatch& source,
                              Recorder* recorder);

  DenseConfig config_;
  SideEmbedding embedding_;
  WeightNorm in_{nullptr};
  std::vector<EncoderLayer> layers_;
  std::vector<WeightNorm> keys_;
};
TORCH_MODULE(Encoder);

}  // namespace strata::densenmt
