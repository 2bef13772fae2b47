#include "core/nn/plain_cross_entropy.h"

#include <torch/autograd.h>

#include <algorithm>
#include <vector>

#include "core/data/batch.h"
#include "core/nn/arithmetic.h"
#include "core/nn/function_cpu.h"

namespace strata::plain {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Some of the positions. `padded_N`: given if they contain padding.
struct Chunk {
  Tensor words_N, padded_N;

  Tensor masked(const Tensor& values_N) const {
    return padded_N.defined() ? values_N.masked_fill(padded_N, 0) : values_N;
  }
};

Chunk wholeOf(const Tensor& targetOut_BT) {
  const Tensor words_N = targetOut_BT.reshape({-1});
  return {words_N, words_N == kPadId};
}

struct Scored {
  Tensor logP_NV, nll_N, loss_N;
  Tensor p_NV = {};  // only of joined passes
};
Scored scored(const Tensor& scores_NV, const Chunk& chunk, double smoothing) {
  Scored scored;
  scored.logP_NV = torch::log_softmax(scores_NV, -1);
  const Tensor nll_N = -scored.logP_NV.gather(1, chunk.words_N.unsqueeze(1)).squeeze(1);
  scored.nll_N = scored.loss_N = chunk.masked(nll_N);
  if (smoothing > 0)
    scored.loss_N = chunk.masked((1 - smoothing) * nll_N - smoothing * scored.logP_NV.mean(1));
  return scored;
}

Tensor countErrors(const Scored& pass, const Chunk& chunk) {
  Tensor wrong_N = pass.logP_NV.argmax(1) != chunk.words_N;
  if (chunk.padded_N.defined()) wrong_N = wrong_N.masked_fill(chunk.padded_N, false);
  return wrong_N.sum().to(torch::kFloat64);
}

// The positions that are scored: the real ones if the host can count them; on a GPU, where that
// would mean waiting, all of them, with padding counted as zero: joined passes see zeros there, so
// their divergence is 0, and own losses are masked.
struct Positions {
  explicit Positions(const Tensor& words) : all_(!words.is_cpu()) {
    if (all_) {
      padded_ = words == kPadId;
    } else {
      rows = (words != kPadId).nonzero().view({-1});
    }
  }
  Tensor words(const Tensor& words) const { return all_ ? words : words.index_select(0, rows); }
  Tensor features(const Tensor& x) const {
    return all_ ? x.masked_fill(padded_.unsqueeze(1), 0) : x.index_select(0, rows);
  }
  Tensor padded(std::int64_t begin, std::int64_t count) const {
    return all_ ? padded_.narrow(0, begin, count) : Tensor{};
  }

  Tensor rows;  // indices of the real ones; undefined: all

 private:
  bool all_;
  Tensor padded_;
};

// Values of the scored positions [N, ...] in a shape that has all of them, zeros elsewhere.
Tensor spread(const Tensor& values, const Tensor& rows, at::IntArrayRef shape) {
  if (!rows.defined()) return values.view(shape);
  const Tensor whole = torch::zeros(shape, values.options());
  auto flat = values.sizes().vec();
  flat.front() = -1;
  whole.view(flat).index_copy_(0, rows, values);
  return whole;
}

struct Inputs {
  Inputs(const std::vector<Tensor>& features_BTD, const TranslationModel::Projection& projection,
         const Tensor& targetOut_BT)
      : output(projection), positions(targetOut_BT.reshape({-1})) {
    words_N = positions.words(targetOut_BT.reshape({-1}));
    for (const Tensor& x : features_BTD)
      x_ND.push_back(positions.features(x.reshape({-1, x.size(-1)})));
  }

