// The family `dhea`: a deep LSTM encoder of alternating directions, and an LSTM decoder in which
// every layer attends to the source and to the level below at all earlier words. Wang et al.,
// COLING 2018 (models.md 3).
#pragma once
#include <torch/nn/module.h>
#include <torch/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/nn/model_family.h"
#include "core/nn/translation_model.h"
#include "models/dhea/decoder_layers.h"

namespace strata::dhea {

class DheaModel : public TranslationModel {
 public:
  explicit DheaModel(const DheaConfig& config);

  std::unique_ptr<Memory> encode(const SourceBatch& source, Recorder* recorder) override;
  torch::Tensor decode(const Memory& memory, const torch::Tensor& targetIn_BT,
                       Recorder* recorder) override;
  // Eq. 4 before the softmax: s_i W_o, of the last level.
  Projection projection() const override { return {output_->weight, {}}; }
  std::unique_ptr<DecoderState> begin(const Memory& memory) override;
  torch::Tensor step(DecoderState& state, const torch::Tensor& tokens_R,
                     Recorder* recorder) override;

  // "default": every parameter N(0, 0.01); "xavier": that of the stable preset.
  void initialise(const std::string& scheme, std::uint64_t seed) override;
  std::vector<RecordingInfo> recordable() const override;

 private:
  torch::Tensor embedSide(const WordTable& table, const torch::Tensor& ids_BT,
                          const DropoutSite& site);
  torch::Tensor embedNewest(const torch::Tensor& tokens_R, const Backpointers& backpointers);

  DheaConfig model_;
  std::shared_ptr<torch::nn::Module> encoder_, decoder_;
  WordTable sourceTable_, targetTable_;  // one table if all are shared
  std::vector<EncoderLayer> encoderLayers_;
  std::vector<std::shared_ptr<DecoderLayer>> decoderLayers_;
  std::optional<OutputLayer> output_;
  DropoutSite sourceSite_, targetSite_;
  PositionTable positions_;
};

ModelFamily family();

}  // namespace strata::dhea
