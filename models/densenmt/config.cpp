#include "models/densenmt/config.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/error.h"

namespace strata::densenmt {
namespace {

constexpr std::pair<const char*, SummaryKind> kSummaries[] = {
    {"conv", SummaryKind::kConvolution}, {"linear_extra", SummaryKind::kLinearExtra}};
constexpr std::pair<const char*, GradientScale> kScales[] = {{"none", GradientScale::kNone},
                                                             {"params", GradientScale::kParameters},
                                                             {"flow", GradientScale::kFlow}};

// The keys that a side may set separately: encoder_hidden, decoder_kernel, ...
struct WidthKey {
  const char* name;
  PerLayer DenseConfig::*shared;
  PerLayer SideConfig::*own;
};
constexpr WidthKey kWidthKeys[] = {{"hidden", &DenseConfig::hidden, &SideConfig::hidden},
                                   {"growth", &DenseConfig::growth, &SideConfig::growth},
                                   {"kernel", &DenseConfig::kernel, &SideConfig::kernel}};

struct SideKeys {
  const char* name;
  SideConfig DenseConfig::*side;
};
constexpr SideKeys kSides[] = {{"encoder", &DenseConfig::encoder},
                               {"decoder", &DenseConfig::decoder}};

std::string sideKey(const char* side, const char* name) {
  return std::string(side) + "_" + name;
}

// Reports lists whose length is not the side's number of layers, and kernels without a centre.
void checkWidths(const DenseConfig& config, const SideKeys& keys,
                 std::vector<ConfigProblem>& problems) {
  const SideConfig& side = config.*keys.side;
  for (const WidthKey& key : kWidthKeys) {
    const PerLayer& own = side.*key.own;
    const PerLayer& shared = config.*key.shared;
    const bool inherited = own.values == shared.values && own.isList == shared.isList;
    const std::string path = "model." + (inherited ? key.name : sideKey(keys.name, key.name));
    const bool used = key.own != &SideConfig::growth || side.dense;
    if (used && own.over(side.layers).empty()) {
      problems.push_back(
          {path, fmt::format("lists {} numbers, but {}_layers is {}: give one number per layer, or "
                             "set {}_{} separately",
                             own.values.size(), keys.name, side.layers, keys.name, key.name)});
    }
    if (key.own != &SideConfig::kernel || &side != &config.encoder) continue;
    const auto even = std::find_if(own.values.begin(), own.values.end(),
                                   [](std::int64_t kernel) { return kernel % 2 == 0; });
    if (even != own.values.end()) {
      problems.push_back({path, fmt::format("the encoder's kernels are centred on a position and "
                                            "must be odd, not {}",
                                            *even)});
    }
  }
}

// State of the stack while its layers are planned.
struct Growth {
  std::int64_t width;               // of the state
  std::int64_t base;                // of the oldest part
  std::vector<std::int64_t> newer;  // of the parts after it, oldest first

