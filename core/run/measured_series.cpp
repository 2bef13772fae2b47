#include "core/run/measured_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/run/experiment.h"

namespace strata {
namespace {

struct ScoredSeries {
  std::string set, metric;
};

// Of a set that the validator scores; none for what training reports.
std::optional<ScoredSeries> scoredSeries(const std::string& name) {
  const auto slash = name.find('/');
  if (slash == std::string::npos) return {};
  ScoredSeries found{name.substr(0, slash), name.substr(slash + 1)};
  if (found.set == "train" || !ValidationSpec{}.wants(found.metric)) return {};
  return found;
}

bool scores(const ValidationSpec& validation, const std::string& set) {
  return std::ranges::find(validation.sets, set) != validation.sets.end() ||
         std::ranges::find(validation.monitor, set, &MonitorSpec::set) != validation.monitor.end();
}

// How validation.monitor names a set: a sample of train needs a size, the usual one.
std::string monitorOf(const std::string& set) {
  for (const MonitorSpec& usual : ValidationSpec{}.monitor) {
    if (usual.set == set) return fmt::format("{}:{}", set, usual.sentences);
  }
  return set;
}

}  // namespace

std::vector<std::string> unmeasuredSeries(const Json& config,
                                          const std::vector<std::string>& series) {
  const ValidationSpec validation = parseExperiment(config).validation;
  std::vector<std::string> unmeasured;
  for (const std::string& name : series) {
    const auto wanted = scoredSeries(name);
    if (wanted && !(scores(validation, wanted->set) && validation.wants(wanted->metric)))
      unmeasured.push_back(name);
  }
  return unmeasured;
}

void measureSeries(Json& config, const std::vector<std::string>& series) {
  for (const std::string& name : unmeasuredSeries(config, series)) {
    const auto wanted = *scoredSeries(name);
    const ValidationSpec before = parseExperiment(config).validation;
    Json& validation = config["validation"];
    if (!scores(before, wanted.set)) validation["monitor"].push_back(monitorOf(wanted.set));
    if (!before.wants(wanted.metric)) validation["metrics"].push_back(wanted.metric);
  }
}

}  // namespace strata
