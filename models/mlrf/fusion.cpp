#include "models/mlrf/fusion.h"

#include <cmath>

#include "core/nn/fused.h"

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

std::vector<std::int64_t> w2Shape(const FusionConfig& config, const FusionSizes& sizes) {
  return {config.hops * (config.featureWise ? sizes.modelDim : 1), sizes.attentionDim};
}

}  // namespace

Fusion::Fusion(const FusionConfig& config, const FusionPlace& place)
    : side_(place.side),
      norm_(!config.withoutNorm),
      residual_(config.residual),
      first_(config.includeEmbedding ? 0 : 1),
      layerEmbedding_(config.layerEmbedding ? place.layerEmbedding : Tensor{}),
      innerDropout_(place.dropout, DropoutSite::Kind::kFeatures),
      outerDropout_(place.dropout, DropoutSite::Kind::kFeatures) {}

Tensor Fusion::forward(const std::vector<Tensor>& levels_XD, Recorder* recorder) {
  // Departs from the paper: its equations fuse levels 1..L, but the numbers of parameters that it
  // prints for FNN and self-attention, figure 5 and table 4 include level 0, the embedding.
  const std::vector<Tensor> fused_XD(levels_XD.begin() + first_, levels_XD.end());
  Tensor z_XND = torch::stack(fused_XD, -2);
  // Eq. 4: z~^l = z^l + E_l
  if (layerEmbedding_.defined()) z_XND = z_XND + layerEmbedding_.narrow(0, first_, z_XND.size(-2));
  return fuse(published(recorder, [&] { return levelsInfo(); }).pass(z_XND), recorder);
}

Fusion::Network Fusion::addNetwork(std::int64_t parts, const FusionSizes& sizes) {
  return {register_module("fc1", Linear(parts * sizes.modelDim, sizes.innerDim, sizes.bias)),
          register_module("fc2", Linear(sizes.innerDim, sizes.modelDim, sizes.bias)),
          norm_ ? register_module("layer_norm", LayerNorm(sizes.modelDim)) : LayerNorm(nullptr)};
}

void Fusion::Network::initialise(Initialiser& random, bool xavier) const {
  for (const Linear& linear : {fc1, fc2}) {
    random.fanIn(linear);
    if (xavier) random.xavier(linear->weight, 1);
  }
}

// FNN(x) = LN(Dropout(W_b Dropout(ReLU(W_a x)))): section 3.2, without a residual around the
// fusion. The paper names neither activation nor biases; its numbers of parameters leave no room
// for biases. Departs from the paper, if the configuration asks for it: without LN, or with z~^L
// added before it.
Tensor Fusion::join(const Network& network, const Tensor& parts_X, const Tensor& z_XND) {
  const RowDropout inner = innerDropout_.draw(), outer = outerDropout_.draw();
  if (norm_ && !residual_)
    return feedForward(parts_X,
                       {network.fc1, network.fc2, network.norm, inner, outer, /*residual=*/false});
  const Tensor hidden_XF = applyDropout(torch::relu(network.fc1->forward(parts_X)), inner);
  const Tensor top_XD = residual_ ? z_XND.select(-2, -1) : Tensor{};
  if (norm_) return linearDropoutNorm(hidden_XF, network.fc2, top_XD, network.norm, outer);
  const Tensor fused_XD = applyDropout(network.fc2->forward(hidden_XF), outer);
  return residual_ ? top_XD + fused_XD : fused_XD;
}

void Fusion::publishNorms(const Tensor& z_XND, Recorder* recorder) const {
  const Published norms = published(recorder, [&] { return normsInfo(); });
  if (norms.wanted()) norms.pass(z_XND.norm(2, -1));
}

RecordingInfo Fusion::info(const char* name, const char* kind,
                           std::vector<std::string> axes) const {
  axes.insert(axes.begin(), side_ == "encoder" ? "source" : "target");
  return {side_ + ".fusion." + name, kind, side_, -1, std::move(axes), first_};
}

// Eq. 3 with phi(Z_j) = 1/L sum_l z^l_j (section 3.2, table 1). Departs from the paper: there is no
// layer normalisation with gain and bias after it, because the number of parameters that it prints
// has no room for one; `avg_norm` chooses between one without them and none.
Tensor AverageFusion::fuse(const Tensor& z_XND, Recorder*) {
  const Tensor mean_XD = z_XND.mean(-2);
  if (!plainNorm_) return mean_XD;
  return torch::layer_norm(mean_XD, {mean_XD.size(-1)}, {}, {}, kNormEpsilon);
}

// Eq. 3 with phi(Z_j) = max_l z^l_j, feature by feature.
Tensor MaximumFusion::fuse(const Tensor& z_XND, Recorder*) {
  return z_XND.amax(-2);
}

FeedForwardFusion::FeedForwardFusion(const FusionConfig& config, const FusionSizes& sizes,
                                     const FusionPlace& place)
    : Fusion(config, place), network_(addNetwork(config.levels(sizes.layers), sizes)) {}

