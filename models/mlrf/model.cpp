#include "models/mlrf/model.h"

#include <fmt/format.h>

namespace strata::mlrf {
namespace {

transformer::Shape shapeOf(const MlrfConfig& config) {
  return {.sourceVocabulary = config.sourceVocabulary,
          .targetVocabulary = config.targetVocabulary,
          .encoderLayers = config.encoderLayers,
          .decoderLayers = config.decoderLayers,
          .layer = {config.embedDim, config.ffnDim, config.heads},
          .outputBias = config.outputBias,
          .sharing = config.sharing};
}

Embedding layerEmbeddingOf(const MlrfConfig& config) {
  const std::int64_t rows = config.layerEmbeddingRows();
  return rows > 0 ? Embedding(rows, config.embedDim) : Embedding(nullptr);
}

transformer::FusionMaker fusionsOf(const MlrfConfig& config, const Embedding& layerEmbedding) {
  return [=](const std::string& side, const std::shared_ptr<DropoutState>& dropout) {
    const bool encoder = side == "encoder";
    const FusionSizes sizes{encoder ? config.encoderLayers : config.decoderLayers, config.embedDim,
                            config.fusionAttnDim, config.fusionFfnDim, config.fusionBias};
    return makeFusion(encoder ? config.encoderFusion : config.decoderFusion, sizes,
                      {side, layerEmbedding ? layerEmbedding->weight : torch::Tensor{}, dropout});
  };
}

}  // namespace

MlrfModel::MlrfModel(const MlrfConfig& config) : MlrfModel(config, layerEmbeddingOf(config)) {}

MlrfModel::MlrfModel(const MlrfConfig& config, const Embedding& layerEmbedding)
    : TransformerModel(shapeOf(config), fusionsOf(config, layerEmbedding)),
      model_(config),
      layerEmbedding_(layerEmbedding) {
  config_ = configJson(config);
  if (layerEmbedding_)
    newPrefix(*this, "fusion")->register_module("layer_embedding", layerEmbedding);
}

void MlrfModel::initialiseShared(Initialiser& random) {
  if (layerEmbedding_) random.uniform(layerEmbedding_->weight, 0.1);
}

std::vector<Reader> MlrfModel::readers() const {
  const EffectiveWeights weights(*this);
  std::vector<Reader> readers;
  for (const bool encoder : {true, false}) {
    const FusionConfig& fusion = encoder ? model_.encoderFusion : model_.decoderFusion;
    const std::string side = encoder ? "encoder" : "decoder", network = side + ".fusion.fc1";
    if (!weights.has(network)) continue;
    const bool hops = fusion.type == FusionType::kSelfAttention;
    Reader reader{.map = side,
                  .name = "fusion",
                  .parameters = network,
                  .side = side,
                  .bias_O = weights.bias_O(network)};
    const auto columns = weights.weight_KOI(network).split(model_.embedDim, 2);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::size_t level = i + (fusion.includeEmbedding ? 0 : 1);
      const std::string name = hops         ? fmt::format("hop {}", i + 1)
                               : level == 0 ? std::string("embedding")
                                            : fmt::format("layer {}", level);
      reader.blocks.push_back({name, side + (hops ? ".fusion.hops" : ".fusion.levels"),
                               static_cast<std::int64_t>(i) * model_.embedDim, columns[i]});
    }
    readers.push_back(std::move(reader));
  }
  return readers;
}

ModelFamily family() {
  return makeFamily<MlrfModel, MlrfConfig>();
}

}  // namespace strata::mlrf
