#include "models/densenmt/model.h"

#include "core/base/error.h"
#include "core/nn/levels.h"
#include "models/densenmt/readers.h"

namespace strata::densenmt {

using torch::Tensor;

DenseModel::DenseModel(const DenseConfig& config)
    : model_(config),
      encoder_(register_module("encoder", Encoder(config, dropout_))),
      decoder_(register_module("decoder", Decoder(config, encoder_->words(), dropout_))) {
  config_ = configJson(config);
}

std::unique_ptr<Memory> DenseModel::encode(const SourceBatch& source, Recorder* recorder) {
  return encoder_->forward(source, recorder);
}

Tensor DenseModel::decode(const Memory& memory, const Tensor& targetIn_BT, Recorder* recorder) {
  return decoder_->forward(dynamic_cast<const DenseMemory&>(memory), targetIn_BT, recorder);
}

Tensor DenseModel::project(const Tensor& features) {
  return decoder_->project(features);
}

TranslationModel::Projection DenseModel::projection() const {
  return decoder_->output();
}

std::unique_ptr<DecoderState> DenseModel::begin(const Memory& memory) {
  const torch::NoGradGuard frozen;
  return std::make_unique<DenseState>(dynamic_cast<const DenseMemory&>(memory), decoder_->plan());
}

Tensor DenseModel::step(DecoderState& state, const Tensor& tokens_R, Recorder* recorder) {
  const torch::NoGradGuard frozen;
  return logProbabilities(decoder_->step(dynamic_cast<DenseState&>(state), tokens_R, recorder));
}

void DenseModel::initialise(const std::string& scheme, std::uint64_t seed) {
  if (scheme != "default") {
    throw usageError("unknown training.init '{}' for family densenmt; expected default", scheme);
  }
  Initialiser random(seed);
  encoder_->initialise(random, dropout_->rates.dropout);
  decoder_->initialise(random, dropout_->rates.dropout);
}

std::vector<RecordingInfo> DenseModel::recordable() const {
  std::vector<RecordingInfo> infos;
  const std::size_t parts = attendedWidths(model_).size();
  for (std::size_t j = 0; j < parts; ++j) {
    infos.push_back(statesInfo("keys", j));
    infos.push_back(statesInfo("values", j));
  }
  for (std::size_t i = 0; i < encoder_->layers(); ++i) infos.push_back(blockInfo("encoder", i));
  for (std::size_t i = 0; i < decoder_->layers(); ++i) {
    for (std::size_t j = 0; j < parts; ++j) infos.push_back(attentionInfo(i, j));
    infos.push_back(blockInfo("decoder", i));
  }
  for (const auto& levels :
       {levelInfos("encoder", encoder_->layers()), levelInfos("decoder", decoder_->layers())})
    infos.insert(infos.end(), levels.begin(), levels.end());
  return infos;
}

Tensor DenseModel::outputOf(const DecoderLevels& levels, std::size_t level) const {
  return decoder_->outputOf(levels, level);
}

void DenseModel::scaleGradients() {
  if (model_.gradientScale != GradientScale::kParameters) return;
  encoder_->scaleGradients(1 / (2 * static_cast<double>(model_.decoder.layers)));
}

std::vector<Reader> DenseModel::readers() const {
  return blockReaders(*this, model_);
}

ModelFamily family() {
  return makeFamily<DenseModel, DenseConfig>();
}

}  // namespace strata::densenmt
