// Rules that span several keys of an experiment's configuration.
#include <algorithm>

#include "core/base/error.h"
#include "core/run/config_check.h"

namespace strata {
namespace {

class Rules {
 public:
  explicit Rules(const Json& config) : config_(config) {}

  std::vector<ConfigProblem> check() {
    checkSets();
    checkStopping();
    checkPhases();
    if (number("criterion.r_drop") > 0 && number("criterion.simcut.alpha") > 0)
      add("criterion.simcut.alpha", "criterion.r_drop is on too: choose one of them");
    if (!text("checkpoint.metric").empty())
      checkSeries("checkpoint.metric", text("checkpoint.metric"), "checkpoint");
    if (text("training.schedule.name") == "plateau") {
      checkSeries("training.schedule.metric", text("training.schedule.metric"), "a schedule");
    }
    return std::move(problems_);
  }

 private:
  std::string text(const std::string& path) const {
    return configAt(config_, path).get<std::string>();
  }

  double number(const std::string& path) const { return configAt(config_, path).get<double>(); }

  std::vector<std::string> strings(const std::string& path) const {
    return configAt(config_, path).get<std::vector<std::string>>();
  }

  bool monitored(const std::string& set) const {
    const auto names = strings("validation.monitor");
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return name.substr(0, name.find(':')) == set;
    });
  }

  void add(const std::string& path, std::string message) {
    problems_.push_back({path, std::move(message)});
  }

  // Decisions may use validation sets only; monitored sets, and every test set, are only plotted.
  void checkSets() {
    for (const std::string& set : strings("validation.sets")) {
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
    if (measure.starts_with("ema-") && number("training.ema") > 0) measure = measure.substr(4);
    const auto sets = strings("validation.sets");
    const auto metrics = strings("validation.metrics");
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
    } else if (std::find(metrics.begin(), metrics.end(), measure) == metrics.end()) {
      add(path, fmt::format("'{}' is not measured: it is not in validation.metrics ({})", measure,
                            fmt::join(metrics, ", ")));
    }
  }

  void checkStopping() {
    const std::string metric = text("early_stopping.metric");
    const auto patience = configAt(config_, "early_stopping.patience").get<std::int64_t>();
    if (metric.empty() && patience > 0)
      add("early_stopping.patience", "needs early_stopping.metric");
    if (metric.empty()) return;
    if (patience == 0) add("early_stopping.metric", "needs early_stopping.patience of at least 1");
    checkSeries("early_stopping.metric", metric, "early stopping");
    if (configAt(config_, "validation.every_updates") == 0 &&
        configAt(config_, "validation.every_epochs") == 0) {
      add("early_stopping.metric", "needs validation.every_updates or validation.every_epochs");
    }
  }

  void checkPhases() {
    const Json& phases = configAt(config_, "training.phases");
    for (std::size_t i = 0; i < phases.size(); ++i) {
      const std::string path = fmt::format("training.phases.{}", i);
      if (i + 1 < phases.size() && phases[i].value("epochs", std::int64_t{0}) == 0) {
        add(path, "needs epochs of at least 1: only the last phase may run until a limit");
      }
      const Json schedule = phases[i].value("schedule", Json::object());
      if (schedule.value("name", text("training.schedule.name")) == "plateau") {
        checkSeries(path, schedule.value("metric", text("training.schedule.metric")), "a schedule");
      }
    }
  }

  const Json& config_;
  std::vector<ConfigProblem> problems_;
};

}  // namespace

std::vector<ConfigProblem> crossCheck(const Json& config) {
  return Rules(config).check();
}

}  // namespace strata
