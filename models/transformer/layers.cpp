#include "models/transformer/layers.h"

#include <cmath>

namespace strata::transformer {
namespace {

using torch::Tensor;
using Kind = DropoutSite::Kind;

FeedForward makeFeedForward(torch::nn::Module& layer, const LayerShape& shape,
                            const DropoutPointer& dropout) {
  return {layer.register_module("fc1", Linear(shape.width, shape.inner)),
          layer.register_module("fc2", Linear(shape.inner, shape.width)),
          layer.register_module("final_layer_norm", LayerNorm(shape.width)),
          DropoutSite(dropout, Kind::kActivation), DropoutSite(dropout, Kind::kFeatures)};
}

// What the model continues with instead of the heads' outputs [..., D] that a map's weights give.
Tensor passHeads(const Published& map, const Tensor& heads_XD, std::int64_t heads) {
  if (map.recorder == nullptr) return heads_XD;
  const RecordingInfo info = headsInfo(map.info);
  if (!map.recorder->wants(info.name)) return heads_XD;
  Tensor parts = heads_XD.unflatten(-1, {heads, heads_XD.size(-1) / heads});
  if (parts.dim() == 3) parts = parts.unsqueeze(1);  // a step of decoding has no axis of positions
  return map.recorder->publish(info, parts).reshape(heads_XD.sizes());
}

}  // namespace

RecordingInfo headsInfo(RecordingInfo map) {
  return {map.name + ".heads", "block", map.side, map.layer, {map.axes[1], "head", "feature"}};
}

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

// Every sublayer is LayerNorm(x + Dropout(Sublayer(x))) (sections 3.1 and 5.4).
Tensor FeedForward::forward(const Tensor& x) const {
  // Eq. 2: FFN(x) = max(0, x W_1 + b_1) W_2 + b_2. Departs from the paper: the activations may be
  // dropped out, because some public recipes do; the rate is 0 by default.
  return strata::feedForward(x, {first, second, norm, inner.draw(), outer.draw()});
}

EncoderLayerImpl::EncoderLayerImpl(const LayerShape& shape, const DropoutPointer& dropout)
    : heads_(shape.heads),
      attention_(register_module("self_attn", Projections(shape.width))),
      attentionNorm_(register_module("self_attn_layer_norm", LayerNorm(shape.width))),
      weightsDropout_(dropout, Kind::kAttention),
      attentionDropout_(dropout, Kind::kFeatures),
      feedForward_(makeFeedForward(*this, shape, dropout)) {}

Tensor EncoderLayerImpl::forward(const Tensor& x_BSD, const WordRows& rows, const Published& map) {
  // Eq. 1 in every head: softmax(Q K^T / sqrt(d_k)) V, with Q, K and V of x. Departs from the
  // paper: the weights may be dropped out, as the activations of the feed-forward network.
  const auto [packed_BS3D, residual_BSD] =
      packedLinearAndInput(x_BSD, {attention_->q, attention_->k, attention_->v});
  const Tensor heads_BSD = strata::selfAttention(
      packed_BS3D, rows, {.heads = heads_, .dropout = weightsDropout_.draw(), .map = map});
  // Section 3.2.2: MultiHead = [head_1; ..; head_h] W^O
  return feedForward_.forward(linearDropoutNorm(passHeads(map, heads_BSD, heads_), attention_->out,
                                                residual_BSD, attentionNorm_,
                                                attentionDropout_.draw()));
}

void EncoderLayerImpl::initialise(Initialiser& random, bool xavier) {
  attention_->initialise(random, xavier);
  random.fanIn(feedForward_.first);
  random.fanIn(feedForward_.second);
}

DecoderLayerImpl::DecoderLayerImpl(const LayerShape& shape, const DropoutPointer& dropout)
    : heads_(shape.heads),
      attention_(register_module("self_attn", Projections(shape.width))),
      attentionNorm_(register_module("self_attn_layer_norm", LayerNorm(shape.width))),
      sourceAttention_(register_module("encoder_attn", Projections(shape.width))),
      sourceNorm_(register_module("encoder_attn_layer_norm", LayerNorm(shape.width))),
      weightsDropout_(dropout, Kind::kAttention),
      attentionDropout_(dropout, Kind::kFeatures),
      sourceWeightsDropout_(dropout, Kind::kAttention),
      sourceDropout_(dropout, Kind::kFeatures),
      feedForward_(makeFeedForward(*this, shape, dropout)) {}

Tensor DecoderLayerImpl::forward(const Tensor& x_BTD, const Tensor& memory_BSD,
                                 const AttentionRows& rows, const Maps& maps) {
  // Eq. 1 with Q, K and V of x; position i attends to positions up to i (section 3.2.3).
  const auto [packed_BT3D, residual_BTD] =
      packedLinearAndInput(x_BTD, {attention_->q, attention_->k, attention_->v});
  const Tensor history_BTD = strata::selfAttention(
      packed_BT3D, rows.queries,
      {.heads = heads_, .causal = true, .dropout = weightsDropout_.draw(), .map = maps.self});
  const Tensor y_BTD = linearDropoutNorm(passHeads(maps.self, history_BTD, heads_), attention_->out,
                                         residual_BTD, attentionNorm_, attentionDropout_.draw());
  // Eq. 1 with Q of y, K and V of the encoder's output.
  const auto [queries_BTD, sourceResidual_BTD] = packedLinearAndInput(y_BTD, {sourceAttention_->q});
  const Tensor context_BTD = strata::crossAttention(
      queries_BTD, keysValues(memory_BSD), rows,
      {.heads = heads_, .dropout = sourceWeightsDropout_.draw(), .map = maps.source});
  return feedForward_.forward(linearDropoutNorm(passHeads(maps.source, context_BTD, heads_),
                                                sourceAttention_->out, sourceResidual_BTD,
                                                sourceNorm_, sourceDropout_.draw()));
}

Tensor DecoderLayerImpl::keysValues(const Tensor& memory_BSD) const {
  return packedLinear(memory_BSD, {sourceAttention_->k, sourceAttention_->v});
}

Tensor DecoderLayerImpl::step(const Tensor& x_RD, const StepContext& context,
                              const Maps& maps) const {
  // Eq. 1 with Q of the newest position, K and V of all positions so far.
  const Tensor history_RD =
      context.history.attend(packedLinear(x_RD, {attention_->q, attention_->k, attention_->v}),
                             context.backpointers, {heads_, maps.self});
  const Tensor y_RD = linearDropoutNorm(passHeads(maps.self, history_RD, heads_), attention_->out,
                                        x_RD, attentionNorm_, {});
  // Eq. 1 with Q of y, K and V of the encoder's output.
  const Tensor context_RD =
      attendSource(packedLinear(y_RD, {sourceAttention_->q}), context.keysValues_BS2D,
                   context.source, context.backpointers, {heads_, maps.source});
  return feedForward_.forward(linearDropoutNorm(passHeads(maps.source, context_RD, heads_),
                                                sourceAttention_->out, y_RD, sourceNorm_, {}));
}

void DecoderLayerImpl::initialise(Initialiser& random, bool xavier) {
  attention_->initialise(random, xavier);
  sourceAttention_->initialise(random, xavier);
  random.fanIn(feedForward_.first);
  random.fanIn(feedForward_.second);
}

}  // namespace strata::transformer
