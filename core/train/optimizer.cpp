#include "core/train/optimizer.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/base/error.h"
#include "core/nn/function_cpu.h"
#include "core/train/norms.h"

namespace strata {
namespace {

bool matchesAny(const std::string& name, const std::vector<std::string>& parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](const std::string& part) { return name.find(part) != std::string::npos; });
}

}  // namespace

Optimizer::Optimizer(std::shared_ptr<const ParameterBuffer> parameters, const OptimizerSpec& spec)
    : parameters_(std::move(parameters)),
      spec_(spec),
      gradients_(parameters_),
      first_(parameters_->zeros()),
      second_(spec_.kind == OptimizerSpec::Kind::kAdam ? parameters_->zeros() : torch::Tensor()),
      updates_(torch::zeros({}, first_.options().dtype(torch::kFloat32))) {
  buildGroups();
  buildStretches();
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
  for (std::size_t i = 0; i < parameters().size(); ++i)
    groups_[groupOf(parameters()[i].first)].members.push_back(i);
}

std::size_t Optimizer::groupOf(const std::string& name) const {
  std::size_t group = 0;
  while (group < spec_.groups.size() && !matchesAny(name, spec_.groups[group].match)) ++group;
  return group;
}

// In memory order, so that neighbours with equal settings become one range, gaps included.
void Optimizer::buildStretches() {
  stretches_.clear();
  const auto& named = parameters();
  std::vector<std::size_t> order(named.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return parameters_->beginOf(i); });
  std::int64_t begin = 0;
  for (std::size_t n = 0; n < order.size(); ++n) {
    const auto kindOf = [&](std::size_t i) {
      const std::size_t group = groupOf(named[i].first);
      const bool decayed = !matchesAny(named[i].first, spec_.decaySkip);
      return std::pair(group, decayed ? groups_[group].weightDecay : 0.0);
    };
    const auto kind = kindOf(order[n]);
    if (n + 1 < order.size() && kindOf(order[n + 1]) == kind) continue;
    const std::int64_t end =
        n + 1 < order.size() ? parameters_->beginOf(order[n + 1]) : first_.numel();
    const auto cut = [&](const torch::Tensor& buffer) {
      return buffer.defined() ? buffer.narrow(0, begin, end - begin) : buffer;
    };
    stretches_.push_back({.group = kind.first,
                          .weightDecay = kind.second,
                          .values = cut(parameters_->values()),
                          .gradients = cut(gradients_.values()),
                          .first = cut(first_),
                          .second = cut(second_)});
    begin = end;
  }
}

void Optimizer::configure(const OptimizerSpec& spec) {
  const bool sameKind = spec.kind == spec_.kind;
  spec_ = spec;
  if (!sameKind) {
    second_ = spec_.kind == OptimizerSpec::Kind::kAdam ? parameters_->zeros() : torch::Tensor();
    restart();
  }
  buildGroups();
  buildStretches();
}

void Optimizer::restart() {
  first_.zero_();
  if (second_.defined()) second_.zero_();
  updates_.zero_();
}

GradientNorm Optimizer::gradientNorm() {
  const torch::NoGradGuard noGrad;
  gradients_.complete();
  const torch::Tensor each = normsOf(gradients_.parts());
  return {.total = each.norm(), .each = each};
}

torch::Tensor Optimizer::clip(const GradientNorm& norm, double limit) {
  const torch::NoGradGuard noGrad;
  const torch::Tensor scale = (limit / (norm.total + 1e-6)).clamp_max(1.0);
  // On the CPU the value is already known: most updates need no pass over the gradients.
  if (scale.is_cpu() && scale.item<double>() == 1.0) return scale;
  if (scale.is_cpu() && spec_.kind == OptimizerSpec::Kind::kNag) {
    scale_ = scale.item<double>();
    return scale;
  }
  torch::Tensor(gradients_.values()).mul_(scale.to(first_.scalar_type()));
  return scale;
}

void Optimizer::step(const std::vector<double>& rates, const std::optional<torch::Tensor>& skip) {
  const torch::NoGradGuard noGrad;
  gradients_.complete();
  if (skip) {
    updates_.add_(1 - *skip);
  } else {
    updates_.add_(1);
  }
  for (const Stretch& stretch : stretches_) {
    if (spec_.kind == OptimizerSpec::Kind::kAdam) {
      adam(stretch, rates.at(stretch.group), skip);
    } else {
      nag(stretch, rates.at(stretch.group), skip);
    }
  }
  scale_ = 1;
  parameters_->changed();
}

