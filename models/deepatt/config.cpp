#include "models/deepatt/config.h"

#include "core/run/key_reader.h"

namespace strata::deepatt {
namespace {

constexpr const char* kFamily = "deepatt";
constexpr std::pair<const char*, Interface> kInterfaces[] = {{"attention", Interface::kAttention},
                                                             {"max", Interface::kMaximum}};
constexpr std::pair<const char*, ColumnDirection> kDirections[] = {
    {"interleaved", ColumnDirection::kInterleaved}, {"forward", ColumnDirection::kForward}};
constexpr std::pair<const char*, DecoderInit> kInits[] = {{"zero", DecoderInit::kZero},
                                                          {"tanh", DecoderInit::kTanh}};

// Invalid combinations.
std::vector<ConfigProblem> problemsOf(const DeepAttConfig& config) {
  std::vector<ConfigProblem> problems;
  if (config.columns > 2)
    problems.push_back({"model.columns", fmt::format("must be 1 or 2, not {}", config.columns)});
  if (config.interface == Interface::kAttention && config.interfaceWidth() % 4 != 0) {
    problems.push_back(
        {"model.hidden",
         fmt::format("the interface's width {} must be a multiple of 4: it is projected to a "
                     "quarter of it",
                     config.interfaceWidth())});
  }
  if (config.interface == Interface::kMaximum && config.attentionDim)
    problems.push_back({"model.attention_dim", "must be empty: interface = max has no attention"});
  config.sharing.check(config.tables(), problems);
  return problems;
}

// The keys common to an effective configuration and config.json.
DeepAttConfig parseShared(KeyReader& reader) {
  DeepAttConfig result;
  reader.checkFamily();
  reader.read("embed_dim", result.embedDim);
  reader.read("hidden", result.hidden);
  reader.read("encoder_layers", result.encoderLayers);
  reader.read("decoder_layers", result.decoderLayers);
  reader.read("columns", result.columns);
  reader.read("interface", kInterfaces, result.interface);
  reader.read("fast_forward", result.fastForward);
  reader.read("half", result.half);
  reader.read("direction", kDirections, result.direction);
  reader.read("peephole", result.peephole);
  std::int64_t attentionDim = 0;
  reader.read("attention_dim", attentionDim);
  if (attentionDim > 0) result.attentionDim = attentionDim;
  reader.read("decoder_init", kInits, result.decoderInit);
  result.sharing.read(reader);
  return result;
}

// One layer's recurrent part: W_r, b and the peepholes.
std::int64_t recurrentParameters(const DeepAttConfig& config) {
  const std::int64_t h = config.hidden;
  return 4 * h * h + 4 * h + (config.peephole ? 3 * h : 0);
}

// A layer above the first: the matrices that read h and f of the layer below.
std::int64_t upperLayer(const DeepAttConfig& config) {
  const std::int64_t h = config.hidden;
  std::int64_t count = 4 * h * h + recurrentParameters(config);
  if (config.fastForward) count += 4 * h * (config.half ? 2 : 4) * h;
  return count;
}

}  // namespace

DeepAttConfig DeepAttConfig::parse(const Json& config) {
  return parseModelConfig(config, kFamily, parseShared, problemsOf);
}

Json DeepAttConfig::json() const {
  Json json{{"format", 1},
            {"family", kFamily},
            {"src_vocab", sourceVocabulary},
            {"tgt_vocab", targetVocabulary},
            {"embed_dim", embedDim},
            {"hidden", hidden},
            {"encoder_layers", encoderLayers},
            {"decoder_layers", decoderLayers},
            {"columns", columns},
            {"interface", nameIn(kInterfaces, interface)},
            {"fast_forward", fastForward},
            {"half", half},
            {"direction", nameIn(kDirections, direction)},
            {"peephole", peephole},
            {"attention_dim", attentionDim ? Json(*attentionDim) : Json()},
            {"decoder_init", nameIn(kInits, decoderInit)}};
  sharing.write(json);
  return json;
}

std::int64_t parameterCount(const DeepAttConfig& config) {
  const std::int64_t e = config.embedDim, h = config.hidden, context = config.contextWidth(),
                     a = config.attentionWidth();
  std::int64_t count = config.sharing.parameters(config.tables()) + config.targetVocabulary;
  const std::int64_t column =
      4 * h * e + recurrentParameters(config) + (config.encoderLayers - 1) * upperLayer(config);
  count += config.columns * column;
  if (config.interface == Interface::kAttention) {
    count += config.interfaceWidth() * context;  // W_p
    count += a * context + a * h + a + a;        // U, W, b_a, v
  }
  count += 4 * h * (context + e) + recurrentParameters(config) +
           (config.decoderLayers - 1) * upperLayer(config);
  if (config.decoderInit == DecoderInit::kTanh) count += config.decoderLayers * (h * context + h);
  return count;
}

std::vector<ConfigKey> modelKeys() {
  ConfigKey columns = integerKey("columns", 2, "Columns of the encoder.");
  columns.maximum = 2;
  ConfigKey attention =
      integerKey("attention_dim", 1, "Inner width of the attention; empty: hidden.");
  attention.defaultValue = nullptr;
  std::vector<ConfigKey> keys{
      integerKey("embed_dim", 256, "Width of the embeddings."),
      integerKey("hidden", 512, "Width h of the LSTM layers."),
      integerKey("encoder_layers", 9, "Layers of each column of the encoder."),
      integerKey("decoder_layers", 7, "Layers of the decoder."),
      std::move(columns),
      choiceKey("interface", {"attention", "max"},
                "What the decoder reads: every source position by attention (Deep-Att), or one "
                "vector of maxima (Deep-ED)."),
      switchKey("fast_forward", true,
                "Fast-forward connections: a layer also reads the LSTM input of the layer below."),
      switchKey("half", true, "Fast-forward connections read only the first half of it."),
      choiceKey("direction", {"interleaved", "forward"},
                "Layers alternate in direction, the second column mirrors the first; or all run "
                "forward."),
      switchKey("peephole", true, "Peephole connections from the cell state to the gates."),
      std::move(attention),
      choiceKey("decoder_init", {"zero", "tanh"},
                "The decoder's initial state: zero, or computed from the source."),
  };
  for (ConfigKey& key : TableSharing::keys()) keys.push_back(std::move(key));
  return keys;
}

std::vector<ConfigProblem> completeModel(Json& model) {
  KeyReader reader(model, {kFamily, "model."});
  return problemsOf(parseShared(reader));
}

}  // namespace strata::deepatt
