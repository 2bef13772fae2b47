// strata-run runs diff: two runs next to each other.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "app/commands/listing.h"
#include "app/commands/verbs.h"
#include "core/base/error.h"
#include "core/report/table.h"
#include "core/sweeps/run_comparison.h"

namespace strata {
namespace {

struct DiffRequest {
  std::string left, right;
  bool all = false;  // with what is the same
};

Json toJson(const std::vector<ComparedValue>& values) {
  return jsonList(values, [](const ComparedValue& each) {
    return Json{{"key", each.key}, {"left", each.left}, {"right", each.right}};
  });
}

Json toJson(const ComparedMetric& metric) {
  static constexpr const char* kSides[] = {"left", "", "right"};
  const int better = metric.better();
  return {{"metric", metric.name},
          {"left", finiteOrNull(metric.left)},
          {"right", finiteOrNull(metric.right)},
          {"difference", finiteOrNull(metric.difference())},
          {"better", better == 0 ? Json() : Json(kSides[better + 1])}};
}

void printValues(const char* title, const std::vector<ComparedValue>& values,
                 const std::pair<std::string, std::string>& names) {
  if (values.empty()) return;
  Table table{.columns = {{title}, {names.first}, {names.second}}};
  for (const ComparedValue& each : values)
    table.rows.push_back({each.key, comparedText(each.left), comparedText(each.right)});
  fmt::print("{}\n", textTable(table));
}

void printMetrics(const std::vector<ComparedMetric>& metrics,
                  const std::pair<std::string, std::string>& names) {
  if (metrics.empty()) return;
  Table table{.columns = textThenNumbers({"metric", names.first, names.second, "difference"})};
  table.columns.push_back({"better"});
  const NumberStyle format{.digits = 5, .form = NumberForm::kSignificant, .missing = kNoValue};
  for (const ComparedMetric& each : metrics) {
    const int better = each.better();
    table.rows.push_back({each.name, Cell::number(each.left, format),
                          Cell::number(each.right, format), Cell::number(each.difference(), format),
                          better == 0  ? ""
                          : better < 0 ? names.first
                                       : names.second});
  }
  fmt::print("{}\n", textTable(table));
}

void diff(const GlobalOptions& global, const DiffRequest& request) {
  Workspace workspace = openFresh(global);
  const RunSummary left = findRun(workspace, request.left);
  const RunSummary right = findRun(workspace, request.right);
  RunComparison both = compareRuns(workspace, left, right);
  const bool same = std::ranges::none_of(both.settings, &ComparedValue::differs);
  if (!request.all) both = onlyDifferences(std::move(both));
  if (global.json) {
    return printJson(
        {{"left", left.name},
         {"right", right.name},
         {"differences", toJson(both.settings)},
         {"environment", toJson(both.environment)},
         {"metrics", jsonList(both.metrics, [](const auto& each) { return toJson(each); })}});
  }
  const std::pair names{left.name, right.name};
  if (same) fmt::print("{} and {} have the same configuration\n\n", left.name, right.name);
  printValues("setting", both.settings, names);
  printValues("last start", both.environment, names);
  printMetrics(both.metrics, names);
}

}  // namespace

void addDiffCommand(CLI::App& runs, const GlobalOptions& global) {
  auto request = std::make_shared<DiffRequest>();
  auto* verb = runs.add_subcommand(
      "diff", "Show what differs between two runs: settings, last starts, final metrics");
  verb->add_option("LEFT", request->left, "Number or name of a run")->required();
  verb->add_option("RIGHT", request->right, "Number or name of another")->required();
  verb->add_flag("--all", request->all, "Also show what is the same");
  verb->footer(
      "Differences of metrics are RIGHT minus LEFT; whether one is significant, `strata-run "
      "compare` says.\n"
      "Examples:\n  strata-run runs diff base mlrf\n  strata-run runs diff base mlrf --all --json");
  verb->callback([&global, request] { diff(global, *request); });
}

}  // namespace strata