void Optimizer::adam(const Stretch& s, double rate,
                     const std::optional<torch::Tensor>& skip) const {
  const auto kernel = spec_.decay == OptimizerSpec::Decay::kCoupled
                          ? &at::_ops::_fused_adam_::call
                          : &at::_ops::_fused_adamw_::call;
  kernel({s.values}, {s.gradients}, {s.first}, {s.second}, /*max_exp_avg_sqs=*/{}, {updates_}, rate,
         spec_.beta1, spec_.beta2, s.weightDecay, spec_.eps, /*amsgrad=*/false, /*maximize=*/false,
         /*grad_scale=*/{}, skip);
}

void Optimizer::nag(const Stretch& s, double rate, const std::optional<torch::Tensor>& skip) const {
  if (s.values.is_cpu()) return nagOnCpu(s, rate, skip);
  torch::Tensor x = s.values, v = s.first, g = s.gradients;
  const double m = spec_.momentum;
  // 1 if the update counts, 0 if it is skipped; in float64, so that factors are as exact as the
  // host's numbers.
  const torch::Tensor counts = skip ? 1 - skip->to(torch::kFloat64) : torch::Tensor();
  const auto scale = [&](torch::Tensor& tensor, double factor) {
    skip ? tensor.mul_(1 - counts * (1 - factor)) : tensor.mul_(factor);
  };
  if (s.weightDecay != 0 && spec_.decay == OptimizerSpec::Decay::kCoupled) {
    g.add_(x, s.weightDecay);
  } else if (s.weightDecay != 0) {
    scale(x, 1 - rate * s.weightDecay);
  }
  if (skip) g.masked_fill_(skip->to(torch::kBool), 0);
  // x <- x + m^2 v - (1 + m) lr g, with v from the last update
  skip ? x.addcmul_(v, counts.to(v.scalar_type()), m * m) : x.add_(v, m * m);
  x.add_(g, -(1 + m) * rate);
  // v <- m v - lr g
  scale(v, m);
  v.add_(g, -rate);
}

void Optimizer::nagOnCpu(const Stretch& s, double rate,
                         const std::optional<torch::Tensor>& skip) const {
  if (skip && skip->item<double>() != 0) return;
  const bool coupled = spec_.decay == OptimizerSpec::Decay::kCoupled;
  cpu::byType(s.values, [&](auto type) {
    using T = decltype(type);
    kernels::nesterov<T>({.values = s.values.data_ptr<T>(),
                          .velocities = s.first.data_ptr<T>(),
                          .gradients = s.gradients.data_ptr<T>(),
                          .count = s.values.numel(),
                          .momentum = spec_.momentum,
                          .rate = rate,
                          .scale = scale_,
                          .kept = coupled ? 1 : 1 - rate * s.weightDecay,
                          .decay = coupled ? s.weightDecay : 0},
                         at::get_num_threads());
  });
}

std::vector<double> Optimizer::ratesOf(const Schedule& schedule, std::int64_t t, std::int64_t epoch,
                                       const ScheduleState& state) const {
  std::vector<double> rates;
  rates.reserve(groups_.size());
  for (const Group& group : groups_)
    rates.push_back(schedule.groupRate(group.lr, spec_.lr, t, epoch, state));
  return rates;
}

std::vector<torch::Tensor> Optimizer::buffers() const {
  if (second_.defined()) return {updates_, first_, second_};
  return {updates_, first_};
}

// Views, so that restore() can write to them.
std::map<std::string, torch::Tensor> Optimizer::save() const {
  std::map<std::string, torch::Tensor> tensors{{"optimizer.updates", updates_.reshape({1})}};
  for (std::size_t i = 0; i < parameters().size(); ++i) {
    const std::string& name = parameters()[i].first;
    tensors["optimizer.first." + name] = parameters_->part(first_, i);
    if (second_.defined()) tensors["optimizer.second." + name] = parameters_->part(second_, i);
  }
  return tensors;
}

void Optimizer::restore(const std::map<std::string, torch::Tensor>& tensors) {
  const torch::NoGradGuard noGrad;
  for (auto& [name, into] : save()) {
    const auto found = tensors.find(name);
    if (found == tensors.end())
      throw Error("The checkpoint's training state has no tensor '{}'", name);
    if (found->second.numel() != into.numel()) {
      throw Error("The checkpoint's tensor '{}' has {} elements instead of {}", name,
                  found->second.numel(), into.numel());
    }
    into.copy_(found->second.reshape(into.sizes()));
  }
}

}  // namespace strata
