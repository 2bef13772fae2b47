#include "models/densenmt/layers.h"

#include <cmath>

#include "core/base/error.h"

namespace strata::densenmt {
namespace {

using torch::Tensor;
using Kind = LayerPlan::Kind;

Tensor joined(const Parts& parts) {
  return parts.size() == 1 ? parts.front() : torch::cat(parts, -1);
}

// Where the linear summary before a layer is published: "decoder.layers.3.summary".
Published summaryOf(Published block) {
  if (block.recorder == nullptr) return block;
  block.info.name.replace(block.info.name.rfind('.'), std::string::npos, ".summary");
  return block;
}

}  // namespace

void drawWeights(WeightNorm layer, Initialiser& random, double dropout) {
  const double gain = layer->isConvolution() ? 4 : 1;
  layer->initialise(
      random, std::sqrt(gain * (1 - dropout) / static_cast<double>(layer->kernel() * layer->in())));
}

SideEmbedding::SideEmbedding(torch::nn::Module& side, const DenseConfig& config,
                             std::int64_t vocabulary, const Tensor& shared,
                             const DropoutPointer& dropout)
    : tokens_(side, {vocabulary, config.tokenEmbedDim}, shared),
      positions_(side.register_module("embed_positions",
                                      Embedding(config.positionRows, config.tokenEmbedDim))),
      site_(dropout, DropoutSite::Kind::kFeatures) {
  if (config.tokenEmbedDim == config.embedDim) return;
  const auto projection = [&](const char* name) {
    return side.register_module(name, WeightNorm(config.tokenEmbedDim, config.embedDim));
  };
  tokensProjection_ = projection("embed_tokens_proj");
  positionsProjection_ = projection("embed_positions_proj");
}

void SideEmbedding::checkLength(std::int64_t words) const {
  const std::int64_t rows = positions_->weight.size(0);
  if (words <= rows - 2) return;
  throw usageError(
      "a sentence has {} tokens, </s> included, but model.position_rows = {} allows only {}: "
      "cut or leave out longer sentences, or train a model with more position_rows",
      words, rows, rows - 2);
}

Tensor SideEmbedding::sum(const Tensor& ids_BT, const Tensor& positions_TW) const {
  if (!tokensProjection_)
    return embed(tokens_.weight, ids_BT, /*scale=*/1, positions_TW, site_.draw());
  const Tensor words_BTW = embed(tokens_.weight, ids_BT, /*scale=*/1, {}, {});
  return applyDropout(
      linear({words_BTW}, tokensProjection_) + linear({positions_TW}, positionsProjection_),
      site_.draw());
}

Tensor SideEmbedding::forward(const Tensor& ids_BT) const {
  checkLength(ids_BT.size(1));
  return sum(ids_BT, positions_->weight.narrow(0, 2, ids_BT.size(1)));
}

Tensor SideEmbedding::newest(const Tensor& ids_R, const Backpointers& backpointers) const {
  checkLength(backpointers.steps());
  const Tensor newest_N = backpointers.newest(ids_R.device());  // of all rows, or each
  return sum(ids_R.view({-1, newest_N.size(0)}), positions_->weight.index_select(0, newest_N + 2))
      .flatten(0, 1);
}

void SideEmbedding::initialise(Initialiser& random, double dropout) {
  constexpr double kDeviation = 0.1;
  tokens_.initialise(random, kDeviation);
  random.normal(positions_->weight, kDeviation);
  if (!tokensProjection_) return;
  drawWeights(tokensProjection_, random, dropout);
  drawWeights(positionsProjection_, random, dropout);
}

ConvolutionLayerImpl::ConvolutionLayerImpl(const LayerPlan& plan, Reach reach,
                                           const DropoutPointer& dropout)
    : plan_(plan),
      left_(reach == Reach::kCausal ? plan.kernel - 1 : (plan.kernel - 1) / 2),
      conv_(register_module("conv", WeightNorm(plan.inputWidth, 2 * plan.width, plan.kernel))),
      site_(dropout, DropoutSite::Kind::kFeatures) {
  if (plan.projectsSkip)
    skipProjection_ = register_module("skip_proj", WeightNorm(plan.inputWidth, plan.width));
  if (plan.summarisedWidth > 0) {
    summaryProjection_ =
        register_module("summary_proj", WeightNorm(plan.summarisedWidth, plan.inputWidth));
  }
}

void ConvolutionLayerImpl::initialise(Initialiser& random, double dropout) {
  drawWeights(conv_, random, dropout);
  if (skipProjection_) drawWeights(skipProjection_, random, dropout);
  if (summaryProjection_) drawWeights(summaryProjection_, random, 0);
}

// Section 3.3: a summary projects the features of all layers before it back to the embedding size,
// if `summary_kind` is linear_extra and `base_width` embedding. The defaults depart from it: a
// summary is one of the layers (skip()) and as wide as h0, because the released code has it so.
Parts ConvolutionLayerImpl::read(const Parts& state, const Published& block) const {
  if (!summaryProjection_) return state;
  return {summaryOf(block).pass(linear(state, summaryProjection_))};
}

// Eq. 5: H(state)_j = GLU([state_{j-r}, .., state_{j+r}] W + b), in the decoder of positions up to
// j.
Tensor ConvolutionLayerImpl::convolve(const Parts& state, const SourceBatch& source) const {
  return convolutionGlu(state, conv_, source, {.left = left_, .dropout = site_.draw()});
}

Tensor ConvolutionLayerImpl::skip(const Parts& state) const {
  return skipProjection_ ? linear(state, skipProjection_) : joined(state);
}

Parts EncoderLayerImpl::forward(const Parts& state, const SourceBatch& source,
                                const Published& block) const {
  Parts x = read(state, block);
  const Tensor n_BSW = convolve(x, source);
  // Eq. 6: the next layer reads [h^{l+1}, h^l, .., h^0]
  if (plan_.kind == Kind::kDense) {
    x.insert(x.begin(), block.pass(n_BSW));
    return x;
  }
  // A residual layer, as in ConvS2S, or a summary.
  return {block.pass(scaledSum(n_BSW, skip(x), kRootHalf))};
}

DecoderLayerImpl::DecoderLayerImpl(const LayerPlan& plan, const DenseConfig& config,
                                   const DropoutPointer& dropout)
    : ConvolutionLayerImpl(plan, Reach::kCausal, dropout), queryWord_(!config.withoutQueryWord) {
  const auto attention = newPrefix(*this, "attn");
  query_ = attention->register_module("q_proj", WeightNorm(plan.width, config.embedDim));
  out_ = attention->register_module("out_proj", WeightNorm(config.embedDim, plan.width));
  for (std::size_t j = 0; j < attendedWidths(config).size(); ++j)
    weightsSites_.emplace_back(dropout, DropoutSite::Kind::kAttention);
}

void DecoderLayerImpl::initialise(Initialiser& random, double dropout) {
  ConvolutionLayerImpl::initialise(random, dropout);
  drawWeights(query_, random, 0);
  drawWeights(out_, random, 0);
}

// Q of Eqs. 9 and 10, L(z^l). Departs from the paper by default: sqrt(1/2) (L(z^l) + temb), because
// the released code adds the embedding of the target word to it, as ConvS2S does.
Tensor DecoderLayerImpl::query(const Tensor& c, const Tensor& temb) const {
  const Tensor q = linear({c}, query_);
  return queryWord_ ? scaledSum(q, temb, kRootHalf) : q;
}

// What the next layer reads.
Parts DecoderLayerImpl::extend(const Parts& state, Tensor a, Tensor c, const Maps& maps) const {
  const auto pass = [&](const Tensor& added) {
    return maps.levels.pass(maps.level, maps.block.pass(added));
  };
  // A residual layer, as in ConvS2S, or a summary.
  if (plan_.kind != Kind::kDense)
    return {pass(scaledSum(skip(state), scaledSum(a, c, kRootHalf), kRootHalf))};
  if (maps.levels.recorder != nullptr) {
    const auto used = pass(torch::cat({a, c}, -1)).chunk(2, -1);
    a = used[0];
    c = used[1];
  }
  // Eq. 7: [z^{l+1}, a^{l+1}, z^l, .., z^0], stored oldest first: only the columns' order differs.
  Parts extended = state;
  extended.insert(extended.end(), {a, c});
  return extended;
}

Parts DecoderLayerImpl::forward(const Parts& state, const Tensor& temb_BTE,
                                const DenseMemory& memory, const Maps& maps) const {
  const Parts y = read(state, maps.block);
  const Tensor c_BTW = convolve(y, {});
  const Tensor q_BTE = query(c_BTW, temb_BTE);
  // Eq. 10: a^{l+1} = sum_i F(L(z^{l+1}), L(h^i), L([h^i, h^0])), one attention per part with the
  // same query; Eq. 9 is the case of one part. Eq. 8 has no 1/sqrt(E), so the scale is 1. Departs
  // from the paper by default: the sum is multiplied by sqrt(S) sqrt(1/n), because the released
  // code keeps the variance that way. The Linear layer after it is no departure: F is linear in V,
  // so it is the last factor of V's L(.), which maps V to the width of a^{l+1}.
  std::vector<AttentionOptions> options;
  for (std::size_t j = 0; j < weightsSites_.size(); ++j) {
    options.push_back({.dropout = weightsSites_[j].draw(), .scale = 1, .map = maps.attention[j]});
  }
  const Tensor o_BTE = summedAttention(q_BTE, memory.parts_BSE, memory.source, options);
  const Tensor a_BTW = linear({o_BTE * memory.factor_B11}, out_);
  return extend(y, a_BTW, c_BTW, maps);
}

Parts DecoderLayerImpl::step(const Parts& state, const Tensor& temb_RE, const StepContext& context,
                             const Maps& maps) const {
  const Parts y = read(state, {});
  const Tensor newest_RI = joined(y);
  // The last K inputs; those before the first word are zero.
  context.past_RI.push_back(newest_RI);
  std::vector<Tensor> inputs_RI(static_cast<std::size_t>(plan_.kernel) - context.past_RI.size());
  inputs_RI.insert(inputs_RI.end(), context.past_RI.begin(), context.past_RI.end());
  if (inputs_RI.front().defined()) context.past_RI.erase(context.past_RI.begin());
  // Eq. 5 for the newest position.
  const Tensor c_RW = convolutionGluStep(inputs_RI, conv_);
  // Eqs. 8-10 for the newest position, with the same departures as in forward().
  const Tensor q_RE = query(c_RW, temb_RE);
  Tensor o_RE;
  for (std::size_t j = 0; j < context.keysValues_BS2E.size(); ++j) {
    const Tensor part = attendSource(q_RE, context.keysValues_BS2E[j], context.memory.source,
                                     context.backpointers, {.map = maps.attention[j], .scale = 1});
    o_RE = o_RE.defined() ? o_RE + part : part;
  }
  const Tensor a_RW = linear({o_RE * context.factor_R1}, out_);
  return extend(y, a_RW, c_RW, maps);
}

}  // namespace strata::densenmt
