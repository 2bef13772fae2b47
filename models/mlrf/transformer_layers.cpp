#include "models/mlrf/transformer_layers.h"

#include <cmath>

namespace strata::mlrf {
namespace {

using torch::Tensor;
using Kind = DropoutSite::Kind;

FeedForward makeFeedForward(torch::nn::Module& layer, const MlrfConfig& config,
                            const DropoutPointer& dropout) {
  return {layer.register_module("fc1", Linear(config.embedDim, config.ffnDim)),
          layer.register_module("fc2", Linear(config.ffnDim, config.embedDim)),
          layer.register_module("final_layer_norm", LayerNorm(config.embedDim)),
          DropoutSite(dropout, Kind::kActivation), DropoutSite(dropout, Kind::kFeatures)};
}

}  // namespace

ProjectionsImpl::ProjectionsImpl(std::int64_t width)
    : q(register_module("q_proj", Linear(width, width))),
      k(register_module("k_proj", Linear(width, width))),
      v(register_module("v_proj", Linear(width, width))),
      out(register_module("out_proj", Linear(width, width))) {}

void ProjectionsImpl::initialise(Initialiser& random, bool xavier) {
  for (const Linear& linear : {q, k, v, out}) random.fanIn(linear);
  if (!xavier) return;
  for (const Linear& linear : {q, k, v}) random.xavier(linear->weight, 1 / std::sqrt(2.0));
  random.xavier(out->weight, 1);
  const torch::NoGradGuard frozen;
  out->bias.zero_();
}

Tensor FeedForward::forward(const Tensor& x) const {
  const Tensor hidden = linearReluDropout(x, first, inner.draw());
  return linearDropoutNorm(hidden, second, x, norm, outer.draw());
}

EncoderLayerImpl::EncoderLayerImpl(const MlrfConfig& config, const DropoutPointer& dropout)
    : heads_(config.heads),
      attention_(register_module("self_attn", Projections(config.embedDim))),
      attentionNorm_(register_module("self_attn_layer_norm", LayerNorm(config.embedDim))),
      weightsDropout_(dropout, Kind::kAttention),
      attentionDropout_(dropout, Kind::kFeatures),
      feedForward_(makeFeedForward(*this, config, dropout)) {}

Tensor EncoderLayerImpl::forward(const Tensor& x_BSD, const SourceBatch& source,
                                 const Published& map) {
  const Tensor packed_BS3D = packedLinear(x_BSD, {attention_->q, attention_->k, attention_->v});
  const Tensor context_BSD = strata::selfAttention(
      packed_BS3D, source, {.heads = heads_, .dropout = weightsDropout_.draw(), .map = map});
  return feedForward_.forward(linearDropoutNorm(context_BSD, attention_->out, x_BSD, attentionNorm_,
                                                attentionDropout_.draw()));
}

void EncoderLayerImpl::initialise(Initialiser& random, bool xavier) {
  attention_->initialise(random, xavier);
  random.fanIn(feedForward_.first);
  random.fanIn(feedForward_.second);
}

DecoderLayerImpl::DecoderLayerImpl(const MlrfConfig& config, const DropoutPointer& dropout)
    : heads_(config.heads),
      attention_(register_module("self_attn", Projections(config.embedDim))),
      attentionNorm_(register_module("self_attn_layer_norm", LayerNorm(config.embedDim))),
      sourceAttention_(register_module("encoder_attn", Projections(config.embedDim))),
      sourceNorm_(register_module("encoder_attn_layer_norm", LayerNorm(config.embedDim))),
      weightsDropout_(dropout, Kind::kAttention),
      attentionDropout_(dropout, Kind::kFeatures),
      sourceWeightsDropout_(dropout, Kind::kAttention),
      sourceDropout_(dropout, Kind::kFeatures),
      feedForward_(makeFeedForward(*this, config, dropout)) {}

Tensor DecoderLayerImpl::forward(const Tensor& x_BTD, const Tensor& memory_BSD,
                                 const SourceBatch& source, const Maps& maps) {
  const Tensor packed_BT3D = packedLinear(x_BTD, {attention_->q, attention_->k, attention_->v});
  const Tensor history_BTD = strata::selfAttention(
      packed_BT3D, {},
      {.heads = heads_, .causal = true, .dropout = weightsDropout_.draw(), .map = maps.self});
  const Tensor y_BTD = linearDropoutNorm(history_BTD, attention_->out, x_BTD, attentionNorm_,
                                         attentionDropout_.draw());
  const Tensor context_BTD = strata::crossAttention(
      packedLinear(y_BTD, {sourceAttention_->q}), keysValues(memory_BSD), source,
      {.heads = heads_, .dropout = sourceWeightsDropout_.draw(), .map = maps.source});
  return feedForward_.forward(linearDropoutNorm(context_BTD, sourceAttention_->out, y_BTD,
                                                sourceNorm_, sourceDropout_.draw()));
}

Tensor DecoderLayerImpl::keysValues(const Tensor& memory_BSD) const {
  return packedLinear(memory_BSD, {sourceAttention_->k, sourceAttention_->v});
}

Tensor DecoderLayerImpl::step(const Tensor& x_RD, const StepContext& context,
                              const Maps& maps) const {
  const Tensor history_RD =
      context.history.attend(packedLinear(x_RD, {attention_->q, attention_->k, attention_->v}),
                             context.backpointers, context.table, {heads_, maps.self});
  const Tensor y_RD = linearDropoutNorm(history_RD, attention_->out, x_RD, attentionNorm_, {});
  const Tensor context_RD =
      attendSource(packedLinear(y_RD, {sourceAttention_->q}), context.keysValues_BS2D,
                   context.source, context.backpointers, {heads_, maps.source});
  return feedForward_.forward(
      linearDropoutNorm(context_RD, sourceAttention_->out, y_RD, sourceNorm_, {}));
}

void DecoderLayerImpl::initialise(Initialiser& random, bool xavier) {
  attention_->initialise(random, xavier);
  sourceAttention_->initialise(random, xavier);
  random.fanIn(feedForward_.first);
  random.fanIn(feedForward_.second);
}

}  // namespace strata::mlrf
