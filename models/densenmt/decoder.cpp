#include "models/densenmt/decoder.h"

#include "core/base/error.h"
#include "core/nn/levels.h"
#include "models/densenmt/encoder.h"
#include "models/densenmt/readers.h"

namespace strata::densenmt {

using torch::Tensor;

RecordingInfo attentionInfo(std::size_t layer, std::size_t part) {
  return {fmt::format("decoder.layers.{}.attn.{}", layer, part),
          "attention",
          "decoder",
          static_cast<int>(layer),
          {"target", "source"}};
}

DenseState::DenseState(const DenseMemory& memory, const StackPlan& plan)
    : RowState(memory.factor_B11.size(0), EarlierWords::kNotRead),
      memory(memory),
      factor_R1(memory.factor_B11.squeeze(2)),
      past_RI(plan.layers.size()) {
  const SummedMemory& parts = memory.parts_BSE;
  for (std::size_t j = 0; j < parts.keys_BSD.size(); ++j)
    keysValues_BS2E.push_back(torch::cat({parts.keys_BSD[j], parts.values(j)}, 2));
}

std::vector<RowTensor> DenseState::rowTensors() {
  std::vector<RowTensor> tensors{{factor_R1, memory.factor_B11.squeeze(2)}};
  for (auto& inputs_RI : past_RI) {
    for (Tensor& input_RI : inputs_RI) tensors.push_back({input_RI, {}});
  }
  return tensors;
}

DecoderImpl::DecoderImpl(const DenseConfig& config, const WordTable& sourceWords,
                         const DropoutPointer& dropout)
    : plan_(decoderPlan(config)),
      parts_(attendedWidths(config).size()),
      embedding_(*this, config, config.targetVocabulary,
                 config.sharing.all ? sourceWords.weight : Tensor{}, dropout),
      outputSite_(dropout, DropoutSite::Kind::kFeatures) {
  if (plan_.projectsInput)
    in_ = register_module("in_proj", WeightNorm(config.embedDim, plan_.inputWidth));
  layers_ = newStack(*this, "layers", std::ssize(plan_.layers), [&](std::int64_t i) {
    return DecoderLayer(plan_.layers[i], config, dropout);
  });
  bottleneck_ = register_module("bottleneck", WeightNorm(plan_.outputWidth, config.outEmbedDim));
  if (config.sharing.tiesOutput()) {
    tied_.emplace(*this, embedding_.words().weight,
                  OutputLayer::Shape{config.targetVocabulary, config.outEmbedDim, true});
  } else {
    output_ = register_module("output_projection",
                              WeightNorm(config.outEmbedDim, config.targetVocabulary));
  }
}

void DecoderImpl::initialise(Initialiser& random, double dropout) {
  embedding_.initialise(random, dropout);
  if (in_) drawWeights(in_, random, dropout);
  for (DecoderLayer& layer : layers_) layer->initialise(random, dropout);
  drawWeights(bottleneck_, random, 0);
  if (output_) {
    drawWeights(output_, random, dropout);
  } else {
    const torch::NoGradGuard frozen;
    tied_->bias.zero_();
  }
}

Tensor DecoderImpl::project(const Tensor& features) const {
  return output_ ? linear({features}, output_) : tied_->forward(features);
}

TranslationModel::Projection DecoderImpl::output() const {
  if (output_) return {output_->weight(), output_->bias};
  return {tied_->weight, tied_->bias};
}

DecoderLayerImpl::Maps DecoderImpl::mapsOf(std::size_t layer, Recorder* recorder) const {
  DecoderLayerImpl::Maps maps{std::vector<Published>(parts_), {}, {recorder}, layer + 1};
  if (recorder == nullptr) return maps;
  for (std::size_t j = 0; j < parts_; ++j) maps.attention[j] = {recorder, attentionInfo(layer, j)};
  maps.block = {recorder, blockInfo("decoder", layer)};
  return maps;
}

// The bottleneck reads the blocks since the last summary: it is linear, so that later blocks at
// their means leave what the earlier ones say. A later layer of a residual stack adds nothing.
Tensor DecoderImpl::outputOf(const TranslationModel::DecoderLevels& levels,
                             std::size_t level) const {
  const Tensor& own_BTW = levels.values_BTD[level];
  Parts y{levels.values_BTD.front()};
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const LayerPlan::Kind kind = plan_.layers[i].kind;
    const bool known = i < level;
    if (kind == LayerPlan::Kind::kDense) {
      y = layers_[i]->read(y, {});
      const Tensor& mean_W = levels.means_D[i + 1];
      y.push_back(known ? levels.values_BTD[i + 1]
                        : mean_W.to(own_BTW.options())
                              .expand({own_BTW.size(0), own_BTW.size(1), mean_W.size(0)}));
    } else if (known) {
      y = {levels.values_BTD[i + 1]};
    } else if (kind == LayerPlan::Kind::kSummary) {
      return {};
    }
  }
  return widthOf(y) == plan_.outputWidth ? linear(y, bottleneck_) : Tensor{};
}

// z0: Linear(temb), or temb itself.
Parts DecoderImpl::first(const Tensor& temb, Recorder* recorder) const {
  return {PublishedLevel{recorder}.pass(0, in_ ? linear({temb}, in_) : temb)};
}

Tensor DecoderImpl::forward(const DenseMemory& memory, const Tensor& ids_BT, Recorder* recorder) {
  const Tensor temb_BTE = embedding_.forward(ids_BT);
  Parts y = first(temb_BTE, recorder);
  for (std::size_t i = 0; i < layers_.size(); ++i)
    y = layers_[i]->forward(y, temb_BTE, memory, mapsOf(i, recorder));
  // Section 3.1: a linear transformation of the concatenation of all layers since the last summary.
  return applyDropout(linear(y, bottleneck_), outputSite_.draw());
}

Tensor DecoderImpl::step(DenseState& state, const Tensor& ids_R, Recorder* recorder) {
  state.backpointers.advance();
  const Tensor temb_RE = embedding_.newest(ids_R, state.backpointers);
  Parts y = first(temb_RE, recorder);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    y = layers_[i]->step(y, temb_RE,
                         {state.memory, state.keysValues_BS2E, state.backpointers, state.factor_R1,
                          state.past_RI[i]},
                         mapsOf(i, recorder));
  }
  return linear(y, bottleneck_);
}

}  // namespace strata::densenmt
