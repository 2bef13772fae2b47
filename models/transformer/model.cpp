#include "models/transformer/model.h"

#include <fmt/format.h>

#include <cmath>

#include "core/base/error.h"
#include "core/nn/levels.h"

namespace strata::transformer {
namespace {

using torch::Tensor;
using Kind = DropoutSite::Kind;

struct TransformerMemory : Memory {
  Tensor states_BSD;
  WordRows words;  // of the states, if they are without padding

  WordRows rows() const { return words.unpadded() ? words : WordRows(source); }
};

class TransformerState : public RowState {
 public:
  TransformerState(const TransformerMemory& memory, std::size_t layers)
      : RowState(memory.source.ids_BS.size(0)), sourceRows(memory.rows()), histories(layers) {}

  const WordRows sourceRows;
  std::vector<HistoryCache> histories;
  std::vector<Tensor> keysValues_BS2D;  // of the source, one per layer
};

const RecordingInfo kMemoryInfo{"encoder.memory", "states", "encoder", -1, {"source", "feature"}};

RecordingInfo attentionInfo(const char* side, std::size_t layer, const char* map,
                            std::vector<std::string> axes) {
  return {fmt::format("{}.layers.{}.{}", side, layer, map), "attention", side,
          static_cast<int>(layer), std::move(axes)};
}
RecordingInfo encoderAttentionInfo(std::size_t layer) {
  return attentionInfo("encoder", layer, "self_attn", {"head", "source", "source"});
}
RecordingInfo selfAttentionInfo(std::size_t layer) {
  return attentionInfo("decoder", layer, "self_attn", {"head", "target", "history"});
}
RecordingInfo sourceAttentionInfo(std::size_t layer) {
  return attentionInfo("decoder", layer, "encoder_attn", {"head", "target", "source"});
}

DecoderLayerImpl::Maps mapsOf(std::size_t layer, Recorder* recorder) {
  return {.self = published(recorder, [&] { return selfAttentionInfo(layer); }),
          .source = published(recorder, [&] { return sourceAttentionInfo(layer); })};
}

}  // namespace

TransformerModel::TransformerModel(const Shape& shape, const FusionMaker& makeFusion)
    : width_(shape.layer.width),
      encoder_(newPrefix(*this, "encoder")),
      decoder_(newPrefix(*this, "decoder")),
      sourceTable_(*encoder_, {shape.sourceVocabulary, width_}),
      targetTable_(*decoder_, {shape.targetVocabulary, width_},
                   shape.sharing.all ? sourceTable_.weight : Tensor{}),
      sourceSite_(dropout_, Kind::kFeatures),
      targetSite_(dropout_, Kind::kFeatures),
      positions_(width_) {
  encoderLayers_ = newStack(*encoder_, "layers", shape.encoderLayers,
                            [&](std::int64_t) { return EncoderLayer(shape.layer, dropout_); });
  encoderFusion_ = addFusion(*encoder_, "encoder", makeFusion);
  decoderLayers_ = newStack(*decoder_, "layers", shape.decoderLayers,
                            [&](std::int64_t) { return DecoderLayer(shape.layer, dropout_); });
  decoderFusion_ = addFusion(*decoder_, "decoder", makeFusion);
  // Departs from the paper: the output layer may have a bias, as in Eq. 2 of MLRF, and a matrix of
  // its own instead of the embedding table that section 3.4 shares with it.
  output_.emplace(*decoder_, shape.sharing.tiesOutput() ? targetTable_.weight : Tensor{},
                  OutputLayer::Shape{shape.targetVocabulary, width_, shape.outputBias});
}

std::shared_ptr<LevelFusion> TransformerModel::addFusion(torch::nn::Module& side,
                                                         const std::string& name,
                                                         const FusionMaker& makeFusion) {
  const auto fusion = makeFusion ? makeFusion(name, dropout_) : nullptr;
  return fusion ? side.register_module("fusion", fusion) : nullptr;
}

void TransformerModel::initialise(const std::string& scheme, std::uint64_t seed) {
  if (scheme != "default" && scheme != "iwslt" && scheme != "xavier")
    throw usageError(
        "unknown training.init '{}' for family transformer; expected default, iwslt or xavier",
        scheme);
  const bool xavier = scheme != "default";
  Initialiser random(seed);
  const double deviation = 1 / std::sqrt(static_cast<double>(width_));
  sourceTable_.initialise(random, deviation);
  targetTable_.initialise(random, deviation);
  for (EncoderLayer& layer : encoderLayers_) layer->initialise(random, xavier);
  for (DecoderLayer& layer : decoderLayers_) layer->initialise(random, xavier);
  for (const auto& fusion : {encoderFusion_, decoderFusion_}) {
    if (fusion) fusion->initialise(random, scheme == "xavier");
  }
  initialiseShared(random);
  if (output_->ownsMatrix())
    random.uniform(output_->weight, deviation);  // 1/sqrt(fan_in) = 1/sqrt(d)
  if (output_->bias.defined()) random.uniform(output_->bias, deviation);
}

// Dropout(sqrt(d_model) Emb(x) + PE) (sections 3.4, 3.5 and 5.4).
Tensor TransformerModel::embedSide(const WordTable& table, const Tensor& ids,
                                   const Tensor& positions, const DropoutSite& site) const {
  const auto scale = std::sqrt(static_cast<double>(width_));
  return embed(table.weight, ids, scale, positions, site.draw());
}

Tensor TransformerModel::embedRows(const WordTable& table, const Tensor& ids_BT,
                                   const WordRows& rows, const DropoutSite& site) {
  const Tensor positions_TD = positions_.rows(0, ids_BT.size(1), table.weight);
  return embedSide(table, rows.taken(ids_BT), rows.repeated(positions_TD), site);
}

bool TransformerModel::leavesOut(const Recorder* recorder) const {
  return recorder == nullptr && usesKernels(sourceTable_.weight);
}

// z = EncoderLayer_N(.. EncoderLayer_1(embedding)) (section 3.1).
std::unique_ptr<Memory> TransformerModel::encode(const SourceBatch& source, Recorder* recorder) {
  const PublishedLevel publish{recorder, "encoder"};
  const WordRows rows =
      leavesOut(recorder) ? rowsWithoutPadding(source.ids_BS, source.lengths_B) : source;
  dropout_->numbers_N = rows.places_N;
  Tensor x_BSD = publish.pass(0, embedRows(sourceTable_, source.ids_BS, rows, sourceSite_));
  std::vector<Tensor> levels{x_BSD};
  for (std::size_t l = 0; l < encoderLayers_.size(); ++l) {
    x_BSD = encoderLayers_[l]->forward(
        x_BSD, rows, published(recorder, [l] { return encoderAttentionInfo(l); }));
    x_BSD = publish.pass(l + 1, x_BSD);
    if (encoderFusion_) levels.push_back(x_BSD);
  }
  if (encoderFusion_) x_BSD = publish.passFused(encoderFusion_->forward(levels, recorder));
  if (recorder != nullptr) x_BSD = recorder->publish(kMemoryInfo, x_BSD);
  auto memory = std::make_unique<TransformerMemory>();
  memory->source = source;
  memory->states_BSD = x_BSD;
  memory->words = rows;
  return memory;
}

// DecoderLayer_N(.. DecoderLayer_1(embedding, z), z) (section 3.1).
Tensor TransformerModel::decode(const Memory& memory, const Tensor& targetIn_BT,
                                Recorder* recorder) {
  const auto& own = dynamic_cast<const TransformerMemory&>(memory);
  const PublishedLevel publish{recorder};
  const bool unpadded = leavesOut(recorder);
  const WordRows rows = unpadded ? rowsWithoutPadding(targetIn_BT) : WordRows{};
  dropout_->numbers_N = rows.places_N;
  // Maps have an axis of positions.
  const WordRows sourceRows = unpadded ? own.rows() : own.source;
  const Tensor states_BSD = unpadded ? own.states_BSD : own.words.spread(own.states_BSD);
  Tensor x_BTD = publish.pass(0, embedRows(targetTable_, targetIn_BT, rows, targetSite_));
  std::vector<Tensor> levels{x_BTD};
  for (std::size_t l = 0; l < decoderLayers_.size(); ++l) {
    x_BTD = decoderLayers_[l]->forward(x_BTD, states_BSD, {rows, sourceRows}, mapsOf(l, recorder));
    x_BTD = publish.pass(l + 1, x_BTD);
    if (decoderFusion_) levels.push_back(x_BTD);
  }
  if (decoderFusion_) x_BTD = publish.passFused(decoderFusion_->forward(levels, recorder));
  return rows.spread(x_BTD);
}

std::unique_ptr<DecoderState> TransformerModel::begin(const Memory& memory) {
  const torch::NoGradGuard frozen;
  const auto& own = dynamic_cast<const TransformerMemory&>(memory);
  auto state = std::make_unique<TransformerState>(own, decoderLayers_.size());
  for (const DecoderLayer& layer : decoderLayers_)
    state->keysValues_BS2D.push_back(layer->keysValues(own.states_BSD).contiguous());
  return state;
}

// decode() for the newest position: the layers keep the keys and values of the earlier ones.
Tensor TransformerModel::step(DecoderState& state, const Tensor& tokens_R, Recorder* recorder) {
  const torch::NoGradGuard frozen;
  auto& own = dynamic_cast<TransformerState&>(state);
  own.backpointers.advance();
  dropout_->numbers_N.reset();
  const PublishedLevel publish{recorder};
  const Tensor newest_N = own.backpointers.newest(tokens_R.device());  // of all rows, or each
  const Tensor positions_ND =
      positions_.at(newest_N, own.backpointers.steps(), targetTable_.weight);
  Tensor x_RD = publish.pass(
      0, embedSide(targetTable_, tokens_R.view({-1, newest_N.size(0)}), positions_ND, targetSite_)
             .flatten(0, 1));
  std::vector<Tensor> levels{x_RD};
  for (std::size_t l = 0; l < decoderLayers_.size(); ++l) {
    x_RD = decoderLayers_[l]->step(
        x_RD, {own.backpointers, own.sourceRows, own.keysValues_BS2D[l], own.histories[l]},
        mapsOf(l, recorder));
    x_RD = publish.pass(l + 1, x_RD);
    if (decoderFusion_) levels.push_back(x_RD);
  }
  if (decoderFusion_) {
    if (recorder != nullptr) {  // recordings have an axis of positions
      for (Tensor& level : levels) level = level.unsqueeze(1);
    }
    x_RD = publish.passFused(decoderFusion_->forward(levels, recorder));
    if (recorder != nullptr) x_RD = x_RD.squeeze(1);
  }
  return logProbabilities(x_RD);
}

std::vector<RecordingInfo> TransformerModel::recordable() const {
  std::vector<RecordingInfo> infos;
  const auto add = [&](const RecordingInfo& map) {
    infos.push_back(map);
    infos.push_back(headsInfo(map));
  };
  for (std::size_t l = 0; l < encoderLayers_.size(); ++l) add(encoderAttentionInfo(l));
  for (std::size_t l = 0; l < decoderLayers_.size(); ++l) {
    add(selfAttentionInfo(l));
    add(sourceAttentionInfo(l));
  }
  infos.push_back(kMemoryInfo);
  const auto addLevels = [&](const char* side, std::size_t layers, const auto& fusion) {
    const auto levels = levelInfos(side, layers);
    infos.insert(infos.end(), levels.begin(), levels.end());
    if (!fusion) return;
    const auto own = fusion->recordable();
    infos.insert(infos.end(), own.begin(), own.end());
    infos.push_back(fusedInfo(side));
  };
  addLevels("encoder", encoderLayers_.size(), encoderFusion_);
  addLevels("decoder", decoderLayers_.size(), decoderFusion_);
  return infos;
}

}  // namespace strata::transformer
