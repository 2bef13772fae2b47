// The decoder of DenseNMT: Shen et al., NAACL 2018, sections 3.2 and 3.3; models.md 1.5. Notation
// as in layers.h.
#pragma once
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <memory>
#include <optional>
#include <vector>

#include "core/nn/translation_model.h"
#include "models/densenmt/layers.h"

namespace strata::densenmt {

RecordingInfo attentionInfo(std::size_t layer, std::size_t part);

// State of incremental decoding: the inputs of each layer that its convolution still reads, and the
// source's keys and values.
class DenseState : public RowState {
 public:
  DenseState(const DenseMemory& memory, const StackPlan& plan);

  const DenseMemory& memory;
  torch::Tensor factor_R1;
  std::vector<std::vector<torch::Tensor>> past_RI;  // one list per layer, oldest first
  std::vector<torch::Tensor> keysValues_BS2E;       // one per part

 protected:
  std::vector<RowTensor> rowTensors() override;
};

class DecoderImpl : public torch::nn::Module {
 public:
  // `sourceWords`: the encoder's table, also the decoder's if all tables are shared.
  DecoderImpl(const DenseConfig& config, const WordTable& sourceWords,
              const DropoutPointer& dropout);
  // The input of the output projection: Dropout(Linear(Y)) [B, T, e_o].
  torch::Tensor forward(const DenseMemory& memory, const torch::Tensor& ids_BT, Recorder* recorder);
  // The same for one more word per row, [R, e_o].
  torch::Tensor step(DenseState& state, const torch::Tensor& ids_R, Recorder* recorder);
  void initialise(Initialiser& random, double dropout);

  const StackPlan& plan() const { return plan_; }
  // Scores [..., V] of the outputs of forward and step.
  torch::Tensor project(const torch::Tensor& features) const;
  TranslationModel::Projection output() const;
  torch::Tensor outputOf(const TranslationModel::DecoderLevels& levels, std::size_t level) const;
  std::size_t layers() const { return layers_.size(); }

 private:
  DecoderLayerImpl::Maps mapsOf(std::size_t layer, Recorder* recorder) const;
  Parts first(const torch::Tensor& temb, Recorder* recorder) const;

  StackPlan plan_;
  std::size_t parts_;
  SideEmbedding embedding_;
  WeightNorm in_{nullptr};  // null if z0 is the embedding
  WeightNorm bottleneck_{nullptr};
  WeightNorm output_{nullptr};       // null if the output matrix is an embedding table
  std::optional<OutputLayer> tied_;  // used instead in that case
  std::vector<DecoderLayer> layers_;
  DropoutSite outputSite_;
};
TORCH_MODULE(Decoder);

}  // namespace strata::densenmt
