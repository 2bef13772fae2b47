#include "models/mlrf/config.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"

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

constexpr std::pair<const char*, bool> kNorms[] = {{"none", false}, {"plain", true}};

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
  if (fusion.layerEmbedding && !fusion.hasNetwork()) {
    problems.push_back(
        {path + "layer_embedding", "only the types fnn and sa have a layer embedding"});
  }
  if (fusion.featureWise && fusion.type != FusionType::kSelfAttention) {
    problems.push_back({path + "feature_wise", "only the type sa has weights"});
  }
  if (fusion.plainNorm && fusion.type != FusionType::kAverage) {
    problems.push_back({path + "avg_norm", "only the type avg has this option"});
  }
  if (fusion.residual && !fusion.hasNetwork()) {
    problems.push_back({path + "residual", "only the types fnn and sa have this option"});
  }
  if (fusion.withoutNorm && !fusion.hasNetwork()) {
    problems.push_back({path + "without_norm", "only the types fnn and sa have this option"});
  }
}

std::int64_t linear(std::int64_t in, std::int64_t out) {
  return in * out + out;
}

std::int64_t fusionParameters(const MlrfConfig& config, const FusionConfig& fusion,
                              std::int64_t layers) {
  const std::int64_t d = config.embedDim, inner = config.fusionFfnDim,
                     attention = config.fusionAttnDim;
  if (!fusion.hasNetwork()) return 0;
  const std::int64_t levels = fusion.levels(layers);
  const bool hopped = fusion.type == FusionType::kSelfAttention;
  std::int64_t count = (hopped ? fusion.hops : levels) * d * inner + inner * d;
  if (!fusion.withoutNorm) count += 2 * d;
  if (config.fusionBias) count += inner + d;
  if (!hopped) return count;
  const std::int64_t copies = fusion.w1 == SharedW1::kShared   ? 1
                              : fusion.w1 == SharedW1::kPerHop ? fusion.hops
                                                               : levels;
  return count + copies * attention * d + fusion.hops * (fusion.featureWise ? d : 1) * attention;
}

void describeFusion(KeyTable& keys, const std::string& side, FusionConfig& fusion) {
  const auto weighs = [&fusion] { return fusion.type == FusionType::kSelfAttention; };
  const auto embeds = [&fusion] { return fusion.hasNetwork(); };
  keys.section(side + "_fusion.");
  keys.add("type", fusion.type, kTypes,
           "How the layers' outputs are fused: not at all, average, maximum, feed-forward network, "
           "or self-attention over layers.");
  addSize(keys, "hops", fusion.hops, "Distributions (hops) p over the levels (sa).").onlyIf(weighs);
  keys.add("w1", fusion.w1, kW1, "Whether W_1 is shared, per layer or per hop (sa).")
      .onlyIf(weighs);
  keys.add("feature_wise", fusion.featureWise,
           "One weight per dimension instead of one per level (sa).")
      .onlyIf(weighs);
  keys.add("include_embedding", fusion.includeEmbedding,
           "Fuse the stack's input too; default: true for fnn and sa.")
      .follows([&fusion, embeds] { fusion.includeEmbedding = embeds(); })
      .onlyIf([&fusion] { return fusion.on(); });
  keys.add("layer_embedding", fusion.layerEmbedding,
           "Add a learned embedding of the level; only for fnn and sa, where it is the default.")
      .follows([&fusion, embeds] { fusion.layerEmbedding = embeds(); })
      .onlyIf(embeds);
  keys.add("avg_norm", fusion.plainNorm, kNorms, "Layer normalisation after the average (avg).")
      .onlyIf([&fusion] { return fusion.type == FusionType::kAverage; });
  keys.add("without_norm", fusion.withoutNorm, "No layer normalisation after the fusion (fnn, sa).")
      .later();
  keys.add("residual", fusion.residual,
           "Add the top level to the fusion, before its normalisation (fnn, sa).")
      .later();
  keys.section("");
}

}  // namespace

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

void describe(KeyTable& keys, MlrfConfig& config) {
  addSize(keys, "embed_dim", config.embedDim, "Width d of embeddings and layers.");
  addSize(keys, "ffn_dim", config.ffnDim, "Inner width ff of the feed-forward networks.");
  addSize(keys, "heads", config.heads, "Attention heads; must divide embed_dim.");
  addLayers(keys, "encoder_layers", config.encoderLayers, "Layers L of the encoder.");
  addLayers(keys, "decoder_layers", config.decoderLayers, "Layers L of the decoder.");
  keys.add("output_bias", config.outputBias, "Bias of the output layer.");
  describe(keys, config.sharing);
  describeFusion(keys, "encoder", config.encoderFusion);
  describeFusion(keys, "decoder", config.decoderFusion);
  addSize(keys, "fusion_attn_dim", config.fusionAttnDim, "Width d_a of W_1 (sa).");
  addSize(keys, "fusion_ffn_dim", config.fusionFfnDim,
          "Inner width d_f of the network that combines levels or hops.");
  keys.add("fusion_bias", config.fusionBias, "Biases in that network.");
}

std::int64_t MlrfConfig::layerEmbeddingRows() const {
  const bool used = (encoderFusion.on() && encoderFusion.layerEmbedding) ||
                    (decoderFusion.on() && decoderFusion.layerEmbedding);
  return used ? std::max(encoderLayers, decoderLayers) + 1 : 0;
}

LayerCounts layerCounts(const MlrfConfig& config) {
  const std::int64_t d = config.embedDim;
  const std::int64_t attention = 4 * linear(d, d), norm = 2 * d;
  const std::int64_t feedForward = linear(d, config.ffnDim) + linear(config.ffnDim, d);
  return {
      .encoderLayer = attention + feedForward + 2 * norm,
      .decoderLayer = 2 * attention + feedForward + 3 * norm,
      .encoderFusion = fusionParameters(config, config.encoderFusion, config.encoderLayers),
      .decoderFusion = fusionParameters(config, config.decoderFusion, config.decoderLayers),
  };
}

std::int64_t parameterCount(const MlrfConfig& config) {
  const LayerCounts counts = layerCounts(config);
  std::int64_t count =
      config.encoderLayers * counts.encoderLayer + config.decoderLayers * counts.decoderLayer;
  count += config.sharing.parameters(config.tables());
  if (config.outputBias) count += config.targetVocabulary;
  count += config.layerEmbeddingRows() * config.embedDim;
  return count + counts.encoderFusion + counts.decoderFusion;
}

}  // namespace strata::mlrf
