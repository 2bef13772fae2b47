#include "core/sweeps/run_comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/run/configuration_group.h"
#include "core/run/settings.h"
#include "core/sweeps/sweep_runs.h"

namespace strata {
namespace {

// Of toJson(RunStart): not when it was and by which command, which differ between any two starts.
constexpr std::array kCircumstances{"program",
                                    "libtorch",
                                    "device",
                                    "threads",
                                    "processes",
                                    "mkl_fast",
                                    "host",
                                    "dataset_digest",
                                    "source_vocabulary_digest",
                                    "target_vocabulary_digest"};

std::vector<ComparedValue> comparedSettings(const Json& left, const Json& right) {
  std::vector<ComparedValue> compared;
  for (const Setting& each : settingsOf(left)) compared.push_back({each.key, each.value, nullptr});
  for (const Setting& each : settingsOf(right)) {
    const auto known = std::ranges::find(compared, each.key, &ComparedValue::key);
    if (known != compared.end())
      known->right = each.value;
    else
      compared.push_back({each.key, nullptr, each.value});
  }
  return compared;
}

Json lastStart(Workspace& workspace, std::int64_t run) {
  const auto starts = runStarts(workspace, run);
  return starts.empty() ? Json::object() : toJson(starts.back());
}

std::vector<ComparedValue> comparedEnvironment(const Json& left, const Json& right) {
  std::vector<ComparedValue> compared;
  for (const char* key : kCircumstances)
    compared.push_back({key, left.value(key, Json()), right.value(key, Json())});
  return compared;
}

// Those of training depend on what was trained last, and say little about the result.
bool isResult(const std::string& metric) {
  return !metric.starts_with("best train") && !metric.starts_with("last train");
}

std::vector<ComparedMetric> comparedMetrics(const std::map<std::string, FinalMetric>& left,
                                            const std::map<std::string, FinalMetric>& right) {
  std::map<std::string, ComparedMetric> compared;
  for (const auto& [name, found] : left) {
    if (isResult(name))
      compared[name] = {.name = name, .left = found.value, .direction = found.direction};
  }
  for (const auto& [name, found] : right) {
    if (!isResult(name)) continue;
    ComparedMetric& metric = compared[name];
    metric.name = name;
    metric.right = found.value;
    metric.direction = agreed(metric.direction, found.direction);
  }
  std::vector<ComparedMetric> list;
  for (auto& [name, metric] : compared) list.push_back(std::move(metric));
  return list;
}

}  // namespace

bool ComparedMetric::differs() const {
  return std::isnan(left) != std::isnan(right) || (!std::isnan(left) && left != right);
}

int ComparedMetric::better() const {
  if (direction == SeriesDirection::kUnknown || !(left < right || right < left)) return 0;
  return (left < right) == (direction == SeriesDirection::kHigher) ? 1 : -1;
}

RunComparison compareRuns(Workspace& workspace, const RunSummary& left, const RunSummary& right) {
  return {.settings = comparedSettings(runConfig(left), runConfig(right)),
          .environment =
              comparedEnvironment(lastStart(workspace, left.id), lastStart(workspace, right.id)),
          .metrics =
              comparedMetrics(finalMetrics(workspace, left.id), finalMetrics(workspace, right.id))};
}

RunComparison onlyDifferences(RunComparison comparison) {
  const auto isSame = [](const auto& each) { return !each.differs(); };
  std::erase_if(comparison.settings, isSame);
  std::erase_if(comparison.environment, isSame);
  std::erase_if(comparison.metrics, isSame);
  return comparison;
}

std::string comparedText(const Json& value) {
  return value.is_null() ? "" : settingText(value);
}

}  // namespace strata
