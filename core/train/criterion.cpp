#include "core/train/criterion.h"

#include "core/nn/arithmetic.h"
#include "core/nn/dropout.h"
#include "core/nn/function_cpu.h"

namespace strata {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::int64_t kCut = -1;

struct Joining {
  PassWeights weights;
  CrossEntropyOptions options;
};

// One chunk of positions in one of the passes. `padded_N`: given if the chunk contains padding.
struct Chunk {
  Tensor words_N, padded_N;
};
struct Scored {
  Tensor logP_NV, p_NV, nll_N, loss_N;
};
Scored score(const Tensor& x_ND, const Tensor& weight, const Tensor& bias, const Chunk& chunk,
             double smoothing) {
  Scored scored;
  scored.logP_NV = torch::log_softmax(affine(x_ND, weight, bias), -1);
  scored.p_NV = scored.logP_NV.exp();
  scored.nll_N = -scored.logP_NV.gather(1, chunk.words_N.unsqueeze(1)).squeeze(1);
  scored.loss_N = (1 - smoothing) * scored.nll_N - smoothing * scored.logP_NV.mean(1);
  if (chunk.padded_N.defined()) {
    scored.nll_N.masked_fill_(chunk.padded_N, 0);
    scored.loss_N.masked_fill_(chunk.padded_N, 0);
  }
  return scored;
}

// The positions that are scored: the real ones if the host can count them; on a GPU, where that
// would mean waiting, all of them, with padding counted as zero: both passes see zeros there, so
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

// d/d scores of: own * loss(p) + from * KL(p || q) + to * KL(q || p), where p belongs to this pass.
struct Shares {
  double own, from, to;
};
Tensor gradientOf(const Scored& p, const Scored& q, const Chunk& chunk, const Shares& shares,
                  double smoothing) {
  Tensor gradient = torch::zeros_like(p.p_NV);
  if (shares.own != 0) {
    gradient.add_(p.p_NV - smoothing / static_cast<double>(p.p_NV.size(1)), shares.own);
    gradient.scatter_add_(
        1, chunk.words_N.unsqueeze(1),
        torch::full({chunk.words_N.size(0), 1}, -(1 - smoothing) * shares.own, gradient.options()));
    if (chunk.padded_N.defined()) gradient.masked_fill_(chunk.padded_N.unsqueeze(1), 0);
  }
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

// Loss and gradients in one pass over the positions, so that only one chunk of vocabulary scores is
// in memory at a time.
struct Joined : torch::autograd::Function<Joined> {
  static variable_list forward(AutogradContext* context, const Tensor& first, const Tensor& second,
                               const Tensor& weight, const std::optional<Tensor>& maybeBias,
                               const Tensor& targets, const Joining& joining) {
    const std::int64_t width = first.size(-1);
    const Positions positions(targets.reshape({-1}));
    const Tensor words_N = positions.words(targets.reshape({-1})),
                 bias = maybeBias.value_or(Tensor{});
    const Tensor x[2] = {positions.features(first.reshape({-1, width})),
                         positions.features(second.reshape({-1, width}))};
    const Tensor gradX[2] = {torch::empty_like(x[0]), torch::empty_like(x[1])};
    Tensor gradWeight = torch::zeros_like(weight),
           gradBias = bias.defined() ? torch::zeros_like(bias) : Tensor{};
    const auto doubles = targets.options().dtype(torch::kFloat64);
    Tensor loss = torch::zeros({}, doubles), nll = torch::zeros({}, doubles),
           errors = torch::zeros({}, doubles);
    const PassWeights& w = joining.weights;
    const double smoothing = joining.options.labelSmoothing;
    const std::int64_t positionsAtOnce = joining.options.positionsAtOnce;
    for (std::int64_t begin = 0; begin < words_N.size(0); begin += positionsAtOnce) {
      const std::int64_t count = std::min(positionsAtOnce, words_N.size(0) - begin);
      const Chunk chunk{words_N.narrow(0, begin, count), positions.padded(begin, count)};
      const auto one = score(x[0].narrow(0, begin, count), weight, bias, chunk, smoothing),
                 two = score(x[1].narrow(0, begin, count), weight, bias, chunk, smoothing);
      loss += w.first * one.loss_N.sum(torch::kFloat64) +
              w.second * two.loss_N.sum(torch::kFloat64) + w.firstSecond * divergence(one, two) +
              w.secondFirst * divergence(two, one);
      nll += one.nll_N.sum(torch::kFloat64);
      Tensor wrong_N = one.logP_NV.argmax(1) != chunk.words_N;
      if (chunk.padded_N.defined()) wrong_N = wrong_N.masked_fill(chunk.padded_N, false);
      errors += wrong_N.sum().to(torch::kFloat64);
      const Tensor gradients[2] = {
          gradientOf(one, two, chunk, {w.first, w.firstSecond, w.secondFirst}, smoothing),
          gradientOf(two, one, chunk, {w.second, w.secondFirst, w.firstSecond}, smoothing)};
      for (int pass = 0; pass < 2; ++pass) {
        gradX[pass].narrow(0, begin, count).copy_(product(gradients[pass], weight));
        gradWeight =
            plusProduct(gradWeight, gradients[pass].t(), x[pass].narrow(0, begin, count).t());
        if (bias.defined()) gradBias += gradients[pass].sum(0);
      }
    }
    context->save_for_backward({gradX[0], gradX[1], gradWeight, gradBias, positions.rows});
    context->saved_data["shape"] = first.sizes().vec();
    context->mark_non_differentiable({nll, errors});
    return {loss, nll, errors};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    const auto saved = context->get_saved_variables();
    const auto shape = context->saved_data["shape"].toIntVector();
    const Tensor factor = gradOut[0].to(saved[0].scalar_type());
    const auto spread = [&](const Tensor& gradX) {
      if (!saved[4].defined()) return (gradX * factor).view(shape);
      const Tensor whole = torch::zeros(shape, gradX.options());
      whole.view({-1, shape.back()}).index_copy_(0, saved[4], gradX * factor);
      return whole;
    };
    return {spread(saved[0]),  spread(saved[1]),
            saved[2] * factor, saved[3].defined() ? saved[3] * factor : Tensor{},
            Tensor{},          Tensor{}};
  }
};

Tensor repeated(const Tensor& x) {
  return torch::cat({x, x}, 0);
}

// Both passes as one batch with twice the sentences.
Tensor doubledFeatures(TranslationModel& model, const BatchTensors& batch, const Tensor& source_BS,
                       const Tensor& target_BT) {
  const auto source = makeSourceBatch(source_BS, repeated(batch.source.lengths_B));
  const auto memory = model.encode(source, nullptr);
  return model.decode(*memory, target_BT, nullptr);
}

// The ids twice, with words cut out of the second copy.
Tensor withCuts(const Tensor& ids, const Dropout& cut) {
  const Tensor kept =
      applyDropout(torch::ones({ids.numel(), 1}, ids.options().dtype(torch::kFloat32)), cut);
  const Tensor cutHere = (kept.view(ids.sizes()) == 0) & (ids != kPadId);
  return torch::cat({ids, ids.masked_fill(cutHere, kCut)}, 0);
}

}  // namespace

CrossEntropy joinedLoss(TranslationModel& model, const Tensor& first_BTD, const Tensor& second_BTD,
                        const Tensor& targetOut_BT, const CrossEntropyOptions& options,
                        const PassWeights& weights) {
  const auto [weight, bias] = model.projection();
  const auto sums = Joined::apply(first_BTD, second_BTD, weight, cpu::maybe(bias), targetOut_BT,
                                  Joining{weights, options});
  return {sums[0], sums[1], options.countErrors ? sums[2] : Tensor{}};
}

CrossEntropy trainingLoss(TranslationModel& model, const BatchTensors& batch,
                          const CriterionSpec& criterion, const TrainingLossOptions& request) {
  const CrossEntropyOptions options{.labelSmoothing = criterion.labelSmoothing,
                                    .countErrors = true,
                                    .positionsAtOnce = request.positionsAtOnce};
  if (criterion.rDrop == 0 && criterion.simcutAlpha == 0) {
    const auto memory = model.encode(batch.source, nullptr);
    return crossEntropy(model, model.decode(*memory, batch.targetIn_BT, nullptr),
                        batch.targetOut_BT, options);
  }
  Tensor features;
  PassWeights weights;
  if (criterion.rDrop > 0) {
    features =
        doubledFeatures(model, batch, repeated(batch.source.ids_BS), repeated(batch.targetIn_BT));
    weights = {0.5, 0.5, criterion.rDrop / 4, criterion.rDrop / 4};
  } else {
    const Dropout ofSource{criterion.simcutP, request.key},
        ofTarget{criterion.simcutP, ~request.key};
    features = doubledFeatures(model, batch, withCuts(batch.source.ids_BS, ofSource),
                               withCuts(batch.targetIn_BT, ofTarget));
    weights = {1, 0, criterion.simcutAlpha, 0};
  }
  const auto passes = features.chunk(2, 0);
  return joinedLoss(model, passes[0], passes[1], batch.targetOut_BT, options, weights);
}

}  // namespace strata
