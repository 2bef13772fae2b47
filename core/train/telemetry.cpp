#include "core/train/telemetry.h"

#include <cmath>

#include "core/train/memory.h"
#include "core/train/norms.h"

namespace strata {
namespace {

// Values on the host; waits for the device.
std::vector<double> hostValues(const torch::Tensor& values) {
  const auto host = values.to(torch::kFloat64).cpu();
  const auto* first = host.data_ptr<double>();
  return {first, first + host.numel()};
}

// Norms of layers, combined from those of their tensors.
std::map<std::string, double> byLayer(const NamedParameters& parameters,
                                      const std::vector<double>& norms) {
  std::map<std::string, double> squares;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    squares[layerOf(parameters[i].first)] += norms[i] * norms[i];
    squares["all"] += norms[i] * norms[i];
  }
  for (auto& [layer, value] : squares) value = std::sqrt(value);
  return squares;
}

void addNorms(const NamedParameters& parameters, const std::vector<double>& norms,
              ScalarList& scalars) {
  for (const auto& [layer, value] : byLayer(parameters, norms))
    scalars.add("grad_norm/" + layer, value);
}

std::vector<torch::Tensor> valuesOf(const NamedParameters& parameters) {
  std::vector<torch::Tensor> values;
  values.reserve(parameters.size());
  for (const auto& [name, value] : parameters) values.push_back(value.detach());
  return values;
}

}  // namespace

std::string layerOf(const std::string& name) {
  constexpr std::string_view kLayers = ".layers.";
  if (const auto at = name.find(kLayers); at != std::string::npos) {
    return name.substr(0, name.find('.', at + kLayers.size()));
  }
  const auto first = name.find('.');
  if (first == std::string::npos) return name;
  const auto second = name.find('.', first + 1);
  return second == std::string::npos ? name.substr(0, first) : name.substr(0, second);
}

ScalarList::ScalarList(std::int64_t runId, std::int64_t step, double wallTime)
    : runId_(runId), step_(step), wallTime_(wallTime) {}

void ScalarList::add(std::string name, double value) {
  events_.push_back({.runId = runId_,
                     .name = std::move(name),
                     .step = step_,
                     .value = value,
                     .wallTime = wallTime_});
}

UpdateRatio::UpdateRatio(const NamedParameters& parameters) : parameters_(parameters) {
  const torch::NoGradGuard noGrad;
  before_.reserve(parameters.size());
  for (const auto& [name, value] : parameters) before_.push_back(value.detach().clone());
}

void UpdateRatio::addTo(ScalarList& scalars) {
  const torch::NoGradGuard noGrad;
  const auto norms = [&] { return byLayer(parameters_, hostValues(normsOf(before_))); };
  const auto weights = norms();
  at::_foreach_sub_(before_, valuesOf(parameters_));
  const auto changes = norms();
  for (const auto& [layer, change] : changes) {
    const double weight = weights.at(layer);
    scalars.add("update_ratio/" + layer, weight > 0 ? change / weight : 0);
  }
}

void addGradientNorms(const NamedParameters& parameters, const GradientNorm& norm,
                      ScalarList& scalars) {
  addNorms(parameters, hostValues(norm.each), scalars);
}

void addSums(const RunningSums& sums, ScalarList& scalars) {
  if (sums.tokens == 0) return;
  const auto tokens = static_cast<double>(sums.tokens);
  scalars.add("train/nll", sums.nll / tokens);
  scalars.add("train/loss", sums.loss / tokens);
  scalars.add("train/perplexity", std::exp(sums.nll / tokens));
  scalars.add("train/token-error", sums.errors / tokens);
  scalars.add("train/padding",
              1 - static_cast<double>(sums.real) / static_cast<double>(sums.padded));
  scalars.add("train/clipped",
              static_cast<double>(sums.clipped) / static_cast<double>(sums.updates));
}

void addRates(const Optimizer& optimizer, const std::vector<double>& rates, ScalarList& scalars) {
  const auto& groups = optimizer.groups();
  if (groups.size() == 1) return scalars.add("lr", rates.front());
  for (std::size_t g = 0; g < groups.size(); ++g) scalars.add("lr/" + groups[g].name, rates[g]);
}

void addMemory(const torch::Device& device, ScalarList& scalars) {
  constexpr double kMib = 1 << 20;
  scalars.add("memory/resident_mib", static_cast<double>(memoryUse().resident) / kMib);
  if (device.is_cpu()) return;
  scalars.add("memory/device_mib", static_cast<double>(memoryUse(device).reserved) / kMib);
}

void GradientHistory::add(std::int64_t step, const GradientNorm& norm) {
  if (entries_.size() == kSteps) entries_.pop_front();
  entries_.push_back({step, countedSeconds(), norm.each});
}

std::vector<ScalarEvent> GradientHistory::take(const NamedParameters& parameters,
                                               std::int64_t runId, std::int64_t last) {
  std::vector<ScalarEvent> events;
  for (; !entries_.empty() && entries_.front().step <= last; entries_.pop_front()) {
    const Entry& entry = entries_.front();
    ScalarList scalars(runId, entry.step, entry.wallTime);
    addNorms(parameters, hostValues(entry.norms), scalars);
    events.insert(events.end(), scalars.events().begin(), scalars.events().end());
  }
  return events;
}

}  // namespace strata
