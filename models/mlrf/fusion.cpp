#include "models/mlrf/fusion.h"

#include <cmath>

namespace strata::mlrf {
namespace {

using torch::Tensor;

std::vector<std::int64_t> w1Shape(const FusionConfig& config, const FusionSizes& sizes) {
  switch (config.w1) {
    case SharedW1::kPerLayer:
      return {config.levels(sizes.layers), sizes.attentionDim, sizes.modelDim};
    case SharedW1::kPerHop:
      return {config.hops, sizes.attentionDim, sizes.modelDim};
    default:
      return {sizes.attentionDim, sizes.modelDim};
  }
}

}  // namespace

FusionImpl::FusionImpl(const FusionConfig& config, const FusionSizes& sizes,
                       const std::shared_ptr<DropoutState>& dropout)
    : config_(config),
      innerDropout_(dropout, DropoutSite::Kind::kFeatures),
      outerDropout_(dropout, DropoutSite::Kind::kFeatures) {
  const bool attends = config.type == FusionType::kSelfAttention;
  if (!attends && config.type != FusionType::kFeedForward) return;
  if (attends) {
    const std::int64_t rows = config.hops * (config.featureWise ? sizes.modelDim : 1);
    w1 = register_module("w1", Weight(w1Shape(config, sizes)));
    w2 = register_module("w2", Weight(std::vector<std::int64_t>{rows, sizes.attentionDim}));
  }
  const std::int64_t parts = attends ? config.hops : config.levels(sizes.layers);
  fc1 = register_module("fc1", Linear(parts * sizes.modelDim, sizes.innerDim, sizes.bias));
  fc2 = register_module("fc2", Linear(sizes.innerDim, sizes.modelDim, sizes.bias));
  layerNorm_ = register_module("layer_norm", LayerNorm(sizes.modelDim));
}

void FusionImpl::initialise(Initialiser& random) {
  for (const Weight& weight : {w1, w2}) {
    if (!weight) continue;
    random.uniform(weight->weight, 1 / std::sqrt(static_cast<double>(weight->weight.size(-1))));
  }
  for (const Linear& linear : {fc1, fc2}) {
    if (linear) random.fanIn(linear);
  }
}

Tensor FusionImpl::forward(const std::vector<Tensor>& stack_XD, const Tensor& layerEmbedding,
                           const Maps& maps) {
  const std::size_t first = config_.includeEmbedding ? 0 : 1;
  const std::vector<Tensor> levels_XD(stack_XD.begin() + static_cast<std::ptrdiff_t>(first),
                                      stack_XD.end());
  Tensor z_XND = torch::stack(levels_XD, -2);
  // Eq. 4: z~^l = z^l + E_l
  if (config_.layerEmbedding)
    z_XND = z_XND + layerEmbedding.narrow(0, static_cast<std::int64_t>(first), z_XND.size(-2));
  z_XND = maps.levels.pass(z_XND);
  switch (config_.type) {
    case FusionType::kAverage: {
      const Tensor mean_XD = z_XND.mean(-2);
      if (!config_.plainNorm) return mean_XD;
      return torch::layer_norm(mean_XD, {mean_XD.size(-1)}, {}, {}, kNormEpsilon);
    }
    case FusionType::kMaximum:
      return z_XND.amax(-2);
    default:
      break;
  }
  if (maps.norms.wanted()) maps.norms.pass(z_XND.norm(2, -1));
  return config_.type == FusionType::kSelfAttention ? selfAttention(z_XND, maps)
                                                    : join(z_XND.flatten(-2));
}

// Eq. 5: e = W_2 sigma(W_1 z~), [..., N, P] or [..., N, P D]. The paper leaves sigma open; tanh, as
// in the work it follows.
Tensor FusionImpl::energies(const Tensor& z_XND) const {
  if (config_.w1 == SharedW1::kShared)
    return affine(torch::tanh(affine(z_XND, w1->weight)), w2->weight);
  std::vector<Tensor> parts;
  if (config_.w1 == SharedW1::kPerLayer) {
    for (std::int64_t level = 0; level < z_XND.size(-2); ++level)
      parts.push_back(torch::tanh(affine(z_XND.select(-2, level), w1->weight[level])));
    return affine(torch::stack(parts, -2), w2->weight);
  }
  const auto rows_PA = w2->weight.chunk(config_.hops, 0);
  for (std::int64_t hop = 0; hop < config_.hops; ++hop)
    parts.push_back(affine(torch::tanh(affine(z_XND, w1->weight[hop])), rows_PA[hop]));
  return torch::cat(parts, -1);
}

Tensor FusionImpl::selfAttention(const Tensor& z_XND, const Maps& maps) {
  const Tensor e_XNP = energies(z_XND);
  Tensor s_XPD;
  if (config_.featureWise) {
    Tensor a_XNPD = torch::softmax(e_XNP.unflatten(-1, {config_.hops, z_XND.size(-1)}), -3);
    if (maps.weights.wanted()) {
      const Tensor mean_XPN = maps.weights.pass(a_XNPD.mean(-1).transpose(-1, -2));
      if (maps.weights.replaces()) a_XNPD = mean_XPN.transpose(-1, -2).unsqueeze(-1);
    }
    s_XPD = (a_XNPD * z_XND.unsqueeze(-2)).sum(-3);
  } else {
    // Eq. 6: the softmax runs over levels, not over time.
    const Tensor a_XPN = maps.weights.pass(torch::softmax(e_XNP, -2).transpose(-1, -2));
    // Eq. 7
    s_XPD = product(a_XPN, z_XND);
  }
  return join(maps.hops.pass(s_XPD).flatten(-2));
}

// LN(Dropout(W_b Dropout(ReLU(W_a x)))): no residual around the fusion.
Tensor FusionImpl::join(const Tensor& inner_X) {
  const Tensor inner_XF = linearReluDropout(inner_X, fc1, innerDropout_.draw());
  return linearDropoutNorm(inner_XF, fc2, {}, layerNorm_, outerDropout_.draw());
}

}  // namespace strata::mlrf
