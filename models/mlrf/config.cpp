#include "models/mlrf/config.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/error.h"

namespace strata::mlrf {
namespace {

using Type = ConfigKey::Type;

constexpr std::pair<const char*, FusionType> kTypes[] = {{"none", FusionType::kNone},
                                                         {"avg", FusionType::kAverage},
                                                         {"max", FusionType::kMaximum},
                                                         {"fnn", FusionType::kFeedForward},
                                                         {"sa", FusionType::kSelfAttention}};
constexpr std::pair<const char*, SharedW1> kW1[] = {{"shared", SharedW1::kShared},
                                                    {"per_layer", SharedW1::kPerLayer},
                                                    {"per_hop", SharedW1::kPerHop}};

template <typename E, std::size_t N>
std::string nameIn(const std::pair<const char*, E> (&table)[N], E value) {
  const auto at = std::find_if(std::begin(table), std::end(table),
                               [&](const auto& row) { return row.second == value; });
  return at->first;
}

// Reads the keys of one JSON object and refuses those that it was not asked for.
class KeyReader {
 public:
  KeyReader(const Json& object, std::string prefix) : object_(object), prefix_(std::move(prefix)) {
    if (!object.is_object())
      throw usageError("'{}' must be a mapping, not {}", prefix_, object.dump());
  }

  // Null counts as absent.
  const Json* find(const char* name) {
    known_.emplace_back(name);
    const auto at = object_.find(name);
    return at == object_.end() || at->is_null() ? nullptr : &*at;
  }
  void read(const char* name, std::int64_t& value) {
    const Json* at = find(name);
    if (at == nullptr) return;
    if (!at->is_number_integer()) throw wrong(name, "an integer", *at);
    value = at->get<std::int64_t>();
    if (value < 1 || value > std::int64_t{1} << 31) throw wrong(name, "at least 1", *at);
  }
  void read(const char* name, bool& value) {
    const Json* at = find(name);
    if (at == nullptr) return;
    if (!at->is_boolean()) throw wrong(name, "true or false", *at);
    value = at->get<bool>();
  }
  template <typename E, std::size_t N>
  void read(const char* name, const std::pair<const char*, E> (&table)[N], E& value) {
    const Json* at = find(name);
    if (at == nullptr) return;
    for (const auto& [known, meaning] : table) {
      if (at->is_string() && at->get<std::string>() == known) {
        value = meaning;
        return;
      }
    }
    std::string names;
    for (const auto& row : table) names += (names.empty() ? "" : ", ") + std::string(row.first);
    throw wrong(name, "one of " + names, *at);
  }
  void finish() const {
    for (const auto& [name, value] : object_.items()) {
      if (std::find(known_.begin(), known_.end(), name) == known_.end()) {
        throw usageError("unknown key '{}{}' of the family transformer", prefix_, name);
      }
    }
  }

 private:
  Error wrong(const char* name, const std::string& expected, const Json& value) const {
    return usageError("'{}{}' must be {}, not {}", prefix_, name, expected, value.dump());
  }

