// An optimizer case: gradients given step by step, and the expected parameters.
#include "app/engine/verify_report.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/text_limits.h"
#include "core/train/optimizer.h"

namespace strata {
namespace {

struct OptimizerCase {
  OptimizerSpec optimizer;
  ScheduleSpec schedule;
  std::vector<double> ratePerStep;
  double clipNorm = 0;
  std::int64_t steps = 0, restartAfter = 0;
  double restartRate = 0;
};

void readGroups(const Json& config, OptimizerSpec& spec) {
  for (const Json& group : config.at("groups")) {
    spec.groups.push_back({.match = group.at("match").get<std::vector<std::string>>(),
                           .lr = group.at("lr").get<double>(),
                           .weightDecay = group.at("weight_decay").get<double>()});
  }
  spec.lr = config.at("default_group").at("lr").get<double>();
  spec.weightDecay = config.at("default_group").at("weight_decay").get<double>();
}

void readSchedule(const Json& schedule, OptimizerCase& read) {
  const auto kind = schedule.at("kind").get<std::string>();
  read.schedule.kind =
      kind == "noam" ? ScheduleSpec::Kind::kNoam : ScheduleSpec::Kind::kInverseSqrt;
  read.schedule.warmup = schedule.at("warmup").get<std::int64_t>();
  read.schedule.dim = schedule.value("dim", std::int64_t{1});
  read.schedule.initLr = schedule.value("init_lr", 0.0);
  read.optimizer.lr = schedule.value("lr", 1.0);
}

OptimizerCase readCase(const Json& config) {
  OptimizerCase read;
  OptimizerSpec& spec = read.optimizer;
  spec.kind =
      config.at("optimizer") == "nag" ? OptimizerSpec::Kind::kNag : OptimizerSpec::Kind::kAdam;
  spec.lr = config.value("lr", 0.0);
  spec.momentum = config.value("momentum", 0.0);
  if (config.contains("betas")) {
    spec.beta1 = config.at("betas").at(0).get<double>();
    spec.beta2 = config.at("betas").at(1).get<double>();
    spec.eps = config.at("eps").get<double>();
  }
  spec.weightDecay = config.value("weight_decay", 0.0);
  const bool coupled = config.value("decay_kind", std::string()) == "coupled";
  spec.decay = coupled ? OptimizerSpec::Decay::kCoupled : OptimizerSpec::Decay::kDecoupled;
  if (config.contains("groups")) readGroups(config, spec);
  if (config.contains("lr_per_step"))
    read.ratePerStep = config.at("lr_per_step").get<std::vector<double>>();
  read.schedule.kind = ScheduleSpec::Kind::kConstant;
  if (config.contains("schedule")) readSchedule(config.at("schedule"), read);
  read.clipNorm = config.value("clip_norm", 0.0);
  read.restartAfter = config.value("restart_after", std::int64_t{0});
  read.restartRate = config.value("restart_lr", 0.0);
  read.steps = config.at("steps").get<std::int64_t>();
  return read;
}

std::vector<double> ratesAt(const OptimizerCase& read, const Optimizer& optimizer,
                            std::int64_t step) {
  if (!read.ratePerStep.empty()) return {read.ratePerStep.at(static_cast<std::size_t>(step - 1))};
  if (read.restartAfter > 0 && step > read.restartAfter) return {read.restartRate};
  return optimizer.ratesOf(Schedule(read.schedule), step, 1, {});
}

// One row per measured step.
torch::Tensor rows(const Json& list) {
  const auto count = static_cast<std::int64_t>(list.size());
  std::vector<double> flat;
  for (const Json& entry : list) {
    if (!entry.is_array()) flat.push_back(entry.get<double>());
    if (entry.is_array()) flat.insert(flat.end(), entry.begin(), entry.end());
  }
  return torch::tensor(flat, torch::kFloat64).view({count, -1});
}

}  // namespace

VerifiedCase verifyOptimizerCase(const std::filesystem::path& folder, const torch::Device& device) {
  VerifiedCase verified{folder.string(), {}};
  const OptimizerCase read = readCase(readJson(folder / "config.json"));
  const Json steps = readJson(folder / "steps.json");
  const SafetensorsFile initial(folder / "init.safetensors"),
      gradients(folder / "grads.safetensors"), expected(folder / "expected.safetensors");
  NamedParameters parameters;
  for (const auto& [name, view] : initial.tensors())
    parameters.emplace_back(name, expectedTensor(initial, name).to(device).requires_grad_());
  Optimizer optimizer(std::make_shared<const ParameterBuffer>(parameters), read.optimizer);
  std::map<std::string, std::vector<torch::Tensor>> course;
  std::vector<torch::Tensor> norms, rates;
  for (std::int64_t step = 1; step <= read.steps; ++step) {
    if (read.restartAfter > 0 && step == read.restartAfter + 1) optimizer.restart();
    for (auto& [name, value] : parameters)
      value.mutable_grad() = expectedTensor(gradients, name)[step - 1].to(
          device, /*non_blocking=*/false, /*copy=*/true);
    const GradientNorm norm = optimizer.gradientNorm();
    norms.push_back(norm.total.cpu().view({1}));
    if (read.clipNorm > 0) optimizer.clip(norm, read.clipNorm);
    const auto now = ratesAt(read, optimizer, step);
    rates.push_back(torch::tensor(now, torch::kFloat64));
    optimizer.step(now);
    for (const auto& [name, value] : parameters)
      course[name].push_back(value.detach().to(torch::kCPU, /*non_blocking=*/false, /*copy=*/true));
  }
  constexpr Tolerance kTight{1e-14, 1e-9};
  for (const auto& [name, view] : expected.tensors()) {
    const auto at = course.find(name);
    verified.comparisons.push_back(at == course.end()
                                       ? missing(name, "is expected but was not computed")
                                       : compareTensors(name, torch::stack(at->second),
                                                        expectedTensor(expected, name), kTight));
  }
  verified.comparisons.push_back(
      compareTensors("steps.json lr", torch::stack(rates), rows(steps.at("lr")), kTight));
  // The expected norms have ten decimals.
  verified.comparisons.push_back(compareTensors("steps.json grad_norm", torch::stack(norms),
                                                rows(steps.at("grad_norm")), {1e-9, 1e-9}));
  return verified;
}

}  // namespace strata