// Eq. 3 with phi(Z_j) = FNN([z~^1_j, .., z~^L_j]) (section 3.2, table 1).
Tensor FeedForwardFusion::fuse(const Tensor& z_XND, Recorder* recorder) {
  publishNorms(z_XND, recorder);
  return join(network_, z_XND.flatten(-2), z_XND);
}

SelfAttentionFusion::SelfAttentionFusion(const FusionConfig& config, const FusionSizes& sizes,
                                         const FusionPlace& place)
    : Fusion(config, place),
      config_(config),
      w1_(register_module("w1", Weight(w1Shape(config, sizes)))),
      w2_(register_module("w2", Weight(w2Shape(config, sizes)))),
      network_(addNetwork(config.hops, sizes)) {}

void SelfAttentionFusion::initialise(Initialiser& random, bool xavier) {
  for (const Weight& weight : {w1_, w2_})
    random.uniform(weight->weight, 1 / std::sqrt(static_cast<double>(weight->weight.size(-1))));
  network_.initialise(random, xavier);
}

// Eq. 3 with phi(Z_j) = FNN(SelfAtt([z~^1_j, .., z~^L_j])) (section 3.2, table 1).
Tensor SelfAttentionFusion::fuse(const Tensor& z_XND, Recorder* recorder) {
  publishNorms(z_XND, recorder);
  const Tensor s_XPD = weighted(energies(z_XND), z_XND, recorder);
  const Published hops = published(recorder, [&] { return hopsInfo(); });
  return join(network_, hops.pass(s_XPD).flatten(-2), z_XND);
}

// Eq. 5: e = W_2 sigma(W_1 z~), [..., N, P] or [..., N, P D]. The paper leaves sigma open; tanh, as
// in the work it follows. W_1 may be one per level (its footnote 4). Departs from the paper: or one
// per hop, because only that gives the number of parameters that it prints for Dec-SA with 6 hops.
Tensor SelfAttentionFusion::energies(const Tensor& z_XND) const {
  if (config_.w1 == SharedW1::kShared)
    return affine(torch::tanh(affine(z_XND, w1_->weight)), w2_->weight);
  std::vector<Tensor> parts;
  if (config_.w1 == SharedW1::kPerLayer) {
    for (std::int64_t level = 0; level < z_XND.size(-2); ++level)
      parts.push_back(torch::tanh(affine(z_XND.select(-2, level), w1_->weight[level])));
    return affine(torch::stack(parts, -2), w2_->weight);
  }
  const auto rows_PA = w2_->weight.chunk(config_.hops, 0);
  for (std::int64_t hop = 0; hop < config_.hops; ++hop)
    parts.push_back(affine(torch::tanh(affine(z_XND, w1_->weight[hop])), rows_PA[hop]));
  return torch::cat(parts, -1);
}

// s~ [..., P, D].
Tensor SelfAttentionFusion::weighted(const Tensor& e_XNP, const Tensor& z_XND,
                                     Recorder* recorder) const {
  const Published map = published(recorder, [&] { return weightsInfo(); });
  const Published read = published(recorder, [&] { return readLevelsInfo(); });
  Tensor z_XPND;  // only where it is asked for
  if (read.wanted()) {
    auto shape = z_XND.sizes().vec();
    shape.insert(shape.end() - 2, config_.hops);
    z_XPND = read.pass(z_XND.unsqueeze(-3).expand(shape));
  }
  if (!config_.featureWise) {
    // Eq. 6: a^l_p = exp(e^l_p) / sum_l' exp(e^l'_p), a softmax over levels, not over time.
    const Tensor a_XPN = map.pass(torch::softmax(e_XNP, -2).transpose(-1, -2));
    // Eq. 7: s~_p = sum_l a^l_p z~^l
    if (z_XPND.defined()) return torch::matmul(a_XPN.unsqueeze(-2), z_XPND).squeeze(-2);
    return product(a_XPN, z_XND);
  }
  // Eqs. 6 and 7 with a weight a^l_{p;k} for each dimension k of z~^l.
  Tensor a_XNPD = torch::softmax(e_XNP.unflatten(-1, {config_.hops, z_XND.size(-1)}), -3);
  if (map.wanted()) {
    const Tensor mean_XPN = map.pass(a_XNPD.mean(-1).transpose(-1, -2));
    if (map.replaces()) a_XNPD = mean_XPN.transpose(-1, -2).unsqueeze(-1);
  }
  return (a_XNPD * (z_XPND.defined() ? z_XPND.transpose(-2, -3) : z_XND.unsqueeze(-2))).sum(-3);
}

std::shared_ptr<Fusion> makeFusion(const FusionConfig& config, const FusionSizes& sizes,
                                   const FusionPlace& place) {
  switch (config.type) {
    case FusionType::kAverage:
      return std::make_shared<AverageFusion>(config, place);
    case FusionType::kMaximum:
      return std::make_shared<MaximumFusion>(config, place);
    case FusionType::kFeedForward:
      return std::make_shared<FeedForwardFusion>(config, sizes, place);
    case FusionType::kSelfAttention:
      return std::make_shared<SelfAttentionFusion>(config, sizes, place);
    case FusionType::kNone:
      break;
  }
  return nullptr;
}

}  // namespace strata::mlrf
