#include "core/store/alerts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/run/experiment.h"
#include "core/store/divergence.h"
#include "core/store/imported.h"
#include "core/store/jobs.h"
#include "core/store/runs.h"
#include "core/store/scalars.h"
#include "core/store/waiting.h"

namespace strata {
namespace {

constexpr std::array<std::string_view, 9> kKindNames{
    "diverged",   "not finite",   "diverging", "gradient jump", "no improvement",
    "disk space", "process died", "failed",    "folder missing"};

// Collects the alerts of one run.
class RunAlerts {
 public:
  RunAlerts(Workspace& workspace, const AlertRules& rules, const RunSummary& run,
            std::vector<Alert>& alerts)
      : workspace_(workspace), rules_(rules), run_(run), alerts_(alerts) {}

  void collect() {
    if (run_.status == RunStatus::kRunning) {
      addNotFinite();
      addNoImprovement();
      addDiskSpace();
    }
    if (run_.status == RunStatus::kRunning || endedWell()) addDivergence();
    addEnd();
    std::error_code ignored;
    if (!fs::exists(run_.folder, ignored)) {
      add(AlertKind::kFolderMissing, run_.step, nowSeconds(),
          fmt::format("{} is no longer there: put it back, or remove the run from the list "
                      "(strata-run workspace forget {})",
                      run_.folder.string(), run_.id));
    }
  }

 private:
  void add(AlertKind kind, std::int64_t step, double time, std::string text) {
    alerts_.push_back({kind, run_.id, run_.name, step, time, std::move(text)});
  }

  // Read once, when first asked for.
  const std::vector<RunStart>& starts() {
    if (!starts_) starts_ = runStarts(workspace_, run_.id);
    return *starts_;
  }
  const std::vector<SeriesSummary>& allSeries() {
    if (!series_) series_ = listSeries(workspace_, run_.id);
    return *series_;
  }

  void addNotFinite() {
    for (const SeriesSummary& series : allSeries()) {
      if (series.nonFinite == 0) continue;
      const auto points = readSeries(workspace_, run_.id, series.name);
      const auto first = std::ranges::find_if(
          points, [](const ScalarPoint& point) { return !std::isfinite(point.value); });
      if (first == points.end()) continue;
      return add(AlertKind::kNotFinite, first->step, first->wallTime,
                 fmt::format("{} was not finite {} of {} times, first at step {}: {}", series.name,
                             series.nonFinite, series.count, first->step, advice()));
    }
  }

  // Not long ago, and not at numbers that are not finite, which addEnd() tells.
  bool endedWell() { return hasEnded(run_.status) && !run_.diverged && !isOld(endTime()); }

  double endTime() { return starts().empty() ? run_.created : starts().back().lastSeen; }

  bool isOld(double time) const {
    return rules_.hours > 0 && time < nowSeconds() - rules_.hours * 3600;
  }

  // One alert for each way in which the newest numbers show it. Points are read only where the
  // summaries of their series leave it open.
  void addDivergence() {
    const auto& all = allSeries();
    if (run_.status != RunStatus::kRunning) addLostLoss(all);
    // TensorBoard's names say nothing of the unit.
    if (importedFrom(run_) != "tensorboard") addLoss(all);
    for (const SeriesSummary& series : all) {
      const bool norms = series.name == kGradientNorms;
      if (norms && mayHaveJumped(series.minimum, series.lastValue)) addJump(all);
    }
  }

  void addLoss(const std::vector<SeriesSummary>& all) {
    for (const SeriesSummary& series : all) {
      if (!isValidationLoss(series.name)) continue;
      const std::array ends{ScalarPoint{series.minimumStep, 0, series.minimum},
                            ScalarPoint{series.lastStep, 0, series.lastValue}};
      const std::int64_t words = vocabulary();
      if (std::isfinite(series.lastValue) && !lossDivergence(series.name, ends, words)) continue;
      const auto points = readSeries(workspace_, run_.id, series.name);
      if (tell(AlertKind::kDiverging, lossDivergence(series.name, points, words))) return;
    }
  }

  void addJump(const std::vector<SeriesSummary>& all) {
    std::vector<std::int64_t> validations;
    for (const SeriesSummary& series : all) {
      if (!isValidationLoss(series.name)) continue;
      for (const ScalarPoint& point : readSeries(workspace_, run_.id, series.name))
        validations.push_back(point.step);
    }
    std::ranges::sort(validations);
    validations.erase(std::ranges::unique(validations).begin(), validations.end());
    tell(AlertKind::kGradientJump,
         gradientJump(kGradientNorms,
                      readLastPoints(workspace_, run_.id, kGradientNorms, kNewestNorms),
                      validations));
  }

  bool tell(AlertKind kind, const std::optional<Divergence>& found) {
    if (found) add(kind, found->step, found->time, fmt::format("{}: {}", found->what, advice()));
    return found.has_value();
  }

