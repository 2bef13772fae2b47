#include "core/nn/cross_entropy.h"

#include <optional>

#include "core/data/batch.h"
#include "core/nn/cpu_products.h"
#include "core/nn/function_cpu.h"
#include "core/nn/gradient_place.h"
#include "core/nn/plain_cross_entropy.h"

namespace strata {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Request {
  CrossEntropyOptions options;
  bool gradient;
};

// One pass over the positions that are not padding, and its results.
struct LossPass {
  Tensor rows_N;  // their indices among all positions
  Tensor x_ND, weight, bias, targets_N;
  std::optional<cpu::Factor> weight_VD, weight_DV;  // for scores and gradX; none if packed already
  Request request;
  Tensor gradX, gradWeight, gradBias;  // undefined unless wanted
  Tensor nll_N, loss_N, wrong_N;
};

template <typename T>
void scoreRows(LossPass& pass, std::int64_t begin, std::int64_t count) {
  const Tensor x = pass.x_ND.narrow(0, begin, count);
  const Tensor scores = pass.weight_VD ? pass.weight_VD->times(x) : affine(x, pass.weight);
  kernels::CrossEntropyArguments<T> arguments{};
  arguments.scores = scores.data_ptr<T>();
  arguments.bias = cpu::pointer<T>(pass.bias);
  arguments.targets = pass.targets_N.data_ptr<std::int64_t>() + begin;
  arguments.smoothing = pass.request.options.labelSmoothing;
  arguments.wantGradient = pass.request.gradient;
  arguments.biasGrad = cpu::pointer<T>(pass.gradBias);
  arguments.nll = pass.nll_N.data_ptr<double>() + begin;
  arguments.loss = pass.loss_N.data_ptr<double>() + begin;
  arguments.wrong = pass.wrong_N.defined() ? pass.wrong_N.data_ptr<bool>() + begin : nullptr;
  kernels::crossEntropy(arguments, cpu::extentOf(scores));
  if (!pass.request.gradient) return;
  pass.weight_DV->times(scores, {.out = pass.gradX.narrow(0, begin, count)});
  cpu::multiplyGradient(scores, x, pass.gradWeight, /*adds=*/begin > 0);
}

LossPass runPass(const Tensor& features, const TranslationModel::Projection& output,
                 const Tensor& targets, const Request& request) {
  LossPass pass;
  const Tensor words = targets.reshape({-1});
  pass.rows_N = (words != kPadId).nonzero().view({-1});
  pass.x_ND = features.reshape({-1, features.size(-1)}).index_select(0, pass.rows_N);
  pass.targets_N = words.index_select(0, pass.rows_N);
  pass.weight = output.weight_VD.contiguous();
  if (packedWeights() == nullptr) pass.weight_VD.emplace(pass.weight);
  if (request.gradient) pass.weight_DV.emplace(pass.weight.t());
  pass.bias = output.bias_V;
  pass.request = request;
  const std::int64_t rows = pass.x_ND.size(0);
  const auto doubles = torch::dtype(torch::kFloat64);
  pass.nll_N = torch::empty({rows}, doubles);
  pass.loss_N = torch::empty({rows}, doubles);
  if (pass.request.options.countErrors) pass.wrong_N = torch::empty({rows}, torch::kBool);
  if (pass.request.gradient) {
    pass.gradX = torch::empty_like(pass.x_ND);
    pass.gradWeight = rows > 0 ? torch::empty_like(pass.weight) : torch::zeros_like(pass.weight);
    if (pass.bias.defined()) pass.gradBias = torch::zeros_like(pass.bias);
  }
  std::int64_t rowsAtOnce = request.options.positionsAtOnce;
  if (rowsAtOnce == 0) rowsAtOnce = positionsAtOnce(torch::kCPU);
  for (std::int64_t begin = 0; begin < rows; begin += rowsAtOnce) {
    const std::int64_t count = std::min(rowsAtOnce, rows - begin);
    cpu::byType(pass.weight, [&](auto type) { scoreRows<decltype(type)>(pass, begin, count); });
  }
  return pass;
}

// Loss and gradients in one pass: the gradient of a sum needs nothing beyond what the loss needs,
// and the scores are freed afterwards.
struct SummedLoss : torch::autograd::Function<SummedLoss> {
  static variable_list forward(AutogradContext* context, const Tensor& features,
                               const Tensor& weight, const std::optional<Tensor>& bias,
                               const Tensor& targets, const Request& request) {
    const LossPass pass = runPass(features, {weight, bias.value_or(Tensor{})}, targets, request);
    if (request.gradient) {
      context->save_for_backward({pass.gradX, pass.gradWeight, pass.gradBias, pass.rows_N, weight});
      context->saved_data["shape"] = features.sizes().vec();
    }
    const Tensor loss = pass.loss_N.sum(), nll = pass.nll_N.sum();
    const Tensor errors = request.options.countErrors ? pass.wrong_N.sum().to(torch::kFloat64)
                                                      : torch::zeros({}, torch::kFloat64);
    context->mark_non_differentiable({nll, errors});
    return {loss, nll, errors};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    const auto saved = context->get_saved_variables();
    const double factor = gradOut[0].item<double>();
    const auto shape = context->saved_data["shape"].toIntVector();
    const Tensor gradX = torch::zeros(shape, saved[0].options());
    gradX.view({-1, shape.back()})
        .index_copy_(0, saved[3], factor == 1 ? saved[0] : saved[0] * factor);
    Tensor gradWeight = gradientMemory(saved[4]);
    torch::mul_out(gradWeight, saved[1], torch::scalar_tensor(factor, saved[1].options()));
    const Tensor gradBias = saved[2].defined() ? saved[2] * factor : Tensor{};
    return {gradX, gradWeight, gradBias, Tensor{}, Tensor{}};
  }
};

}  // namespace

