#include "models/dhea/model.h"

#include <cmath>

#include "core/base/error.h"
#include "core/nn/upload.h"

namespace strata::dhea {
namespace {

using torch::Tensor;
using Kind = DropoutSite::Kind;

const RecordingInfo kMemoryInfo{"encoder.memory", "states", "encoder", -1, {"source", "feature"}};

struct DheaMemory : Memory {
  Tensor states_BSD;
};

class DheaState : public DecoderState {
 public:
  DheaState(const DheaMemory& memory, std::size_t layers)
      : memory(memory), backpointers(memory.states_BSD.size(0)), layers(layers) {
    const Tensor zeros =
        torch::zeros({rows(), memory.states_BSD.size(2)}, memory.states_BSD.options());
    for (LayerState& layer : this->layers) layer.lstm = {zeros, zeros};
  }

  void reorder(const Tensor& rows) override {
    const Tensor host = rows.to(torch::kCPU, torch::kInt64).contiguous();
    const auto* first = host.data_ptr<std::int64_t>();
    backpointers.reorder({first, first + host.numel()});
    const Tensor chosen = uploaded(host, memory.states_BSD.device());
    for (LayerState& layer : layers) {
      layer.lstm = {layer.lstm.hidden_RH.index_select(0, chosen),
                    layer.lstm.cell_RH.index_select(0, chosen)};
    }
  }
  std::int64_t rows() const override { return backpointers.rows(); }

  const DheaMemory& memory;
  Backpointers backpointers;
  std::vector<LayerState> layers;
  std::vector<Tensor> keysValues_BS2D;  // of the source, one per layer
};

}  // namespace

DheaModel::DheaModel(const DheaConfig& config)
    : model_(config),
      encoder_(register_module("encoder", std::make_shared<Side>())),
      decoder_(register_module("decoder", std::make_shared<Side>())),
      sourceTable_(encoder_->register_module("embed_tokens",
                                             Embedding(config.sourceVocabulary, config.hidden))),
      targetTable_(sourceTable_),
      sourceSite_(dropout_, Kind::kFeatures),
      targetSite_(dropout_, Kind::kFeatures),
      positions_(config.hidden) {
  config_ = config.json();
  const auto encoderLayers = encoder_->register_module("layers", torch::nn::ModuleList());
  for (std::int64_t l = 0; l < config.encoderLayers; ++l) {
    encoderLayers_.emplace_back(config, l, dropout_);
    encoderLayers->push_back(encoderLayers_.back());
  }
  if (!config.sharing.all) {
    targetTable_ = decoder_->register_module("embed_tokens",
                                             Embedding(config.targetVocabulary, config.hidden));
  }
  const auto decoderLayers = decoder_->register_module("layers", torch::nn::ModuleList());
  for (std::int64_t l = 0; l < config.decoderLayers; ++l) {
    decoderLayers_.emplace_back(config, l, dropout_);
    decoderLayers->push_back(decoderLayers_.back());
  }
  output_.emplace(*decoder_, config.sharing.tiesOutput() ? targetTable_->weight : Tensor{},
                  OutputLayer::Shape{config.targetVocabulary, config.hidden, false});
}

void DheaModel::initialise(const std::string& scheme, std::uint64_t seed) {
  if (scheme != "default" && scheme != "xavier")
    throw usageError("unknown training.init '{}' for family dhea; expected default or xavier",
                     scheme);
  const bool stable = scheme == "xavier";
  Initialiser random(seed);
  const double width = stable ? 1 / std::sqrt(static_cast<double>(model_.hidden)) : kDeviation;
  random.normal(sourceTable_->weight, width);
  if (!model_.sharing.all) random.normal(targetTable_->weight, width);
  for (EncoderLayer& layer : encoderLayers_) layer->initialise(random, stable);
  for (DecoderLayer& layer : decoderLayers_) layer->initialise(random, stable);
  if (!output_->ownsMatrix()) return;
  stable ? random.xavier(output_->weight, 1) : random.normal(output_->weight, kDeviation);
}

Tensor DheaModel::embedSide(const Embedding& table, const Tensor& ids_BT, std::int64_t first,
                            const DropoutSite& site) {
  Tensor positions_TD;
  if (model_.positionalEncoding)
    positions_TD = positions_.rows(first, ids_BT.size(1), table->weight);
  return embed(table->weight, ids_BT, /*scale=*/1, positions_TD, site.draw());
}

std::unique_ptr<Memory> DheaModel::encode(const SourceBatch& source, Recorder* recorder) {
  const Tensor lengths_B = source.padding_BS.defined() ? source.lengths_B : Tensor{};
  Tensor h_TBD = embedSide(sourceTable_, source.ids_BS, 0, sourceSite_).transpose(0, 1);
  for (EncoderLayer& layer : encoderLayers_) h_TBD = layer->forward(h_TBD, lengths_B);
  auto memory = std::make_unique<DheaMemory>();
  memory->source = source;
  memory->states_BSD = h_TBD.transpose(0, 1).contiguous();
  if (recorder != nullptr) memory->states_BSD = recorder->publish(kMemoryInfo, memory->states_BSD);
  return memory;
}

Tensor DheaModel::decode(const Memory& memory, const Tensor& targetIn_BT, Recorder* recorder) {
  const auto& own = dynamic_cast<const DheaMemory&>(memory);
  Tensor s_BTD = embedSide(targetTable_, targetIn_BT, 0, targetSite_);
  for (DecoderLayer& layer : decoderLayers_)
    s_BTD = layer->forward(s_BTD, layer->keysValues(own.states_BSD), own.source, recorder);
  return s_BTD;
}

Tensor DheaModel::project(const Tensor& features) {
  return output_->forward(features);
}

std::unique_ptr<DecoderState> DheaModel::begin(const Memory& memory) {
  const torch::NoGradGuard frozen;
  const auto& own = dynamic_cast<const DheaMemory&>(memory);
  auto state = std::make_unique<DheaState>(own, decoderLayers_.size());
  for (const DecoderLayer& layer : decoderLayers_)
    state->keysValues_BS2D.push_back(layer->keysValues(own.states_BSD));
  return state;
}

Tensor DheaModel::step(DecoderState& state, const Tensor& tokens_R, Recorder* recorder) {
  const torch::NoGradGuard frozen;
  auto& own = dynamic_cast<DheaState&>(state);
  own.backpointers.advance();
  const auto table = own.backpointers.table();
  Tensor s_R1D =
      embedSide(targetTable_, tokens_R.unsqueeze(1), own.backpointers.steps() - 1, targetSite_);
  for (std::size_t l = 0; l < decoderLayers_.size(); ++l) {
    s_R1D = decoderLayers_[l]->step(
        s_R1D, {own.backpointers, table, own.memory.source, own.keysValues_BS2D[l], own.layers[l]},
        recorder);
  }
  return logProbabilities(s_R1D.squeeze(1));
}

std::vector<RecordingInfo> DheaModel::recordable() const {
  std::vector<RecordingInfo> infos{kMemoryInfo};
  for (const DecoderLayer& layer : decoderLayers_) {
    const auto own = layer->recordable();
    infos.insert(infos.end(), own.begin(), own.end());
  }
  return infos;
}

ModelFamily family() {
  return makeFamily<DheaModel, DheaConfig>("dhea", modelKeys, completeModel);
}

}  // namespace strata::dhea
