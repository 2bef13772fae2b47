#include "core/sweeps/sweep_runs.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/error.h"
#include "core/base/safetensors.h"
#include "core/store/looks.h"
#include "core/store/run_pattern.h"
#include "core/store/scalars.h"

namespace strata {
namespace {

constexpr std::string_view kBest = "best ", kLast = "last ", kScore = "score ";

// Not of single modules, of which there are hundreds, and not what only counts.
bool isMetricSeries(const std::string& name) {
  static const std::set<std::string> kCounts{"train/clipped", "train/epoch", "train/padding",
                                             "train/tokens", "train/tokens_per_second"};
  if (kCounts.contains(name)) return false;
  return name.starts_with("valid") || name.starts_with("test") || name.starts_with("train");
}

using FinalMetrics = std::map<std::string, FinalMetric>;

void addSeries(Workspace& workspace, std::int64_t run, FinalMetrics& metrics) {
  for (const SeriesSummary& series : listSeries(workspace, run)) {
    if (!isMetricSeries(series.name)) continue;
    const double best = series.best();
    if (std::isfinite(best)) metrics[std::string(kBest) + series.name] = {best, series.direction};
    if (std::isfinite(series.lastValue))
      metrics[std::string(kLast) + series.name] = {series.lastValue, series.direction};
  }
}

// The newest score of each set and scorer.
void addScores(Workspace& workspace, std::int64_t run, FinalMetrics& metrics) {
  for (const TestLook& look : listTestLooks(workspace, run)) {
    if (!look.scores.is_object()) continue;
    for (const auto& [scorer, score] : look.scores.items()) {
      const Json& value = score.is_object() && score.contains("score") ? score.at("score") : score;
      const bool lower = directionOf(scorer) == SeriesDirection::kLower;
      if (value.is_number())
        metrics[fmt::format("{}{} {}", kScore, look.set, scorer)] = {
            value.get<double>(), lower ? SeriesDirection::kLower : SeriesDirection::kHigher};
    }
  }
}

// Of the newest checkpoint at hand.
std::optional<double> parametersOf(Workspace& workspace, std::int64_t run) {
  const auto checkpoints = listCheckpointRows(workspace, run);
  for (auto at = checkpoints.rbegin(); at != checkpoints.rend(); ++at) {
    const auto file = at->folder / "model.safetensors";
    if (!at->present || !std::filesystem::exists(file)) continue;
    double count = 0;
    const SafetensorsFile model(file);
    for (const auto& [name, tensor] : model.tensors())
      count += static_cast<double>(tensor.elements());
    return count;
  }
  return {};
}

SweptRun sweptRun(Workspace& workspace, const RunSummary& summary, RunSettings& settings) {
  const RunSettings::Run& known = settings.of(summary);
  SweptRun run{.id = summary.id,
               .name = summary.name,
               .preset = summary.preset,
               .group = known.group,
               .seed = summary.seed,
               .values = known.values};
  for (const auto& [metric, found] : finalMetrics(workspace, summary.id)) {
    run.metrics[metric] = found.value;
    run.directions[metric] = found.direction;
  }
  if (const auto parameters = parametersOf(workspace, run.id))
    run.costs[kSweepParameters] = *parameters;
  if (summary.seconds > 0) run.costs[kSweepHours] = summary.seconds / 3600;
  if (summary.tokensPerSecond > 0) run.costs[kSweepSpeed] = summary.tokensPerSecond;
  return run;
}

bool hasFinalMetrics(RunStatus status) {
  return status == RunStatus::kFinished || status == RunStatus::kStopped;
}

}  // namespace

std::map<std::string, FinalMetric> finalMetrics(Workspace& workspace, std::int64_t run) {
  FinalMetrics metrics;
  addSeries(workspace, run, metrics);
  addScores(workspace, run, metrics);
  return metrics;
}

SweptRuns sweptRuns(Workspace& workspace, const std::string& filter, RunSettings& settings) {
  const RunPattern pattern(filter);
  SweptRuns swept;
  std::map<std::string, std::set<SeriesDirection>> metrics;  // with what is known of each
  for (const RunSummary& summary : listRuns(workspace)) {
    if (!pattern.matches(summary)) continue;
    if (!hasFinalMetrics(summary.status)) {
      swept.leftOut.push_back(fmt::format("{}: {}", summary.name, nameOf(summary.status)));
      continue;
    }
    swept.runs.push_back(sweptRun(workspace, summary, settings));
    for (const auto& [metric, direction] : swept.runs.back().directions) {
      auto& known = metrics[metric];
      if (direction != SeriesDirection::kUnknown) known.insert(direction);
    }
  }
  std::ranges::sort(swept.runs, {}, &SweptRun::id);
  for (const auto& [metric, known] : metrics) {
    swept.metrics.push_back(metric);
    if (known.size() == 1) swept.directions[metric] = *known.begin();
  }
  std::vector<const RunSettings::Values*> values;
  for (const SweptRun& run : swept.runs) values.push_back(run.values.get());
  swept.keys = differingKeys(values);
  return swept;
}

SeriesDirection directionIn(const SweptRuns& runs, const std::string& metric) {
  const auto found = runs.directions.find(metric);
  return found == runs.directions.end() ? SeriesDirection::kUnknown : found->second;
}

std::string usualMetric(const SweptRuns& runs) {
  std::string usual;
  std::ptrdiff_t most = 0;
  for (const std::string& metric : runs.metrics) {
    if (!metric.starts_with(std::string(kBest) + "valid")) continue;
    const auto having = std::ranges::count_if(
        runs.runs, [&](const SweptRun& run) { return run.metrics.contains(metric); });
    if (having > most) usual = metric, most = having;
  }
  return usual;
}

}  // namespace strata