std::int64_t positionsAtOnce(const torch::Device& device) {
  return device.is_cpu() ? 512 : 2048;
}

CrossEntropy crossEntropy(TranslationModel& model, const Tensor& features_BTD,
                          const Tensor& targetOut_BT, const CrossEntropyOptions& options) {
  const auto [weight, bias] = model.projection();
  if (!weight.defined())
    return plain::crossEntropyOf(model.project(features_BTD), targetOut_BT, options);
  if (!usesKernels(features_BTD))
    return plain::crossEntropy({features_BTD}, {weight, bias}, targetOut_BT, options);
  const bool gradient =
      torch::GradMode::is_enabled() && (features_BTD.requires_grad() || weight.requires_grad());
  const auto sums = SummedLoss::apply(features_BTD, weight, cpu::maybe(bias), targetOut_BT,
                                      Request{options, gradient});
  return {sums[0], sums[1], options.countErrors ? sums[2] : Tensor{}};
}

CrossEntropy joinedLoss(TranslationModel& model, const Tensor& first_BTD, const Tensor& second_BTD,
                        const Tensor& targetOut_BT, const CrossEntropyOptions& options,
                        const PassWeights& weights) {
  return plain::crossEntropy({first_BTD, second_BTD, weights}, model.projection(), targetOut_BT,
                             options);
}

Tensor tokenLogProbabilities(TranslationModel& model, const Tensor& features_BTD,
                             const Tensor& targetOut_BT) {
  const torch::NoGradGuard frozen;
  const auto output = model.projection();
  if (!output.weight_VD.defined())
    return plain::tokenLogProbabilitiesOf(model.project(features_BTD), targetOut_BT);
  if (!usesKernels(features_BTD))
    return plain::tokenLogProbabilities(features_BTD, output, targetOut_BT);
  const LossPass pass = runPass(features_BTD, output, targetOut_BT, {{}, /*gradient=*/false});
  const auto type = features_BTD.scalar_type();
  return torch::zeros({targetOut_BT.numel()}, torch::dtype(type))
      .index_copy_(0, pass.rows_N, -pass.nll_N.to(type))
      .view_as(targetOut_BT);
}

}  // namespace strata
