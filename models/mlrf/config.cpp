#include "models/mlrf/config.h"

#include <algorithm>
#include <utility>

#include "core/run/key_reader.h"

namespace strata::mlrf {
namespace {

constexpr std::pair<const char*, FusionType> kTypes[] = {{"none", FusionType::kNone},
                                                         {"avg", FusionType::kAverage},
                                                         {"max", FusionType::kMaximum},
                                                         {"fnn", FusionType::kFeedForward},
                                                         {"sa", FusionType::kSelfAttention}};
constexpr std::pair<const char*, SharedW1> kW1[] = {{"shared", SharedW1::kShared},
                                                    {"per_layer", SharedW1::kPerLayer},
                                                    {"per_hop", SharedW1::kPerHop}};

constexpr const char* kFamily = "transformer";

bool usesLayerEmbedding(FusionType type) {
  return type == FusionType::kFeedForward || type == FusionType::kSelfAttention;
}

FusionConfig parseFusion(const Json& object, const std::string& prefix) {
  FusionConfig fusion;
  KeyReader reader(object, {kFamily, prefix});
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
         fmt::format("a fusion needs at least two levels, but {}_layers = {} gives {}", side,
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
    problems.push_back({path + "avg_norm", "only the type avg has this option"});
  }
}

// Invalid combinations. Vocabulary sizes of 0 are not known yet.
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
  config.sharing.check(config.tables(), problems);
  checkFusion(config.encoderFusion, config.encoderLayers, "encoder", problems);
  checkFusion(config.decoderFusion, config.decoderLayers, "decoder", problems);
  return problems;
}

// The keys common to an effective configuration and config.json.
MlrfConfig parseShared(KeyReader& reader) {
  MlrfConfig result;
  reader.checkFamily();
  reader.read("embed_dim", result.embedDim);
  reader.read("ffn_dim", result.ffnDim);
  reader.read("heads", result.heads);
  reader.read("encoder_layers", result.encoderLayers);
  reader.read("decoder_layers", result.decoderLayers);
  reader.read("output_bias", result.outputBias);
  result.sharing.read(reader);
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
  return parseModelConfig(config, kFamily, parseShared, problemsOf);
}

Json MlrfConfig::json() const {
  Json json{{"format", 1},
            {"family", kFamily},
            {"src_vocab", sourceVocabulary},
            {"tgt_vocab", targetVocabulary},
            {"embed_dim", embedDim},
            {"ffn_dim", ffnDim},
            {"heads", heads},
            {"encoder_layers", encoderLayers},
            {"decoder_layers", decoderLayers},
            {"output_bias", outputBias},
            {"encoder_fusion", fusionJson(encoderFusion)},
            {"decoder_fusion", fusionJson(decoderFusion)},
            {"fusion_attn_dim", fusionAttnDim},
            {"fusion_ffn_dim", fusionFfnDim},
            {"fusion_bias", fusionBias}};
  sharing.write(json);
  return json;
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
  count += config.sharing.parameters(config.tables());
  if (config.outputBias) count += config.targetVocabulary;
  count += config.layerEmbeddingRows() * d;
  count += fusionParameters(config, config.encoderFusion, config.encoderLayers);
  return count + fusionParameters(config, config.decoderFusion, config.decoderLayers);
}

namespace {

void addFusionKeys(const std::string& side, std::vector<ConfigKey>& keys) {
  const std::string prefix = side + "_fusion.";
  keys.push_back(choiceKey(
      prefix + "type", {"none", "avg", "max", "fnn", "sa"},
      "How the layers' outputs are fused: not at all, average, maximum, feed-forward network, or "
      "self-attention over layers."));
  keys.push_back(integerKey(prefix + "hops", 4, "Distributions over the levels (sa)."));
  keys.push_back(choiceKey(prefix + "w1", {"shared", "per_layer", "per_hop"},
                           "Whether W_1 is shared, per layer or per hop (sa)."));
  keys.push_back(switchKey(prefix + "feature_wise", false,
                           "One weight per dimension instead of one per level (sa)."));
  keys.push_back(switchKey(prefix + "include_embedding", nullptr,
                           "Fuse the stack's input too; default: true for fnn and sa."));
  keys.push_back(switchKey(
      prefix + "layer_embedding", nullptr,
      "Add a learned embedding of the level; only for fnn and sa, where it is the default."));
  keys.push_back(choiceKey(prefix + "avg_norm", {"none", "plain"},
                           "Layer normalisation after the average (avg)."));
}

}  // namespace

std::vector<ConfigKey> modelKeys() {
  std::vector<ConfigKey> keys{
      integerKey("embed_dim", 256, "Width d of embeddings and layers."),
      integerKey("ffn_dim", 1024, "Inner width of the feed-forward networks."),
      integerKey("heads", 4, "Attention heads; must divide embed_dim."),
      integerKey("encoder_layers", 3, "Layers of the encoder."),
      integerKey("decoder_layers", 3, "Layers of the decoder."),
      switchKey("output_bias", true, "Bias of the output layer."),
  };
  for (ConfigKey& key : TableSharing::keys()) keys.push_back(std::move(key));
  addFusionKeys("encoder", keys);
  addFusionKeys("decoder", keys);
  keys.push_back(integerKey("fusion_attn_dim", 1024, "Width of W_1 (sa)."));
  keys.push_back(integerKey("fusion_ffn_dim", 512,
                            "Inner width of the network that combines levels or hops."));
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
  KeyReader reader(model, {kFamily, "model."});
  return problemsOf(parseShared(reader));
}

}  // namespace strata::mlrf
