// The layers of both stacks, their widths, and the parameters that they have.
#include "models/densenmt/config.h"

namespace strata::densenmt {
namespace {

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
  const bool embedding = side.dense && config.baseWidth == BaseWidth::kEmbedding;
  const auto base = [&](std::size_t i) { return embedding ? config.embedDim : hidden[i]; };
  StackPlan plan{.inputWidth = base(0),
                 .projectsInput = !embedding,
                 .layers = {},
                 .outputWidth = 0,
                 .partWidths = {}};
  Growth state{base(0), base(0), {}};
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    LayerPlan layer{.kind = side.dense ? LayerPlan::Kind::kDense : LayerPlan::Kind::kResidual};
    layer.kernel = kernel[i];
    const bool summary = side.dense && summarises(config, static_cast<std::int64_t>(i) + 1);
    if (summary && config.summaryKind == SummaryKind::kLinearExtra) {
      layer.summarisedWidth = state.width;
      state.restart(base(i));
    } else if (summary) {
      layer.kind = LayerPlan::Kind::kSummary;
    }
    layer.inputWidth = state.width;
    layer.width = layer.kind == LayerPlan::Kind::kDense ? growth[i] : base(i);
    plan.summarised = plan.summarised || summary;
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

StackPlan encoderPlan(const DenseConfig& config) {
  return planOf(config, config.encoder, 1);
}

StackPlan decoderPlan(const DenseConfig& config) {
  return planOf(config, config.decoder, 2);
}

std::vector<std::int64_t> attendedWidths(const DenseConfig& config) {
  const StackPlan plan = encoderPlan(config);
  if (config.denseAttention == 1) return {plan.outputWidth};
  std::vector<std::int64_t> widths = plan.partWidths;
  // A summary is one of the layers i = 1 .. L that Eq. 10 adds up.
  if (config.withoutBase && !plan.summarised) widths.pop_back();
  return widths;
}

std::vector<std::int64_t> ownValueWidths(const DenseConfig& config) {
  if (config.attentionValues != AttentionValues::kOwn) return {};
  std::vector<std::int64_t> widths = attendedWidths(config);
  if (config.denseAttention == 1) return widths;
  for (std::int64_t& width : widths) width += encoderPlan(config).inputWidth;
  return widths;
}

bool addsBase(const DenseConfig& config) {
  return config.attentionValues == AttentionValues::kKeyAndBase ||
         (config.attentionValues == AttentionValues::kOwn && config.denseAttention == 1);
}

std::int64_t normalised(std::int64_t in, std::int64_t out, std::int64_t taps) {
  return out * in * taps + 2 * out;
}

std::int64_t inputParameters(const DenseConfig& config, const StackPlan& plan) {
  const std::int64_t embed = config.embedDim, token = config.tokenEmbedDim;
  std::int64_t count = config.positionRows * token;
  if (token != embed) count += 2 * normalised(token, embed);
  return count + (plan.projectsInput ? normalised(embed, plan.inputWidth) : 0);
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

std::int64_t memoryParameters(const DenseConfig& config) {
  const std::int64_t embed = config.embedDim;
  std::int64_t count =
      addsBase(config) ? normalised(encoderPlan(config).inputWidth, embed) : std::int64_t{0};
  for (const std::int64_t width : attendedWidths(config)) count += normalised(width, embed);
  for (const std::int64_t width : ownValueWidths(config)) count += normalised(width, embed);
  return count;
}

std::int64_t parameterCount(const DenseConfig& config) {
  const StackPlan encoder = encoderPlan(config), decoder = decoderPlan(config);
  std::int64_t count = config.sharing.parameters(config.tables()) +
                       sideParameters(config, encoder) + sideParameters(config, decoder) +
                       memoryParameters(config);
  for (const LayerPlan& layer : decoder.layers) count += attentionParameters(config, layer);
  // The output layer's bias and, if its matrix is not an embedding table, gain.
  count += (config.sharing.tiesOutput() ? 1 : 2) * config.targetVocabulary;
  return count + normalised(decoder.outputWidth, config.outEmbedDim);
}

}  // namespace strata::densenmt
