// The family `transformer`: the base model of Wang et al., COLING 2018, with the fusion of its
// layers on the encoder, the decoder or both (models.md 4).
#pragma once
#include <torch/torch.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/nn/model_family.h"
#include "core/nn/translation_model.h"
#include "models/mlrf/fusion.h"
#include "models/mlrf/transformer_layers.h"

namespace strata::mlrf {

class MlrfModel : public TranslationModel {
 public:
  explicit MlrfModel(const MlrfConfig& config);

  std::unique_ptr<Memory> encode(const SourceBatch& source, Recorder* recorder) override;
  torch::Tensor decode(const Memory& memory, const torch::Tensor& targetIn_BT,
                       Recorder* recorder) override;
  torch::Tensor project(const torch::Tensor& features) override;
  Projection projection() const override { return {output_->weight, output_->bias}; }
  std::unique_ptr<DecoderState> begin(const Memory& memory) override;
  torch::Tensor step(DecoderState& state, const torch::Tensor& tokens_R,
                     Recorder* recorder) override;

  void initialise(const std::string& scheme, std::uint64_t seed) override;
  std::vector<RecordingInfo> recordable() const override;

 private:
  // Parameters under the names of one side; only a container.
  struct Side : torch::nn::Module {};

  void buildEncoder();
  void buildDecoder();
  torch::Tensor fuse(Fusion& fusion, const std::vector<torch::Tensor>& stack,
                     const std::string& side, Recorder* recorder);
  DecoderLayerImpl::Maps mapsOf(std::size_t layer, Recorder* recorder) const;
  torch::Tensor embedSide(const torch::Tensor& table, const torch::Tensor& ids, std::int64_t first,
                          const DropoutSite& site);

  MlrfConfig model_;
  std::shared_ptr<Side> encoder_, decoder_, shared_;
  torch::Tensor sourceTable_, targetTable_, layerEmbedding_;  // aliases of parameters
  std::optional<OutputLayer> output_;
  std::vector<EncoderLayer> encoderLayers_;
  std::vector<DecoderLayer> decoderLayers_;
  Fusion encoderFusion_{nullptr}, decoderFusion_{nullptr};
  DropoutSite sourceSite_, targetSite_;
  PositionTable positions_;
};

ModelFamily family();

}  // namespace strata::mlrf
