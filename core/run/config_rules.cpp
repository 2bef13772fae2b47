// Rules that span several keys of an experiment's configuration.
#include <algorithm>

#include "core/base/error.h"
#include "core/run/config_check.h"
#include "core/run/experiment.h"

namespace strata {
namespace {

class Rules {
 public:
  explicit Rules(const ExperimentSpec& spec) : spec_(spec) {}

  std::vector<ConfigProblem> check() {
    checkSets();
    checkStopping();
    checkPhases();
    if (spec_.criterion.rDrop > 0 && spec_.criterion.simcutAlpha > 0)
      add("criterion.simcut.alpha", "criterion.r_drop is on too: choose one of them");
    if (!spec_.checkpoint.metric.empty())
      checkSeries("checkpoint.metric", spec_.checkpoint.metric, "checkpoint");
    const ScheduleSpec& schedule = spec_.training.common.schedule;
    if (schedule.kind == ScheduleSpec::Kind::kPlateau)
      checkSeries("training.schedule.metric", schedule.metric, "a schedule");
    return std::move(problems_);
  }

 private:
  bool monitored(const std::string& set) const {
    const auto& monitors = spec_.validation.monitor;
    return std::any_of(monitors.begin(), monitors.end(),
                       [&](const MonitorSpec& monitor) { return monitor.set == set; });
  }

  void add(const std::string& path, std::string message) {
    problems_.push_back({path, std::move(message)});
  }

  // Decisions may use validation sets only; monitored sets, and every test set, are only plotted.
  void checkSets() {
    for (const std::string& set : spec_.validation.sets) {
      if (set.starts_with("test")) {
        add("validation.sets",
            fmt::format(
                "'{}' is a test set: put it under validation.monitor, where it is only plotted",
                set));
      } else if (set == "train-sample") {
        add("validation.sets",
            "train-sample is only plotted: put train-sample:N under validation.monitor");
      } else if (monitored(set)) {
        add("validation.sets",
            fmt::format("'{}' is under validation.monitor too: choose one", set));
      }
    }
  }

  // `metric` is SET/METRIC of a validated set and a measured metric.
  void checkSeries(const std::string& path, const std::string& metric, const std::string& user) {
    const auto slash = metric.find('/');
    const std::string set = metric.substr(0, slash);
    std::string measure = slash == std::string::npos ? "" : metric.substr(slash + 1);
    if (measure.starts_with("ema-") && spec_.training.ema > 0) measure = measure.substr(4);
    const auto& sets = spec_.validation.sets;
    if (measure.empty()) {
      add(path, fmt::format("expected SET/METRIC, such as valid/nll, not '{}'", metric));
    } else if (monitored(set) || set == "train" || set == "train-sample" ||
               set.starts_with("test")) {
      add(path, fmt::format(
                    "'{}' is only plotted: {} may not depend on it; name a set of validation.sets",
                    set, user));
    } else if (std::find(sets.begin(), sets.end(), set) == sets.end()) {
      add(path,
          fmt::format("'{}' is not a set of validation.sets ({})", set, fmt::join(sets, ", ")));
    } else if (!spec_.validation.wants(measure)) {
      add(path, fmt::format("'{}' is not measured: it is not in validation.metrics ({})", measure,
                            fmt::join(spec_.validation.metrics, ", ")));
    }
  }

  void checkStopping() {
    const EarlyStoppingSpec& stopping = spec_.earlyStopping;
    if (stopping.metric.empty() && stopping.patience > 0)
      add("early_stopping.patience", "needs early_stopping.metric");
    if (stopping.metric.empty()) return;
    if (stopping.patience == 0)
      add("early_stopping.metric", "needs early_stopping.patience of at least 1");
    checkSeries("early_stopping.metric", stopping.metric, "early stopping");
    if (spec_.validation.everyUpdates == 0 && spec_.validation.everyEpochs == 0)
      add("early_stopping.metric", "needs validation.every_updates or validation.every_epochs");
  }

  void checkPhases() {
    const std::vector<PhaseSpec>& phases = spec_.training.phases;
    for (std::size_t i = 0; i < phases.size(); ++i) {
      const std::string path = fmt::format("training.phases.{}", i);
      if (i + 1 < phases.size() && phases[i].epochs == 0)
        add(path, "needs epochs of at least 1: only the last phase may run until a limit");
      const ScheduleSpec& schedule = phases[i].schedule;
      if (schedule.kind == ScheduleSpec::Kind::kPlateau &&
          schedule != spec_.training.common.schedule)
        checkSeries(path, schedule.metric, "a schedule");
    }
  }

  const ExperimentSpec& spec_;
  std::vector<ConfigProblem> problems_;
};

}  // namespace

std::vector<ConfigProblem> crossCheck(const Json& config) {
  const ExperimentSpec spec = parseExperiment(config);
  return Rules(spec).check();
}

}  // namespace strata