  void restart(std::int64_t restarted) {
    width = base = restarted;
    newer.clear();
  }
};

bool summarises(const DenseConfig& config, std::int64_t layer) {  // from 1
  const std::int64_t every = config.summaryEvery;
  if (every == 0) return false;
  if (config.summaryKind == SummaryKind::kConvolution) return layer % every == 0;
  return layer > 1 && (layer - 1) % (every - 1) == 0;
}

// `blocks`: how many blocks of width d a dense layer adds to the state.
StackPlan planOf(const DenseConfig& config, const SideConfig& side, std::int64_t blocks) {
  const auto hidden = side.hidden.over(side.layers), kernel = side.kernel.over(side.layers);
  const auto growth = side.dense ? side.growth.over(side.layers) : hidden;
  StackPlan plan{.inputWidth = hidden.front(), .layers = {}, .outputWidth = 0, .partWidths = {}};
  Growth state{hidden.front(), hidden.front(), {}};
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    LayerPlan layer{.kind = side.dense ? LayerPlan::Kind::kDense : LayerPlan::Kind::kResidual};
    layer.kernel = kernel[i];
    const bool summary = side.dense && summarises(config, static_cast<std::int64_t>(i) + 1);
    if (summary && config.summaryKind == SummaryKind::kLinearExtra) {
      layer.summarisedWidth = state.width;
      state.restart(hidden[i]);
    } else if (summary) {
      layer.kind = LayerPlan::Kind::kSummary;
    }
    layer.inputWidth = state.width;
    layer.width = layer.kind == LayerPlan::Kind::kDense ? growth[i] : hidden[i];
    if (layer.kind == LayerPlan::Kind::kSummary) {
      layer.projectsSkip = true;
      state.restart(layer.width);
    } else {
      layer.projectsSkip =
          layer.kind == LayerPlan::Kind::kResidual && layer.inputWidth != layer.width;
      state.newer.push_back(layer.width);
      state.width = side.dense ? state.width + blocks * layer.width : layer.width;
    }
    plan.layers.push_back(layer);
  }
  plan.outputWidth = state.width;
  plan.partWidths.assign(state.newer.rbegin(), state.newer.rend());
  plan.partWidths.push_back(state.base);
  return plan;
}

// Without the embedding tables.
std::int64_t sideParameters(const DenseConfig& config, const StackPlan& plan) {
  std::int64_t count = inputParameters(config, plan);
  for (const LayerPlan& layer : plan.layers)
    count += layerParameters(layer) + summaryParameters(layer);
  return count;
}

}  // namespace

std::vector<ConfigProblem> problemsOf(const DenseConfig& config) {
  std::vector<ConfigProblem> problems;
  for (const SideKeys& keys : kSides) checkWidths(config, keys, problems);
  if (config.longestSentence() < 1) {
    problems.push_back({"model.position_rows",
                        fmt::format("must be at least 3, not {}: the first position is row 2",
                                    config.positionRows)});
  }
  if (config.summaryEvery > 0 && !config.encoder.dense && !config.decoder.dense) {
    problems.push_back(
        {"model.summary_every",
         "summaries belong to dense stacks, but neither side is dense: set it to 0"});
  }
  if (config.summaryEvery == 1 && config.summaryKind == SummaryKind::kLinearExtra) {
    problems.push_back(
        {"model.summary_every", "must be at least 2: a linear summary goes between dense layers"});
  }
  if (config.gradientScale == GradientScale::kFlow && config.denseAttention != 1) {
    problems.push_back(
        {"model.encoder_grad_scale",
         "flow scales gradients through the single key projection of dense_attention = 1; "
         "with dense_attention = 2, choose none or params"});
  }
  config.sharing.check(config.tables(), problems);
  return problems;
}