  std::vector<Tensor> x_ND;  // one per pass
  TranslationModel::Projection output;
  Positions positions;
  Tensor words_N;
};

// Calls body(chunk, x, begin) for one chunk of positions after another; x has the features of every
// pass.
template <typename Body>
void forEachChunk(const Inputs& inputs, std::int64_t atOnce, const Body& body) {
  const std::int64_t all = inputs.words_N.size(0);
  if (atOnce == 0) atOnce = positionsAtOnce(inputs.words_N.device());
  for (std::int64_t begin = 0; begin < all; begin += atOnce) {
    const std::int64_t count = std::min(atOnce, all - begin);
    std::vector<Tensor> x_ND;
    for (const Tensor& x : inputs.x_ND) x_ND.push_back(x.narrow(0, begin, count));
    body(Chunk{inputs.words_N.narrow(0, begin, count), inputs.positions.padded(begin, count)}, x_ND,
         begin);
  }
}

// d/d scores of share * loss(p), in place of p.
Tensor ownGradient(Tensor p_NV, const Chunk& chunk, double share, double smoothing) {
  if (smoothing > 0) p_NV.sub_(smoothing / static_cast<double>(p_NV.size(1)));
  if (share != 1) p_NV.mul_(share);
  p_NV.scatter_add_(
      1, chunk.words_N.unsqueeze(1),
      torch::full({chunk.words_N.size(0), 1}, -(1 - smoothing) * share, p_NV.options()));
  if (chunk.padded_N.defined()) p_NV.masked_fill_(chunk.padded_N.unsqueeze(1), 0);
  return p_NV;
}

// d/d scores of: own * loss(p) + from * KL(p || q) + to * KL(q || p), where p belongs to this pass.
struct Shares {
  double own, from, to;
};
Tensor joinedGradient(const Scored& p, const Scored& q, const Chunk& chunk, const Shares& shares,
                      double smoothing) {
  Tensor gradient = shares.own == 0 ? torch::zeros_like(p.p_NV)
                                    : ownGradient(p.p_NV.clone(), chunk, shares.own, smoothing);
  if (shares.from != 0) {
    const Tensor difference = p.logP_NV - q.logP_NV;
    const Tensor divergence_N1 = (p.p_NV * difference).sum(1, true);
    gradient.add_(p.p_NV * (difference - divergence_N1), shares.from);
  }
  if (shares.to != 0) gradient.add_(p.p_NV - q.p_NV, shares.to);
  return gradient;
}

Tensor divergence(const Scored& p, const Scored& q) {
  return (p.p_NV * (p.logP_NV - q.logP_NV)).sum().to(torch::kFloat64);
}

struct Request {
  PassWeights weights;
  CrossEntropyOptions options;
  bool gradient;
};

// Adds up losses and gradients, chunk by chunk.
class Sums {
 public:
  Sums(const Inputs& inputs, const Request& request) : inputs_(inputs), request_(request) {
    for (Tensor* sum : {&loss, &nll, &errors})
      *sum = torch::zeros({}, inputs.words_N.options().dtype(torch::kFloat64));
    if (!request.gradient) return;
    for (const Tensor& x : inputs.x_ND) gradX_ND.push_back(torch::empty_like(x));
    gradWeight_VD = torch::zeros_like(inputs.output.weight_VD);
    if (inputs.output.bias_V.defined()) gradBias_V = torch::zeros_like(inputs.output.bias_V);
  }

  void add(const Chunk& chunk, const std::vector<Tensor>& x_ND, std::int64_t begin) {
    const auto& [weight, bias] = inputs_.output;
    std::vector<Scored> passes;
    for (const Tensor& x : x_ND)
      passes.push_back(scored(affine(x, weight, bias), chunk, request_.options.labelSmoothing));
    addLosses(passes, chunk);
    if (!request_.gradient) return;
    for (std::size_t pass = 0; pass < passes.size(); ++pass) {
      const std::int64_t count = x_ND[pass].size(0);
      addAffineGradients(gradientOf(passes, pass, chunk), x_ND[pass], weight,
                         {.x_NI = gradX_ND[pass].narrow(0, begin, count),
                          .weight_OI = gradWeight_VD,
                          .bias_O = gradBias_V});
    }
  }

  Tensor loss, nll, errors;      // as in CrossEntropy; errors 0 unless counted
  std::vector<Tensor> gradX_ND;  // one per pass; empty without gradients
  Tensor gradWeight_VD, gradBias_V;

 private:
  void addLosses(std::vector<Scored>& passes, const Chunk& chunk) {
    const Scored& first = passes.front();
    nll += first.nll_N.sum(torch::kFloat64);
    if (request_.options.countErrors) errors += countErrors(first, chunk);
    if (passes.size() == 1) {
      loss += first.loss_N.sum(torch::kFloat64);
      return;
    }
    for (Scored& pass : passes) pass.p_NV = pass.logP_NV.exp();
    const Scored& second = passes.back();
    const PassWeights& w = request_.weights;
    loss += w.first * first.loss_N.sum(torch::kFloat64) +
            w.second * second.loss_N.sum(torch::kFloat64) +
            w.firstSecond * divergence(first, second) + w.secondFirst * divergence(second, first);
  }

  // d/d scores of a pass. A single pass's log p is overwritten.
  Tensor gradientOf(std::vector<Scored>& passes, std::size_t pass, const Chunk& chunk) const {
    const double smoothing = request_.options.labelSmoothing;
    if (passes.size() == 1) return ownGradient(passes[0].logP_NV.exp_(), chunk, 1, smoothing);
    const PassWeights& w = request_.weights;
    return pass == 0 ? joinedGradient(passes[0], passes[1], chunk,
                                      {w.first, w.firstSecond, w.secondFirst}, smoothing)
                     : joinedGradient(passes[1], passes[0], chunk,
                                      {w.second, w.secondFirst, w.firstSecond}, smoothing);
  }

