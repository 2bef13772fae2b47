#include "models/densenmt/config.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/error.h"

namespace strata::densenmt {
namespace {

constexpr std::pair<const char*, SummaryKind> kSummaries[] = {
    {"conv", SummaryKind::kConvolution}, {"linear_extra", SummaryKind::kLinearExtra}};
constexpr std::pair<const char*, BaseWidth> kBaseWidths[] = {{"hidden", BaseWidth::kHidden},
                                                             {"embedding", BaseWidth::kEmbedding}};
constexpr std::pair<const char*, AttentionValues> kValues[] = {
    {"key_and_word", AttentionValues::kKeyAndWord},
    {"key_and_base", AttentionValues::kKeyAndBase},
    {"own", AttentionValues::kOwn}};
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

}  // namespace

std::vector<ConfigProblem> problemsOf(const DenseConfig& config) {
  std::vector<ConfigProblem> problems;
  for (const SideKeys& keys : kSides) checkWidths(config, keys, problems);
  if (config.sentenceLimit().tokens < 1) {
    problems.push_back({"model.position_rows",
                        fmt::format("must be at least 3, not {}: the first position is row 2",
                                    config.positionRows)});
  }
  if (config.summaryEvery > 0 && !config.encoder.dense && !config.decoder.dense) {
    problems.push_back(
        {"model.summary_every",
         "summaries belong to dense stacks, but neither side is dense: set it to 0"});
  }
  if (config.baseWidth == BaseWidth::kEmbedding && !config.encoder.dense && !config.decoder.dense) {
    problems.push_back({"model.base_width",
                        "embedding is the width of a dense stack's h0 and summaries, but neither "
                        "side is dense: set it to hidden"});
  }
  if (config.summaryEvery == 1 && config.summaryKind == SummaryKind::kLinearExtra) {
    problems.push_back(
        {"model.summary_every", "must be at least 2: a linear summary goes between dense layers"});
  }
  if (config.gradientScale == GradientScale::kFlow &&
      (config.denseAttention != 1 || config.attentionValues != AttentionValues::kKeyAndWord)) {
    problems.push_back(
        {"model.encoder_grad_scale",
         "flow scales gradients through the single key projection of dense_attention = 1 with "
         "attention_values = key_and_word; otherwise, choose none or params"});
  }
  if (config.withoutBase && config.denseAttention == 1) {
    problems.push_back({"model.without_base",
                        "with dense_attention = 1 the decoder reads the whole final state: leave "
                        "it false, or choose dense_attention = 2"});
  }
  config.sharing.check(config.tables(), problems);
  return problems;
}

namespace {

// Departures of the released code from Eqs. 8 to 10, each of which can be taken back.
void describeAttention(KeyTable& keys, DenseConfig& config) {
  keys.add("attention_values", config.attentionValues, kValues,
           "key_and_word: sqrt(1/2) (key + source word's embedding); key_and_base: key + L(h0); "
           "own: L([h]) + L(h0) if dense_attention is 1, else L([h, h0]).")
      .later();
  keys.add("without_base", config.withoutBase,
           "h0 is none of the parts that the decoder attends to (dense_attention = 2).")
      .later();
  keys.add("without_query_word", config.withoutQueryWord,
           "Queries are L(z), not sqrt(1/2) (L(z) + target word's embedding).")
      .later();
  keys.add("without_length_gain", config.withoutLengthGain,
           "Attention's results are not multiplied by the square root of the source's length.")
      .later();
  keys.add("without_parts_gain", config.withoutPartsGain,
           "Attention's results are not divided by the square root of the number of parts.")
      .later();
}

}  // namespace

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
  addLayers(keys, "encoder_layers", config.encoder.layers, "Layers N of the encoder.");
  addLayers(keys, "decoder_layers", config.decoder.layers, "Layers N of the decoder.");
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
  keys.add("base_width", config.baseWidth, kBaseWidths,
           "Width of h0 and of summaries in dense stacks: hidden: H; embedding: E, where h0 is the "
           "embedding itself.")
      .later();
  describeAttention(keys, config);
  keys.add("encoder_grad_scale", config.gradientScale, kScales,
           "How the encoder's gradients are divided by twice the decoder's layers; default: "
           "params if dense_attention is 1.")
      .follows([&config] {
        config.gradientScale =
            config.denseAttention == 1 ? GradientScale::kParameters : GradientScale::kNone;
      });
  describe(keys, config.sharing);
}

}  // namespace strata::densenmt
