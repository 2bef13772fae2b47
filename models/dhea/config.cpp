#include "models/dhea/config.h"

#include "core/run/key_reader.h"

namespace strata::dhea {
namespace {

constexpr const char* kFamily = "dhea";
constexpr std::pair<const char*, History> kHistories[] = {{"gate", History::kGate},
                                                          {"none", History::kNone},
                                                          {"sum", History::kSum},
                                                          {"hybrid", History::kHybrid}};
constexpr std::pair<const char*, Direction> kDirections[] = {{"forward", Direction::kForward},
                                                             {"backward", Direction::kBackward}};

// Invalid combinations.
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

// The keys common to an effective configuration and config.json.
DheaConfig parseShared(KeyReader& reader) {
  DheaConfig result;
  reader.checkFamily();
  reader.read("hidden", result.hidden);
  reader.read("encoder_layers", result.encoderLayers);
  reader.read("decoder_layers", result.decoderLayers);
  reader.read("history", kHistories, result.history);
  reader.read("share_qkv", result.shareQkv);
  reader.read("first_direction", kDirections, result.firstDirection);
  reader.read("residual", result.residual);
  reader.read("layer_norm", result.layerNorm);
  reader.read("positional_encoding", result.positionalEncoding);
  result.sharing.read(reader);
  return result;
}

}  // namespace

DheaConfig DheaConfig::parse(const Json& config) {
  return parseModelConfig(config, kFamily, parseShared, problemsOf);
}

Json DheaConfig::json() const {
  Json json{{"format", 1},
            {"family", kFamily},
            {"src_vocab", sourceVocabulary},
            {"tgt_vocab", targetVocabulary},
            {"hidden", hidden},
            {"encoder_layers", encoderLayers},
            {"decoder_layers", decoderLayers},
            {"history", nameIn(kHistories, history)},
            {"share_qkv", shareQkv},
            {"first_direction", nameIn(kDirections, firstDirection)},
            {"residual", residual},
            {"layer_norm", layerNorm},
            {"positional_encoding", positionalEncoding}};
  sharing.write(json);
  return json;
}

std::int64_t parameterCount(const DheaConfig& config) {
  const std::int64_t d = config.hidden, square = d * d;
  std::int64_t encoderLayer = 8 * square + 4 * d;
  std::int64_t decoderLayer = 12 * square + 4 * d + 3 * square;  // LSTM, one attention
  const bool hasTwoAttentions = config.history == History::kSum || config.history == History::kGate;
  if (hasTwoAttentions && !config.shareQkv) decoderLayer += 3 * square;
  if (config.history == History::kGate) decoderLayer += 2 * square + d;
  if (config.layerNorm) {
    encoderLayer += 2 * d;
    decoderLayer += 4 * d;
  }
  return config.sharing.parameters(config.tables()) + config.encoderLayers * encoderLayer +
         config.decoderLayers * decoderLayer;
}

std::vector<ConfigKey> modelKeys() {
  std::vector<ConfigKey> keys{
      integerKey("hidden", 512, "Width d of embeddings and LSTM layers."),
      integerKey("encoder_layers", 6, "LSTM layers of the encoder, alternating in direction."),
      integerKey("decoder_layers", 4, "LSTM layers of the decoder."),
      choiceKey(
          "history", {"gate", "none", "sum", "hybrid"},
          "How the decoder combines its history with the source's context: gate, sum, hybrid, "
          "or none."),
      switchKey("share_qkv", false, "One set of projections for both attentions (sum, gate)."),
      choiceKey("first_direction", {"forward", "backward"}, "Direction of encoder layer 1."),
      switchKey("residual", false, "Add a layer's input to its output, from layer 2 on."),
      switchKey("layer_norm", false, "Layer normalisation before every LSTM."),
      switchKey("positional_encoding", false, "Add sinusoids to the embeddings of both sides."),
  };
  for (ConfigKey& key : TableSharing::keys()) keys.push_back(std::move(key));
  return keys;
}

std::vector<ConfigProblem> completeModel(Json& model) {
  KeyReader reader(model, {kFamily, "model."});
  return problemsOf(parseShared(reader));
}

}  // namespace strata::dhea
