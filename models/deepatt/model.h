// The family `deepatt`: Deep-Att and Deep-ED of Zhou et al., TACL 2016, with RNNsearch as their
// shallow case (models.md 2).
//   paper        here               shape      meaning
//   y_{t-1}      y_TBE              [T, B, E]  embedding of the word before; y_0 is the zero vector
//   e~_t'        encoded_BSC        [B, S, C]  W_p e_t' (models/deepatt/encoder.h)
//   a(e~, h)     keys_, queries_,              v tanh(U e~ + W h + b_a) (Eq. 9); the alignment
//                energy_                       model of Bahdanau et al. has no b_a
//   alpha_{t,t'} decoder.attention  [B, T, S]  alignment (Eq. 9)
//   c_t          (inside f)                    context (Eq. 8), which layer 1 alone reads: as
//                                              x_t = [c_t, y_{t-1}] (Eq. 10)
//   U e~         keys_BSA           [B, S, A]  keys
#pragma once
#include <torch/nn/module.h>
#include <torch/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/nn/attentional_recurrence.h"
#include "core/nn/model_family.h"
#include "core/nn/readers.h"
#include "core/nn/translation_model.h"
#include "models/deepatt/encoder.h"
#include "models/deepatt/layers.h"

namespace strata::deepatt {

class DeepAttModel : public TranslationModel, public BlockReaders {
 public:
  explicit DeepAttModel(const DeepAttConfig& config);

  std::unique_ptr<Memory> encode(const SourceBatch& source, Recorder* recorder) override;
  torch::Tensor decode(const Memory& memory, const torch::Tensor& targetIn_BT,
                       Recorder* recorder) override;
  // Only h of the last layer is used for the prediction (section 3.1).
  Projection projection() const override { return {output_->weight, output_->bias}; }
  std::unique_ptr<DecoderState> begin(const Memory& memory) override;
  torch::Tensor step(DecoderState& state, const torch::Tensor& tokens_R,
                     Recorder* recorder) override;

  // "default": the paper's, which saturates deep models; "xavier": models.md 2.6.
  void initialise(const std::string& scheme, std::uint64_t seed) override;
  std::vector<RecordingInfo> recordable() const override;
  std::vector<Reader> readers() const override;

 private:
  struct DeepAttMemory;
  class State;

  bool attends() const { return model_.interface == Interface::kAttention; }
  RecordingInfo memoryInfo() const;
  bool readsFeed(std::size_t layer, const Recorder* recorder) const;
  Published blockOf(std::size_t layer, Recorder* recorder, bool timeMajor) const;
  // The parts of the first layer's matrix for the context and for the word.
  torch::Tensor contextWeight() const;
  torch::Tensor wordWeight() const;
  AttentionalWeights attentionWeights() const;
  torch::Tensor initialState(std::size_t layer, const torch::Tensor& mean_BC) const;
  torch::Tensor meanOf(const torch::Tensor& encoded_BSC, const SourceBatch& source) const;
  // What a decoder without a search is fed: y, and how many steps are a sentence's; undefined: all.
  struct Target {
    torch::Tensor y_TBE, lengths_B;
  };
  Flow firstLayer(const Target& target, const DeepAttMemory& memory,
                  const torch::Tensor& initial_BH, Recorder* recorder) const;

  DeepAttConfig model_;
  Encoder encoder_;
  std::shared_ptr<torch::nn::Module> decoder_;
  WordTable targetTable_;  // the encoder's if all tables are shared
  Linear keys_{nullptr}, queries_{nullptr}, energy_{nullptr};  // U, W and b_a, v
  std::vector<Layer> layers_;
  std::vector<Linear> initial_;  // decoder_init = tanh, one per layer
  std::optional<OutputLayer> output_;
  std::vector<DropoutSite> sites_;  // of h where it is consumed, one per layer
};

ModelFamily family();

}  // namespace strata::deepatt
