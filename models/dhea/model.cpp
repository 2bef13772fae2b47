#include "models/dhea/model.h"

#include <cmath>

#include "core/base/error.h"
#include "core/nn/levels.h"
#include "core/nn/word_rows.h"

namespace strata::dhea {
namespace {

using torch::Tensor;
using Kind = DropoutSite::Kind;

const RecordingInfo kMemoryInfo{"encoder.memory", "states", "encoder", -1, {"source", "feature"}};

struct DheaMemory : Memory {
  Tensor states_BSD;
};

class DheaState : public RowState {
 public:
  DheaState(const DheaMemory& memory, std::size_t layers)
      : RowState(memory.states_BSD.size(0)), memory(memory), histories(layers) {
    const Tensor zeros =
        torch::zeros({rows(), memory.states_BSD.size(2)}, memory.states_BSD.options());
    cells.resize(layers, {zeros, zeros});
  }

  const DheaMemory& memory;
  // One of each per layer: K' and V' of all s^{l-1} so far, the LSTM's state, and K and V of the
  // source.
  std::vector<HistoryCache> histories;
  std::vector<CellState> cells;
  std::vector<Tensor> keysValues_BS2D;

 protected:
  std::vector<RowTensor> rowTensors() override { return rowTensorsOf(cells); }
};

}  // namespace

DheaModel::DheaModel(const DheaConfig& config)
    : model_(config),
      encoder_(newPrefix(*this, "encoder")),
      decoder_(newPrefix(*this, "decoder")),
      sourceTable_(*encoder_, {config.sourceVocabulary, config.hidden}),
      targetTable_(*decoder_, {config.targetVocabulary, config.hidden},
                   config.sharing.all ? sourceTable_.weight : Tensor{}),
      sourceSite_(dropout_, Kind::kFeatures),
      targetSite_(dropout_, Kind::kFeatures),
      positions_(config.hidden) {
  config_ = configJson(config);
  encoderLayers_ = newStack(*encoder_, "layers", config.encoderLayers,
                            [&](std::int64_t l) { return EncoderLayer(config, l, dropout_); });
  decoderLayers_ = newStack(*decoder_, "layers", config.decoderLayers, [&](std::int64_t l) {
    return DecoderLayer::make(config, l, dropout_);
  });
  output_.emplace(*decoder_, config.sharing.tiesOutput() ? targetTable_.weight : Tensor{},
                  OutputLayer::Shape{config.targetVocabulary, config.hidden, false});
}

void DheaModel::initialise(const std::string& scheme, std::uint64_t seed) {
  if (scheme != "default" && scheme != "xavier")
    throw usageError("unknown training.init '{}' for family dhea; expected default or xavier",
                     scheme);
  const bool stable = scheme == "xavier";
  Initialiser random(seed);
  const double width = stable ? 1 / std::sqrt(static_cast<double>(model_.hidden)) : kDeviation;
  sourceTable_.initialise(random, width);
  targetTable_.initialise(random, width);
  for (EncoderLayer& layer : encoderLayers_) layer->initialise(random, stable);
  for (const auto& layer : decoderLayers_) layer->initialise(random, stable);
  if (!output_->ownsMatrix()) return;
  stable ? random.xavier(output_->weight, 1) : random.normal(output_->weight, kDeviation);
}

// Level 1 of Eqs. 2 and 3, our level 0: the embedding, with dropout. Departs from the paper:
// `positional_encoding` may add sinusoids, because the first layer's attention over the history
// knows no order of words otherwise.
Tensor DheaModel::embedSide(const WordTable& table, const Tensor& ids_BT, const DropoutSite& site) {
  Tensor positions_TD;
  if (model_.positionalEncoding) positions_TD = positions_.rows(0, ids_BT.size(1), table.weight);
  return embed(table.weight, ids_BT, /*scale=*/1, positions_TD, site.draw());
}

// The same [R, 1, D] for the newest words of a search.
Tensor DheaModel::embedNewest(const Tensor& tokens_R, const Backpointers& backpointers) {
  if (!model_.positionalEncoding)
    return embed(targetTable_.weight, tokens_R.unsqueeze(1), /*scale=*/1, {}, targetSite_.draw());
  const Tensor newest_N = backpointers.newest(tokens_R.device());  // of all rows, or each
  return embed(targetTable_.weight, tokens_R.view({-1, newest_N.size(0)}), /*scale=*/1,
               positions_.at(newest_N, backpointers.steps(), targetTable_.weight),
               targetSite_.draw())
      .view({tokens_R.size(0), 1, model_.hidden});
}

// M^s: the last level of the encoder (section 2).
std::unique_ptr<Memory> DheaModel::encode(const SourceBatch& source, Recorder* recorder) {
  const PublishedLevel publish{recorder, "encoder", /*timeMajor=*/true};
  Tensor h_TBD =
      publish.pass(0, embedSide(sourceTable_, source.ids_BS, sourceSite_).transpose(0, 1));
  for (std::size_t l = 0; l < encoderLayers_.size(); ++l) {
    h_TBD = publish.pass(l + 1, encoderLayers_[l]->forward(h_TBD, source.lengthsIfPadded()));
  }
  auto memory = std::make_unique<DheaMemory>();
  memory->source = source;
  memory->states_BSD = h_TBD.transpose(0, 1).contiguous();
  if (recorder != nullptr) memory->states_BSD = recorder->publish(kMemoryInfo, memory->states_BSD);
  return memory;
}

Tensor DheaModel::decode(const Memory& memory, const Tensor& targetIn_BT, Recorder* recorder) {
  const auto& own = dynamic_cast<const DheaMemory&>(memory);
  const PublishedLevel publish{recorder};
  const Tensor lengths_B = lengthsToTake(targetIn_BT, recorder);
  Tensor s_BTD = publish.pass(0, embedSide(targetTable_, targetIn_BT, targetSite_));
  for (std::size_t l = 0; l < decoderLayers_.size(); ++l) {
    const auto& layer = decoderLayers_[l];
    s_BTD =
        layer->forward(s_BTD, {layer->keysValues(own.states_BSD), own.source}, lengths_B, recorder);
    s_BTD = publish.pass(l + 1, s_BTD);
  }
  return s_BTD;
}

std::unique_ptr<DecoderState> DheaModel::begin(const Memory& memory) {
  const torch::NoGradGuard frozen;
  const auto& own = dynamic_cast<const DheaMemory&>(memory);
  auto state = std::make_unique<DheaState>(own, decoderLayers_.size());
  for (const auto& layer : decoderLayers_)
    state->keysValues_BS2D.push_back(layer->keysValues(own.states_BSD));
  return state;
}

Tensor DheaModel::step(DecoderState& state, const Tensor& tokens_R, Recorder* recorder) {
  const torch::NoGradGuard frozen;
  auto& own = dynamic_cast<DheaState&>(state);
  own.backpointers.advance();
  const PublishedLevel publish{recorder};
  Tensor s_R1D = publish.pass(0, embedNewest(tokens_R, own.backpointers));
  for (std::size_t l = 0; l < decoderLayers_.size(); ++l) {
    s_R1D = decoderLayers_[l]->step(s_R1D,
                                    {own.backpointers,
                                     {own.keysValues_BS2D[l], own.memory.source},
                                     own.histories[l],
                                     own.cells[l]},
                                    recorder);
    s_R1D = publish.pass(l + 1, s_R1D);
  }
  return logProbabilities(s_R1D.squeeze(1));
}

std::vector<RecordingInfo> DheaModel::recordable() const {
  std::vector<RecordingInfo> infos{kMemoryInfo};
  for (const auto& layer : decoderLayers_) {
    const auto own = layer->recordable();
    infos.insert(infos.end(), own.begin(), own.end());
  }
  for (const auto& levels :
       {levelInfos("encoder", encoderLayers_.size()), levelInfos("decoder", decoderLayers_.size())})
    infos.insert(infos.end(), levels.begin(), levels.end());
  return infos;
}

ModelFamily family() {
  return makeFamily<DheaModel, DheaConfig>();
}

}  // namespace strata::dhea