  const Inputs& inputs_;
  const Request& request_;
};

struct Chunked : torch::autograd::Function<Chunked> {
  static variable_list forward(AutogradContext* context, const Tensor& first,
                               const std::optional<Tensor>& second, const Tensor& weight,
                               const std::optional<Tensor>& bias, const Tensor& targets,
                               const Request& request) {
    std::vector<Tensor> features{first};
    if (second) features.push_back(*second);
    const Inputs inputs(features, {weight, bias.value_or(Tensor{})}, targets);
    Sums sums(inputs, request);
    forEachChunk(inputs, request.options.positionsAtOnce,
                 [&](const Chunk& chunk, const std::vector<Tensor>& x_ND, std::int64_t begin) {
                   sums.add(chunk, x_ND, begin);
                 });
    if (request.gradient) {
      variable_list saved{sums.gradWeight_VD, sums.gradBias_V, inputs.positions.rows};
      saved.insert(saved.end(), sums.gradX_ND.begin(), sums.gradX_ND.end());
      context->save_for_backward(saved);
      context->saved_data["shape"] = first.sizes().vec();
    }
    context->mark_non_differentiable({sums.nll, sums.errors});
    return {sums.loss, sums.nll, sums.errors};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    const auto saved = context->get_saved_variables();
    const auto shape = context->saved_data["shape"].toIntVector();
    const auto scaled = [&](const Tensor& gradient) {
      return gradient.defined() ? gradient * gradOut[0].to(gradient.scalar_type()) : Tensor{};
    };
    const auto ofPass = [&](std::size_t pass) {
      return saved.size() > 3 + pass ? spread(scaled(saved[3 + pass]), saved[2], shape) : Tensor{};
    };
    return {ofPass(0), ofPass(1), scaled(saved[0]), scaled(saved[1]), Tensor{}, Tensor{}};
  }
};

}  // namespace

CrossEntropy crossEntropy(const Passes& passes, const TranslationModel::Projection& projection,
                          const Tensor& targetOut_BT, const CrossEntropyOptions& options) {
  const auto& [weight, bias] = projection;
  const auto& second = passes.second_BTD;
  const bool gradient = torch::GradMode::is_enabled() &&
                        (passes.first_BTD.requires_grad() || (second && second->requires_grad()) ||
                         weight.requires_grad());
  const auto sums = Chunked::apply(passes.first_BTD, second, weight, cpu::maybe(bias), targetOut_BT,
                                   Request{passes.weights, options, gradient});
  return {sums[0], sums[1], options.countErrors ? sums[2] : Tensor{}};
}

Tensor tokenLogProbabilities(const Tensor& features_BTD,
                             const TranslationModel::Projection& projection,
                             const Tensor& targetOut_BT) {
  const Inputs inputs({features_BTD}, projection, targetOut_BT);
  const Tensor logP_N = torch::empty({inputs.words_N.size(0)}, projection.weight_VD.options());
  forEachChunk(inputs, /*atOnce=*/0,
               [&](const Chunk& chunk, const std::vector<Tensor>& x_ND, std::int64_t begin) {
                 const Tensor scores_NV =
                     affine(x_ND.front(), projection.weight_VD, projection.bias_V);
                 const Tensor nll_N = scored(scores_NV, chunk, /*smoothing=*/0).nll_N;
                 logP_N.narrow(0, begin, nll_N.size(0)).copy_(-nll_N);
               });
  return spread(logP_N, inputs.positions.rows, targetOut_BT.sizes());
}

CrossEntropy crossEntropyOf(const Tensor& scores_BTV, const Tensor& targetOut_BT,
                            const CrossEntropyOptions& options) {
  const Chunk chunk = wholeOf(targetOut_BT);
  const Scored pass = scored(scores_BTV.flatten(0, -2), chunk, options.labelSmoothing);
  return {pass.loss_N.sum(torch::kFloat64), pass.nll_N.detach().sum(torch::kFloat64),
          options.countErrors ? countErrors(pass, chunk) : Tensor{}};
}

Tensor tokenLogProbabilitiesOf(const Tensor& scores_BTV, const Tensor& targetOut_BT) {
  const Chunk chunk = wholeOf(targetOut_BT);
  return -scored(scores_BTV.flatten(0, -2), chunk, /*smoothing=*/0).nll_N.view_as(targetOut_BT);
}

}  // namespace strata::plain