void describe(KeyTable& keys, DenseConfig& config) {
  addSize(keys, "embed_dim", config.embedDim,
          "Width E of embeddings inside the model and of attention.");
  addSize(keys, "token_embed_dim", config.tokenEmbedDim,
          "Width e of the word and position embedding tables; default: embed_dim.")
      .follows([&config] { config.tokenEmbedDim = config.embedDim; });
  addSize(keys, "out_embed_dim", config.outEmbedDim,
          "Width e_o of the output layer's input; default: the width of the embedding tables.")
      .follows([&config] { config.outEmbedDim = config.tokenEmbedDim; });
  addSize(keys, "position_rows", config.positionRows,
          "Rows R of each position table; the longest sentence has two tokens fewer.");
  addSize(keys, "encoder_layers", config.encoder.layers, "Layers N of the encoder.");
  addSize(keys, "decoder_layers", config.decoder.layers, "Layers N of the decoder.");
  addSize(keys, "hidden", config.hidden,
          "Width H of residual and summary layers; one number, or one per layer.");
  addSize(keys, "growth", config.growth, "Width d of dense layers; one number, or one per layer.");
  addSize(keys, "kernel", config.kernel, "Width K of the convolutions; odd in the encoder.");
  for (const SideKeys& side : kSides) {
    for (const WidthKey& key : kWidthKeys) {
      const PerLayer& shared = config.*key.shared;
      PerLayer& own = config.*side.side.*key.own;
      addSize(keys, sideKey(side.name, key.name), own,
              fmt::format("{} of the {}; default: that of both sides.", key.name, side.name))
          .follows([&shared, &own] { own = shared; });
    }
  }
  keys.add("dense_encoder", config.encoder.dense,
           "Every encoder layer reads all earlier ones; false: a residual stack.");
  keys.add("dense_decoder", config.decoder.dense,
           "Every decoder layer reads all earlier ones; false: a residual stack.");
  addSize(keys, "dense_attention", config.denseAttention,
          "What the decoder reads: 1: the final state; 2: every part of it.")
      .atMost(2);
  addSize(keys, "summary_every", config.summaryEvery,
          "Summarise a dense stack every B layers; 0: never.")
      .atLeast(0);
  keys.add("summary_kind", config.summaryKind, kSummaries,
           "conv: every B-th layer is a summary; linear_extra: a Linear between layers.");
  keys.add("encoder_grad_scale", config.gradientScale, kScales,
           "How the encoder's gradients are divided by twice the decoder's layers; default: "
           "params if dense_attention is 1.")
      .follows([&config] {
        config.gradientScale =
            config.denseAttention == 1 ? GradientScale::kParameters : GradientScale::kNone;
      });
  describe(keys, config.sharing);
}

StackPlan encoderPlan(const DenseConfig& config) {
  return planOf(config, config.encoder, 1);
}

StackPlan decoderPlan(const DenseConfig& config) {
  return planOf(config, config.decoder, 2);
}

std::vector<std::int64_t> attendedWidths(const DenseConfig& config) {
  const StackPlan plan = encoderPlan(config);
  return config.denseAttention == 1 ? std::vector<std::int64_t>{plan.outputWidth} : plan.partWidths;
}

std::int64_t normalised(std::int64_t in, std::int64_t out, std::int64_t taps) {
  return out * in * taps + 2 * out;
}

std::int64_t inputParameters(const DenseConfig& config, const StackPlan& plan) {
  const std::int64_t embed = config.embedDim, token = config.tokenEmbedDim;
  std::int64_t count = config.positionRows * token;
  if (token != embed) count += 2 * normalised(token, embed);
  return count + normalised(embed, plan.inputWidth);
}

std::int64_t layerParameters(const LayerPlan& layer) {
  const std::int64_t skip = layer.projectsSkip ? normalised(layer.inputWidth, layer.width) : 0;
  return normalised(layer.inputWidth, 2 * layer.width, layer.kernel) + skip;
}

std::int64_t summaryParameters(const LayerPlan& layer) {
  return layer.summarisedWidth > 0 ? normalised(layer.summarisedWidth, layer.inputWidth) : 0;
}

std::int64_t attentionParameters(const DenseConfig& config, const LayerPlan& layer) {
  return normalised(layer.width, config.embedDim) + normalised(config.embedDim, layer.width);
}

std::int64_t parameterCount(const DenseConfig& config) {
  const StackPlan encoder = encoderPlan(config), decoder = decoderPlan(config);
  const std::int64_t embed = config.embedDim;
  std::int64_t count = config.sharing.parameters(config.tables()) +
                       sideParameters(config, encoder) + sideParameters(config, decoder);
  for (const std::int64_t width : attendedWidths(config)) count += normalised(width, embed);
  for (const LayerPlan& layer : decoder.layers) count += attentionParameters(config, layer);
  // The output layer's bias and, if its matrix is not an embedding table, gain.
  count += (config.sharing.tiesOutput() ? 1 : 2) * config.targetVocabulary;
  return count + normalised(decoder.outputWidth, config.outEmbedDim);
}

}  // namespace strata::densenmt
