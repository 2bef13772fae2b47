#include "models/mlrf/model.h"

#include <cmath>

#include "core/base/error.h"

namespace strata::mlrf {
namespace {

using torch::Tensor;
using Kind = DropoutSite::Kind;

struct MlrfMemory : Memory {
  Tensor states_BSD;
};

class MlrfState : public DecoderState {
 public:
  explicit MlrfState(const MlrfMemory& memory, std::size_t layers)
      : memory(memory), backpointers(memory.states_BSD.size(0)), histories(layers) {}

  void reorder(const Tensor& rows) override {
    const Tensor host = rows.to(torch::kCPU, torch::kInt64).contiguous();
    const auto* first = host.data_ptr<std::int64_t>();
    backpointers.reorder({first, first + host.numel()});
  }
  std::int64_t rows() const override { return backpointers.rows(); }

  const MlrfMemory& memory;
  Backpointers backpointers;
  std::vector<HistoryCache> histories;
  std::vector<Tensor> keysValues_BS2D;  // of the source, one per layer
};

// What a fusion publishes.
RecordingInfo fusionInfo(const std::string& side, const char* name, const char* kind,
                         std::vector<std::string> axes) {
  axes.insert(axes.begin(), side == "encoder" ? "source" : "target");
  return {side + ".fusion." + name, kind, side, -1, std::move(axes)};
}
RecordingInfo hopWeightsInfo(const std::string& side) {
  return fusionInfo(side, "hop_weights", "hop_weights", {"hop", "level"});
}
RecordingInfo levelNormsInfo(const std::string& side) {
  return fusionInfo(side, "level_norms", "level_norms", {"level"});
}
RecordingInfo levelsInfo(const std::string& side) {
  return fusionInfo(side, "levels", "block", {"level", "feature"});
}
RecordingInfo hopsInfo(const std::string& side) {
  return fusionInfo(side, "hops", "block", {"hop", "feature"});
}
const RecordingInfo kMemoryInfo{"encoder.memory", "states", "encoder", -1, {"source", "feature"}};

RecordingInfo attentionInfo(const char* side, std::size_t layer, const char* map,
                            std::vector<std::string> axes) {
  return {fmt::format("{}.layers.{}.{}", side, layer, map), "attention", side,
          static_cast<int>(layer), std::move(axes)};
}
RecordingInfo selfAttentionInfo(std::size_t layer) {
  return attentionInfo("decoder", layer, "self_attn", {"head", "target", "history"});
}
RecordingInfo sourceAttentionInfo(std::size_t layer) {
  return attentionInfo("decoder", layer, "encoder_attn", {"head", "target", "source"});
}

}  // namespace

MlrfModel::MlrfModel(const MlrfConfig& config)
    : model_(config),
      encoder_(register_module("encoder", std::make_shared<Side>())),
      decoder_(register_module("decoder", std::make_shared<Side>())),
      sourceSite_(dropout_, Kind::kFeatures),
      targetSite_(dropout_, Kind::kFeatures),
      positions_(config.embedDim) {
  config_ = config.json();
  buildEncoder();
  buildDecoder();
  if (config.layerEmbeddingRows() > 0) {
    shared_ = register_module("fusion", std::make_shared<Side>());
    layerEmbedding_ = shared_
                          ->register_module("layer_embedding",
                                            Embedding(config.layerEmbeddingRows(), config.embedDim))
                          ->weight;
  }
}

void MlrfModel::buildEncoder() {
  sourceTable_ =
      encoder_->register_module("embed_tokens", Embedding(model_.sourceVocabulary, model_.embedDim))
          ->weight;
  const auto layers = encoder_->register_module("layers", torch::nn::ModuleList());
  for (std::int64_t l = 0; l < model_.encoderLayers; ++l) {
    encoderLayers_.emplace_back(model_, dropout_);
    layers->push_back(encoderLayers_.back());
  }
  if (!model_.encoderFusion.on()) return;
  const FusionSizes sizes{model_.encoderLayers, model_.embedDim, model_.fusionAttnDim,
                          model_.fusionFfnDim, model_.fusionBias};
  encoderFusion_ =
      encoder_->register_module("fusion", Fusion(model_.encoderFusion, sizes, dropout_));
}

void MlrfModel::buildDecoder() {
  targetTable_ = sourceTable_;
  if (!model_.sharing.all) {
    targetTable_ =
        decoder_
            ->register_module("embed_tokens", Embedding(model_.targetVocabulary, model_.embedDim))
            ->weight;
  }
  const auto layers = decoder_->register_module("layers", torch::nn::ModuleList());
  for (std::int64_t l = 0; l < model_.decoderLayers; ++l) {
    decoderLayers_.emplace_back(model_, dropout_);
    layers->push_back(decoderLayers_.back());
  }
  if (model_.decoderFusion.on()) {
    const FusionSizes sizes{model_.decoderLayers, model_.embedDim, model_.fusionAttnDim,
                            model_.fusionFfnDim, model_.fusionBias};
    decoderFusion_ =
        decoder_->register_module("fusion", Fusion(model_.decoderFusion, sizes, dropout_));
  }
  output_.emplace(*decoder_, model_.sharing.tiesOutput() ? targetTable_ : Tensor{},
                  OutputLayer::Shape{model_.targetVocabulary, model_.embedDim, model_.outputBias});
}

void MlrfModel::initialise(const std::string& scheme, std::uint64_t seed) {
  if (scheme != "default" && scheme != "iwslt")
    throw usageError("unknown training.init '{}' for family transformer; expected default or iwslt",
                     scheme);
  const bool xavier = scheme == "iwslt";
  Initialiser random(seed);
  const double deviation = 1 / std::sqrt(static_cast<double>(model_.embedDim));
  random.normal(sourceTable_, deviation);
  if (!model_.sharing.all) random.normal(targetTable_, deviation);
  for (EncoderLayer& layer : encoderLayers_) layer->initialise(random, xavier);
  for (DecoderLayer& layer : decoderLayers_) layer->initialise(random, xavier);
  if (encoderFusion_) encoderFusion_->initialise(random);
  if (decoderFusion_) decoderFusion_->initialise(random);
  if (layerEmbedding_.defined()) random.uniform(layerEmbedding_, 0.1);
  if (output_->ownsMatrix())
    random.uniform(output_->weight, deviation);  // 1/sqrt(fan_in) = 1/sqrt(d)
  if (output_->bias.defined()) random.uniform(output_->bias, deviation);
}

Tensor MlrfModel::embedSide(const Tensor& table, const Tensor& ids, std::int64_t first,
                            const DropoutSite& site) {
  const auto scale = std::sqrt(static_cast<double>(model_.embedDim));
  return embed(table, ids, scale, positions_.rows(first, ids.size(1), table), site.draw());
}

Tensor MlrfModel::fuse(Fusion& fusion, const std::vector<Tensor>& stack, const std::string& side,
                       Recorder* recorder) {
  if (recorder == nullptr) return fusion->forward(stack, layerEmbedding_, {});
  return fusion->forward(stack, layerEmbedding_,
                         {.levels = {recorder, levelsInfo(side)},
                          .norms = {recorder, levelNormsInfo(side)},
                          .weights = {recorder, hopWeightsInfo(side)},
                          .hops = {recorder, hopsInfo(side)}});
}

std::unique_ptr<Memory> MlrfModel::encode(const SourceBatch& source, Recorder* recorder) {
  Tensor x_BSD = embedSide(sourceTable_, source.ids_BS, 0, sourceSite_);
  std::vector<Tensor> stack{x_BSD};
  for (std::size_t l = 0; l < encoderLayers_.size(); ++l) {
    Published map;
    if (recorder != nullptr)
      map = {recorder, attentionInfo("encoder", l, "self_attn", {"head", "source", "source"})};
    x_BSD = encoderLayers_[l]->forward(x_BSD, source, map);
    if (encoderFusion_) stack.push_back(x_BSD);
  }
  if (encoderFusion_) x_BSD = fuse(encoderFusion_, stack, "encoder", recorder);
  if (recorder != nullptr) x_BSD = recorder->publish(kMemoryInfo, x_BSD);
  auto memory = std::make_unique<MlrfMemory>();
  memory->source = source;
  memory->states_BSD = x_BSD;
  return memory;
}

DecoderLayerImpl::Maps MlrfModel::mapsOf(std::size_t layer, Recorder* recorder) const {
  DecoderLayerImpl::Maps maps;
  if (recorder == nullptr) return maps;
  maps.self = {recorder, selfAttentionInfo(layer)};
  maps.source = {recorder, sourceAttentionInfo(layer)};
  return maps;
}

Tensor MlrfModel::decode(const Memory& memory, const Tensor& targetIn_BT, Recorder* recorder) {
  const auto& own = dynamic_cast<const MlrfMemory&>(memory);
  Tensor x_BTD = embedSide(targetTable_, targetIn_BT, 0, targetSite_);
  std::vector<Tensor> stack{x_BTD};
  for (std::size_t l = 0; l < decoderLayers_.size(); ++l) {
    x_BTD = decoderLayers_[l]->forward(x_BTD, own.states_BSD, own.source, mapsOf(l, recorder));
    if (decoderFusion_) stack.push_back(x_BTD);
  }
  return decoderFusion_ ? fuse(decoderFusion_, stack, "decoder", recorder) : x_BTD;
}

Tensor MlrfModel::project(const Tensor& features) {
  return output_->forward(features);
}

std::unique_ptr<DecoderState> MlrfModel::begin(const Memory& memory) {
  const torch::NoGradGuard frozen;
  const auto& own = dynamic_cast<const MlrfMemory&>(memory);
  auto state = std::make_unique<MlrfState>(own, decoderLayers_.size());
  for (const DecoderLayer& layer : decoderLayers_)
    state->keysValues_BS2D.push_back(layer->keysValues(own.states_BSD).contiguous());
  return state;
}

Tensor MlrfModel::step(DecoderState& state, const Tensor& tokens_R, Recorder* recorder) {
  const torch::NoGradGuard frozen;
  auto& own = dynamic_cast<MlrfState&>(state);
  own.backpointers.advance();
  const auto table = own.backpointers.table();
  Tensor x_RD =
      embedSide(targetTable_, tokens_R.unsqueeze(1), own.backpointers.steps() - 1, targetSite_)
          .squeeze(1);
  std::vector<Tensor> stack{x_RD};
  for (std::size_t l = 0; l < decoderLayers_.size(); ++l) {
    x_RD = decoderLayers_[l]->step(
        x_RD,
        {own.backpointers, table, own.memory.source, own.keysValues_BS2D[l], own.histories[l]},
        mapsOf(l, recorder));
    if (decoderFusion_) stack.push_back(x_RD);
  }
  if (decoderFusion_) {
    if (recorder != nullptr) {  // recordings have an axis of positions
      for (Tensor& level : stack) level = level.unsqueeze(1);
    }
    x_RD = fuse(decoderFusion_, stack, "decoder", recorder);
    if (recorder != nullptr) x_RD = x_RD.squeeze(1);
  }
  return logProbabilities(x_RD);
}

std::vector<RecordingInfo> MlrfModel::recordable() const {
  std::vector<RecordingInfo> infos;
  for (std::size_t l = 0; l < encoderLayers_.size(); ++l)
    infos.push_back(attentionInfo("encoder", l, "self_attn", {"head", "source", "source"}));
  for (std::size_t l = 0; l < decoderLayers_.size(); ++l) {
    infos.push_back(selfAttentionInfo(l));
    infos.push_back(sourceAttentionInfo(l));
  }
  infos.push_back(kMemoryInfo);
  const auto fusion = [&](const FusionConfig& config, const char* side) {
    const bool attends = config.type == FusionType::kSelfAttention;
    if (config.on()) infos.push_back(levelsInfo(side));
    if (attends || config.type == FusionType::kFeedForward) infos.push_back(levelNormsInfo(side));
    if (!attends) return;
    infos.push_back(hopWeightsInfo(side));
    infos.push_back(hopsInfo(side));
  };
  fusion(model_.encoderFusion, "encoder");
  fusion(model_.decoderFusion, "decoder");
  return infos;
}

ModelFamily family() {
  return makeFamily<MlrfModel, MlrfConfig>("transformer", modelKeys, completeModel);
}

}  // namespace strata::mlrf
