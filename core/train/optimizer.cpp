#include "core/train/optimizer.h"

#include <algorithm>
#include <map>

#include "core/base/error.h"

namespace strata {
namespace {

bool matchesAny(const std::string& name, const std::vector<std::string>& parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](const std::string& part) { return name.find(part) != std::string::npos; });
}

torch::Tensor zerosFor(const torch::Tensor& parameter) {
  return torch::zeros_like(parameter.detach());
}

}  // namespace

NamedParameters namedParametersOf(const torch::nn::Module& module) {
  NamedParameters parameters;
  for (const auto& item : module.named_parameters(/*recurse=*/true)) {
    if (item.value().requires_grad()) parameters.emplace_back(item.key(), item.value());
  }
  return parameters;
}

Optimizer::Optimizer(NamedParameters parameters, const OptimizerSpec& spec)
    : parameters_(std::move(parameters)), spec_(spec) {
  if (parameters_.empty()) throw Error("The model has no parameters to train");
  first_.reserve(parameters_.size());
  second_.reserve(parameters_.size());
  for (const auto& [name, value] : parameters_) {
    first_.push_back(zerosFor(value));
    second_.push_back(spec_.kind == OptimizerSpec::Kind::kAdam ? zerosFor(value) : torch::Tensor());
  }
  updates_ =
      torch::zeros({}, torch::dtype(torch::kFloat32).device(parameters_.front().second.device()));
  buildGroups();
  buildRuns();
}

void Optimizer::buildGroups() {
  groups_.clear();
  for (const auto& group : spec_.groups) {
    groups_.push_back({.lr = group.lr.value_or(spec_.lr),
                       .weightDecay = group.weightDecay.value_or(spec_.weightDecay),
                       .name = group.match.empty() ? "group" : group.match.front(),
                       .members = {}});
  }
  groups_.push_back(
      {.lr = spec_.lr, .weightDecay = spec_.weightDecay, .name = "rest", .members = {}});
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    std::size_t group = 0;
    while (group < spec_.groups.size() &&
           !matchesAny(parameters_[i].first, spec_.groups[group].match))
      ++group;
    groups_[group].members.push_back(i);
  }
}

void Optimizer::buildRuns() {
  runs_.clear();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (const bool decayed : {true, false}) {
      Run run;
      run.group = g;
      run.weightDecay = decayed ? groups_[g].weightDecay : 0;
      for (const std::size_t i : groups_[g].members) {
        if (matchesAny(parameters_[i].first, spec_.decaySkip) == decayed) continue;
        run.members.push_back(i);
        run.values.push_back(parameters_[i].second);
        run.first.push_back(first_[i]);
        if (second_[i].defined()) run.second.push_back(second_[i]);
        run.steps.push_back(updates_);
      }
      if (!run.members.empty()) runs_.push_back(std::move(run));
    }
  }
}

void Optimizer::configure(const OptimizerSpec& spec) {
  const bool sameKind = spec.kind == spec_.kind;
  spec_ = spec;
  if (!sameKind) {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      first_[i].zero_();
      second_[i] = spec_.kind == OptimizerSpec::Kind::kAdam ? zerosFor(parameters_[i].second)
                                                            : torch::Tensor();
    }
    updates_.zero_();
  }
  buildGroups();
  buildRuns();
}

void Optimizer::restart() {
  for (auto& moment : first_) moment.zero_();
  for (auto& moment : second_) {
    if (moment.defined()) moment.zero_();
  }
  updates_.zero_();
}

std::vector<torch::Tensor> Optimizer::gradients() const {
  std::vector<torch::Tensor> gradients;
  gradients.reserve(parameters_.size());
  for (const auto& [name, value] : parameters_) {
    auto& gradient = value.mutable_grad();
    if (!gradient.defined()) gradient = zerosFor(value);
    gradients.push_back(gradient);
  }
  return gradients;
}

GradientNorm Optimizer::gradientNorm() const {
  const torch::NoGradGuard noGrad;
  GradientNorm norm{.total = {}, .tensor = at::_foreach_norm(gradients(), 2)};
  norm.total = torch::stack(norm.tensor).to(torch::kFloat64).norm();
  return norm;
}