  // An ended run whose newest loss is not finite.
  void addLostLoss(const std::vector<SeriesSummary>& all) {
    for (const SeriesSummary& series : all) {
      const bool loss = series.name.ends_with("/nll") || series.name.ends_with("/loss");
      if (!loss || std::isfinite(series.lastValue)) continue;
      const auto last = readLastPoints(workspace_, run_.id, series.name, 1);
      if (last.empty()) continue;
      return add(AlertKind::kNotFinite, last.back().step, last.back().wallTime,
                 fmt::format("{} ended at {}: {}", series.name, last.back().value, advice()));
    }
  }

  // 0: unknown.
  std::int64_t vocabulary() { return starts().empty() ? 0 : starts().back().targetVocabulary; }

  std::string advice() const {
    if (!importedFrom(run_).empty()) return "lower the learning rate, or clip gradients";
    return divergenceAdvice(run_.name, run_.status == RunStatus::kRunning);
  }

  void addNoImprovement() {
    const auto points = readSeries(workspace_, run_.id, run_.metric);
    if (points.empty()) return;
    const bool higher = higherIsBetter(run_.metric);
    auto best = points.begin();
    for (auto point = points.begin(); point != points.end(); ++point) {
      if (higher ? point->value > best->value : point->value < best->value) best = point;
    }
    const auto since = std::distance(best, points.end()) - 1;
    if (since < rules_.validations) return;
    add(AlertKind::kNoImprovement, best->step, points.back().wallTime,
        fmt::format("{} has not improved for {} validations: best {:.4g} at step {}, last {:.4g} "
                    "at step {}",
                    run_.metric, since, best->value, best->step, points.back().value,
                    points.back().step));
  }

  // The next checkpoint is taken to be as large as the last, with the margin that training keeps.
  void addDiskSpace() {
    const StoredCheckpoint* last = nullptr;
    const auto checkpoints = listCheckpointRows(workspace_, run_.id);
    for (const StoredCheckpoint& checkpoint : checkpoints) {
      if (checkpoint.present) last = &checkpoint;
    }
    if (last == nullptr) return;
    const std::uintmax_t size = folderBytes(last->folder), needed = size + size / 10;
    const std::uintmax_t free = rules_.freeBytes ? *rules_.freeBytes : freeSpace(workspace_.root());
    if (free >= needed) return;
    add(AlertKind::kDiskSpace, last->step, nowSeconds(),
        fmt::format("the next checkpoint needs {} MiB, as that of step {}, but only {} MiB are "
                    "free for {}; without it the run fails",
                    needed >> 20, last->step, free >> 20, workspace_.root().string()));
  }

  void addEnd() {
    const bool diverged = run_.diverged && run_.status == RunStatus::kFailed;
    if (run_.status != RunStatus::kFailed && run_.status != RunStatus::kInterrupted) return;
    const double time = endTime();
    if (isOld(time)) return;
    const AlertKind kind = diverged                                 ? AlertKind::kDiverged
                           : run_.status == RunStatus::kInterrupted ? AlertKind::kProcessDied
                                                                    : AlertKind::kFailed;
    add(kind, run_.step, time, run_.message.empty() ? std::string(nameOf(kind)) : run_.message);
  }

  static std::uintmax_t folderBytes(const fs::path& folder) {
    std::uintmax_t bytes = 0;
    std::error_code failed;
    for (fs::recursive_directory_iterator it(folder, failed), end; !failed && it != end;
         it.increment(failed)) {
      std::error_code ignored;
      if (it->is_regular_file(ignored)) bytes += it->file_size(ignored);
    }
    return bytes;
  }

  Workspace& workspace_;
  const AlertRules& rules_;
  const RunSummary& run_;
  std::vector<Alert>& alerts_;
  std::optional<std::vector<RunStart>> starts_;
  std::optional<std::vector<SeriesSummary>> series_;
};

// Jobs that went back to the queue since their worker had died.
void addDeadWorkers(Workspace& workspace, std::vector<Alert>& alerts) {
  for (const Job& job : listJobs(workspace)) {
    if (job.state != JobState::kQueued || job.message.empty()) continue;
    alerts.push_back({AlertKind::kProcessDied, job.run, job.name, runById(workspace, job.run).step,
                      job.created, job.message});
  }
}

}  // namespace

std::string_view nameOf(AlertKind kind) {
  return kKindNames[static_cast<std::size_t>(kind)];
}

Json toJson(const Alert& alert) {
  return {{"kind", nameOf(alert.kind)}, {"run", alert.run},   {"name", alert.name},
          {"step", alert.step},         {"time", alert.time}, {"text", alert.text}};
}

std::vector<Alert> alertsOf(Workspace& workspace, const RunSummary& run, const AlertRules& rules) {
  std::vector<Alert> alerts;
  RunAlerts(workspace, rules, run, alerts).collect();
  return alerts;
}

std::vector<Alert> runAlerts(Workspace& workspace, const AlertRules& rules) {
  std::vector<Alert> alerts;
  for (const RunSummary& run : listRuns(workspace))
    RunAlerts(workspace, rules, run, alerts).collect();
  addDeadWorkers(workspace, alerts);
  std::ranges::stable_sort(alerts, std::ranges::greater(), &Alert::time);
  return alerts;
}

}  // namespace strata
