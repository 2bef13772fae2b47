#include "models/mlrf/model.h"

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
      layerEmbedding_(layerEmbedding) {
  config_ = configJson(config);
  if (layerEmbedding_)
    newPrefix(*this, "fusion")->register_module("layer_embedding", layerEmbedding);
}

void MlrfModel::initialiseShared(Initialiser& random) {
  if (layerEmbedding_) random.uniform(layerEmbedding_->weight, 0.1);
}

ModelFamily family() {
  return makeFamily<MlrfModel, MlrfConfig>();
}

}  // namespace strata::mlrf