  const Json& object_;
  std::string prefix_;
  std::vector<std::string> known_;
};

bool usesLayerEmbedding(FusionType type) {
  return type == FusionType::kFeedForward || type == FusionType::kSelfAttention;
}

FusionConfig parseFusion(const Json& object, const std::string& prefix) {
  FusionConfig fusion;
  KeyReader reader(object, prefix);
  reader.read("type", kTypes, fusion.type);
  fusion.includeEmbedding = fusion.layerEmbedding = usesLayerEmbedding(fusion.type);
  reader.read("hops", fusion.hops);
  reader.read("w1", kW1, fusion.w1);
  reader.read("feature_wise", fusion.featureWise);
  reader.read("include_embedding", fusion.includeEmbedding);
  reader.read("layer_embedding", fusion.layerEmbedding);
  constexpr std::pair<const char*, bool> norms[] = {{"none", false}, {"plain", true}};
  reader.read("avg_norm", norms, fusion.plainNorm);
  reader.finish();
  return fusion;
}

Json fusionJson(const FusionConfig& fusion) {
  Json json{{"type", nameIn(kTypes, fusion.type)}};
  if (!fusion.on()) return json;
  if (fusion.type == FusionType::kSelfAttention) {
    json["hops"] = fusion.hops;
    json["w1"] = nameIn(kW1, fusion.w1);
    json["feature_wise"] = fusion.featureWise;
  }
  json["include_embedding"] = fusion.includeEmbedding;
  if (usesLayerEmbedding(fusion.type)) json["layer_embedding"] = fusion.layerEmbedding;
  if (fusion.type == FusionType::kAverage) json["avg_norm"] = fusion.plainNorm ? "plain" : "none";
  return json;
}

void checkFusion(const FusionConfig& fusion, std::int64_t layers, const std::string& side,
                 std::vector<ConfigProblem>& problems) {
  if (!fusion.on()) return;
  const std::string path = "model." + side + "_fusion.";
  if (fusion.levels(layers) < 2) {
    problems.push_back(
        {path + "type",
         fmt::format("a fusion joins at least two levels, and {}_layers = {} gives {}", side,
                     layers, fusion.levels(layers))});
  }
  if (fusion.layerEmbedding && !usesLayerEmbedding(fusion.type)) {
    problems.push_back(
        {path + "layer_embedding", "only the types fnn and sa have a layer embedding"});
  }
  if (fusion.featureWise && fusion.type != FusionType::kSelfAttention) {
    problems.push_back({path + "feature_wise", "only the type sa has weights"});
  }
  if (fusion.plainNorm && fusion.type != FusionType::kAverage) {
    problems.push_back({path + "avg_norm", "only the type avg has it"});
  }
}

// Combinations that cannot be. Vocabulary sizes of 0 are not known yet.
std::vector<ConfigProblem> problemsOf(const MlrfConfig& config) {
  std::vector<ConfigProblem> problems;
  if (config.embedDim % config.heads != 0) {
    problems.push_back({"model.heads", fmt::format("{} heads do not divide embed_dim = {}",
                                                   config.heads, config.embedDim)});
  }
  if (config.embedDim % 2 != 0 || config.embedDim < 4) {
    problems.push_back({"model.embed_dim",
                        "must be even and at least 4: positions are pairs of sines and cosines"});
  }
  if (config.shareAllEmbeddings && config.sourceVocabulary != config.targetVocabulary) {
    problems.push_back(
        {"model.share_all_embeddings",
         fmt::format("needs one vocabulary of both sides, and they have {} and {} words",
                     config.sourceVocabulary, config.targetVocabulary)});
  }
  checkFusion(config.encoderFusion, config.encoderLayers, "encoder", problems);
  checkFusion(config.decoderFusion, config.decoderLayers, "decoder", problems);
  return problems;
}

// The keys that an effective configuration and config.json have in common.
MlrfConfig parseShared(KeyReader& reader) {
  MlrfConfig result;
  const Json* family = reader.find("family");
  if (family == nullptr || *family != "transformer") {
    throw usageError("'family' must be transformer, not {}",
                     family == nullptr ? "absent" : family->dump());
  }
  reader.read("embed_dim", result.embedDim);
  reader.read("ffn_dim", result.ffnDim);
  reader.read("heads", result.heads);
  reader.read("encoder_layers", result.encoderLayers);
  reader.read("decoder_layers", result.decoderLayers);
  reader.read("output_bias", result.outputBias);
  reader.read("share_decoder_input_output_embed", result.shareDecoderInputOutputEmbed);
  reader.read("share_all_embeddings", result.shareAllEmbeddings);
  if (const Json* fusion = reader.find("encoder_fusion"))
    result.encoderFusion = parseFusion(*fusion, "encoder_fusion.");
  if (const Json* fusion = reader.find("decoder_fusion"))
    result.decoderFusion = parseFusion(*fusion, "decoder_fusion.");
  reader.read("fusion_attn_dim", result.fusionAttnDim);
  reader.read("fusion_ffn_dim", result.fusionFfnDim);
  reader.read("fusion_bias", result.fusionBias);
  return result;
}

std::int64_t linear(std::int64_t in, std::int64_t out) {
  return in * out + out;
}

std::int64_t fusionParameters(const MlrfConfig& config, const FusionConfig& fusion,
                              std::int64_t layers) {
  const std::int64_t d = config.embedDim, inner = config.fusionFfnDim,
                     attention = config.fusionAttnDim;
  if (!usesLayerEmbedding(fusion.type)) return 0;
  const std::int64_t levels = fusion.levels(layers);
  const bool hopped = fusion.type == FusionType::kSelfAttention;
  std::int64_t count = (hopped ? fusion.hops : levels) * d * inner + inner * d + 2 * d;
  if (config.fusionBias) count += inner + d;
  if (!hopped) return count;
  const std::int64_t copies = fusion.w1 == SharedW1::kShared   ? 1
                              : fusion.w1 == SharedW1::kPerHop ? fusion.hops
                                                               : levels;
  return count + copies * attention * d + fusion.hops * (fusion.featureWise ? d : 1) * attention;
}

}  // namespace

MlrfConfig MlrfConfig::parse(const Json& config) {
  KeyReader reader(config, "");
  const Json* format = reader.find("format");
  if (format == nullptr || *format != 1) {
    throw usageError("'format' must be 1, not {}", format == nullptr ? "absent" : format->dump());
  }
  MlrfConfig result = parseShared(reader);
  reader.read("src_vocab", result.sourceVocabulary);
  reader.read("tgt_vocab", result.targetVocabulary);
  reader.finish();
  if (result.sourceVocabulary < 5)
    throw usageError("'src_vocab' must count the four specials and a word at least");
  if (result.targetVocabulary < 5)
    throw usageError("'tgt_vocab' must count the four specials and a word at least");
  const auto problems = problemsOf(result);
  if (!problems.empty()) throw usageError("'{}': {}", problems[0].path, problems[0].message);
  return result;
}

Json MlrfConfig::json() const {
  return {{"format", 1},
          {"family", "transformer"},
          {"src_vocab", sourceVocabulary},
          {"tgt_vocab", targetVocabulary},
          {"embed_dim", embedDim},
          {"ffn_dim", ffnDim},
          {"heads", heads},
          {"encoder_layers", encoderLayers},
          {"decoder_layers", decoderLayers},
          {"output_bias", outputBias},
          {"share_decoder_input_output_embed", shareDecoderInputOutputEmbed},
          {"share_all_embeddings", shareAllEmbeddings},
          {"encoder_fusion", fusionJson(encoderFusion)},
          {"decoder_fusion", fusionJson(decoderFusion)},
          {"fusion_attn_dim", fusionAttnDim},
          {"fusion_ffn_dim", fusionFfnDim},
          {"fusion_bias", fusionBias}};
}

std::int64_t MlrfConfig::layerEmbeddingRows() const {
  const bool used = (encoderFusion.on() && encoderFusion.layerEmbedding) ||
                    (decoderFusion.on() && decoderFusion.layerEmbedding);
  return used ? std::max(encoderLayers, decoderLayers) + 1 : 0;
}

std::int64_t parameterCount(const MlrfConfig& config) {
  const std::int64_t d = config.embedDim;
  const std::int64_t attention = 4 * linear(d, d), norm = 2 * d;
  const std::int64_t feedForward = linear(d, config.ffnDim) + linear(config.ffnDim, d);
  std::int64_t count = config.encoderLayers * (attention + feedForward + 2 * norm);
  count += config.decoderLayers * (2 * attention + feedForward + 3 * norm);
  count += config.sourceVocabulary * d;
  if (!config.shareAllEmbeddings) {
    count += config.targetVocabulary * d;
    if (!config.shareDecoderInputOutputEmbed) count += config.targetVocabulary * d;
  }
  if (config.outputBias) count += config.targetVocabulary;
  count += config.layerEmbeddingRows() * d;
  count += fusionParameters(config, config.encoderFusion, config.encoderLayers);
  return count + fusionParameters(config, config.decoderFusion, config.decoderLayers);
}

namespace {

ConfigKey integerKey(const char* name, std::int64_t value, const char* help) {
  ConfigKey key{.path = std::string("model.") + name,
                .type = Type::kInt,
                .defaultValue = value,
                .help = help};
  key.minimum = 1;
  key.maximum = 65536;
  return key;
}

ConfigKey switchKey(const std::string& name, Json value, const char* help) {
  return {
      .path = "model." + name, .type = Type::kBool, .defaultValue = std::move(value), .help = help};
}

ConfigKey choiceKey(const std::string& name, std::vector<std::string> choices, const char* help) {
  ConfigKey key{.path = "model." + name,
                .type = Type::kChoice,
                .defaultValue = choices.front(),
                .help = help};
  key.choices = std::move(choices);
  return key;
}

void addFusionKeys(const std::string& side, std::vector<ConfigKey>& keys) {
  const std::string prefix = side + "_fusion.";
  keys.push_back(choiceKey(
      prefix + "type", {"none", "avg", "max", "fnn", "sa"},
      "How the layers' outputs are joined: not at all, average, maximum, feed-forward network, or "
      "self-attention over layers."));
  keys.push_back(integerKey((prefix + "hops").c_str(), 4, "Distributions over the levels (sa)."));
  keys.push_back(choiceKey(prefix + "w1", {"shared", "per_layer", "per_hop"},
                           "Who has a W_1 of its own (sa)."));
  keys.push_back(switchKey(prefix + "feature_wise", false,
                           "One weight a dimension instead of one a level (sa)."));
  keys.push_back(switchKey(prefix + "include_embedding", nullptr,
                           "Fuse the stack's input too; by default for fnn and sa."));
  keys.push_back(switchKey(
      prefix + "layer_embedding", nullptr,
      "Add a vector that says which level it is; by default for fnn and sa, which alone may."));
  keys.push_back(choiceKey(prefix + "avg_norm", {"none", "plain"},
                           "Layer normalisation behind the average (avg)."));
}

}  // namespace

std::vector<ConfigKey> modelKeys() {
  std::vector<ConfigKey> keys{
      integerKey("embed_dim", 256, "Width d of embeddings and layers."),
      integerKey("ffn_dim", 1024, "Inner width of the feed-forward networks."),
      integerKey("heads", 4, "Attention heads; they divide embed_dim."),
      integerKey("encoder_layers", 3, "Layers of the encoder."),
      integerKey("decoder_layers", 3, "Layers of the decoder."),
      switchKey("output_bias", true, "Bias of the output layer."),
      switchKey("share_decoder_input_output_embed", false,
                "The output matrix is the decoder's embedding table."),
      switchKey("share_all_embeddings", false,
                "One table for both sides and the output; needs one joint vocabulary."),
  };
  addFusionKeys("encoder", keys);
  addFusionKeys("decoder", keys);
  keys.push_back(integerKey("fusion_attn_dim", 1024, "Width of W_1 (sa)."));
  keys.push_back(
      integerKey("fusion_ffn_dim", 512, "Inner width of the network that joins levels or hops."));
  keys.push_back(switchKey("fusion_bias", false, "Biases in that network."));
  return keys;
}

std::vector<ConfigProblem> completeModel(Json& model) {
  for (const char* side : {"encoder_fusion", "decoder_fusion"}) {
    Json& fusion = model[side];
    const FusionConfig parsed = parseFusion(fusion, std::string("model.") + side + ".");
    fusion["include_embedding"] = parsed.includeEmbedding;
    fusion["layer_embedding"] = parsed.layerEmbedding;
  }
  KeyReader reader(model, "model.");
  return problemsOf(parseShared(reader));
}

}  // namespace strata::mlrf
