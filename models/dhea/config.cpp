#include "models/dhea/config.h"

#include "core/base/error.h"

namespace strata::dhea {
namespace {

constexpr std::pair<const char*, History> kHistories[] = {{"gate", History::kGate},
                                                          {"none", History::kNone},
                                                          {"sum", History::kSum},
                                                          {"hybrid", History::kHybrid}};
constexpr std::pair<const char*, Direction> kDirections[] = {{"forward", Direction::kForward},
                                                             {"backward", Direction::kBackward}};

}  // namespace

std::vector<ConfigProblem> problemsOf(const DheaConfig& config) {
  std::vector<ConfigProblem> problems;
  const bool hasTwoAttentions = config.history == History::kSum || config.history == History::kGate;
  if (config.shareQkv && !hasTwoAttentions) {
    problems.push_back(
        {"model.share_qkv", fmt::format("requires two attentions, history = sum or gate, not {}",
                                        nameIn(kHistories, config.history))});
  }
  if (config.positionalEncoding && (config.hidden % 2 != 0 || config.hidden < 4)) {
    problems.push_back({"model.positional_encoding",
                        fmt::format("positions are pairs of sines and cosines: hidden = {} must be "
                                    "even and at least 4",
                                    config.hidden)});
  }
  config.sharing.check(config.tables(), problems);
  return problems;
}

void describe(KeyTable& keys, DheaConfig& config) {
  addSize(keys, "hidden", config.hidden, "Width d of embeddings and LSTM layers.");
  addLayers(keys, "encoder_layers", config.encoderLayers,
            "LSTM layers N_e of the encoder, alternating in direction.");
  addLayers(keys, "decoder_layers", config.decoderLayers, "LSTM layers N_d of the decoder.");
  keys.add("history", config.history, kHistories,
           "How the decoder combines its history with the source's context: gate, sum, hybrid, "
           "or none.");
  keys.add("share_qkv", config.shareQkv, "One set of projections for both attentions (sum, gate).");
  keys.add("first_direction", config.firstDirection, kDirections, "Direction of encoder layer 1.");
  keys.add("residual", config.residual, "Add a layer's input to its output, from layer 2 on.");
  keys.add("layer_norm", config.layerNorm, "Layer normalisation before every LSTM.");
  keys.add("positional_encoding", config.positionalEncoding,
           "Add sinusoids to the embeddings of both sides.");
  describe(keys, config.sharing);
}

std::int64_t encoderLayerParameters(const DheaConfig& config) {
  const std::int64_t d = config.hidden;
  return 8 * d * d + 4 * d + (config.layerNorm ? 2 * d : 0);
}

std::int64_t decoderLayerParameters(const DheaConfig& config) {
  const std::int64_t d = config.hidden, square = d * d;
  std::int64_t count = 12 * square + 4 * d + 3 * square;  // LSTM, one attention
  const bool hasTwoAttentions = config.history == History::kSum || config.history == History::kGate;
  if (hasTwoAttentions && !config.shareQkv) count += 3 * square;
  if (config.history == History::kGate) count += 2 * square + d;
  if (config.layerNorm) count += 4 * d;
  return count;
}

std::int64_t parameterCount(const DheaConfig& config) {
  return config.sharing.parameters(config.tables()) +
         config.encoderLayers * encoderLayerParameters(config) +
         config.decoderLayers * decoderLayerParameters(config);
}

}  // namespace strata::dhea