torch::Tensor Optimizer::clip(const GradientNorm& norm, double limit) {
  const torch::NoGradGuard noGrad;
  const torch::Tensor scale = (limit / (norm.total + 1e-6)).clamp_max(1.0);
  // On the CPU the value is there already: most updates need no pass over the gradients.
  if (scale.is_cpu() && scale.item<double>() == 1.0) return scale;
  at::_foreach_mul_(gradients(), scale.to(parameters_.front().second.scalar_type()));
  return scale;
}

void Optimizer::step(const std::vector<double>& rates, const std::optional<torch::Tensor>& skip) {
  const torch::NoGradGuard noGrad;
  const auto all = gradients();
  if (skip) {
    updates_.add_(1 - *skip);
  } else {
    updates_.add_(1);
  }
  for (const Run& run : runs_) {
    std::vector<torch::Tensor> gradients;
    gradients.reserve(run.members.size());
    for (const std::size_t i : run.members) gradients.push_back(all[i]);
    if (spec_.kind == OptimizerSpec::Kind::kAdam) {
      adam(run, rates.at(run.group), gradients, skip);
    } else {
      nag(run, rates.at(run.group), gradients);
    }
  }
}

void Optimizer::adam(const Run& run, double rate, const std::vector<torch::Tensor>& gradients,
                     const std::optional<torch::Tensor>& skip) const {
  const auto kernel =
      spec_.decay == OptimizerSpec::Decay::kCoupled
          ? static_cast<decltype(&at::_ops::_fused_adam_::call)>(&at::_ops::_fused_adam_::call)
          : static_cast<decltype(&at::_ops::_fused_adam_::call)>(&at::_ops::_fused_adamw_::call);
  kernel(run.values, gradients, run.first, run.second, /*max_exp_avg_sqs=*/{}, run.steps, rate,
         spec_.beta1, spec_.beta2, run.weightDecay, spec_.eps, /*amsgrad=*/false,
         /*maximize=*/false, /*grad_scale=*/{}, skip);
}

void Optimizer::nag(const Run& run, double rate,
                    const std::vector<torch::Tensor>& gradients) const {
  const double m = spec_.momentum;
  if (run.weightDecay != 0 && spec_.decay == OptimizerSpec::Decay::kCoupled) {
    at::_foreach_add_(gradients, run.values, run.weightDecay);
  } else if (run.weightDecay != 0) {
    at::_foreach_mul_(run.values, 1 - rate * run.weightDecay);
  }
  // x <- x + m^2 v - (1 + m) lr g, with the v of the last update
  at::_foreach_add_(run.values, run.first, m * m);
  at::_foreach_add_(run.values, gradients, -(1 + m) * rate);
  // v <- m v - lr g
  at::_foreach_mul_(run.first, m);
  at::_foreach_add_(run.first, gradients, -rate);
}

void Optimizer::clearGradients() {
  for (const auto& [name, value] : parameters_) value.mutable_grad() = torch::Tensor();
}

std::vector<double> Optimizer::ratesOf(const Schedule& schedule, std::int64_t t, std::int64_t epoch,
                                       const ScheduleState& state) const {
  std::vector<double> rates;
  rates.reserve(groups_.size());
  for (const Group& group : groups_)
    rates.push_back(schedule.groupRate(group.lr, spec_.lr, t, epoch, state));
  return rates;
}

std::map<std::string, torch::Tensor> Optimizer::save() const {
  std::map<std::string, torch::Tensor> tensors{{"optimizer.updates", updates_.reshape({1})}};
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    tensors["optimizer.first." + parameters_[i].first] = first_[i];
    if (second_[i].defined()) tensors["optimizer.second." + parameters_[i].first] = second_[i];
  }
  return tensors;
}

void Optimizer::restore(const std::map<std::string, torch::Tensor>& tensors) {
  const torch::NoGradGuard noGrad;
  const auto take = [&](const std::string& name, torch::Tensor& into) {
    const auto found = tensors.find(name);
    if (found == tensors.end())
      throw Error("The checkpoint's training state holds no tensor '{}'", name);
    if (found->second.numel() != into.numel()) {
      throw Error("The checkpoint's tensor '{}' has {} elements instead of {}", name,
                  found->second.numel(), into.numel());
    }
    into.copy_(found->second.reshape(into.sizes()));
  };
  take("optimizer.updates", updates_);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    take("optimizer.first." + parameters_[i].first, first_[i]);
    if (second_[i].defined()) take("optimizer.second." + parameters_[i].first, second_[i]);
  }
}

}  // namespace strata
