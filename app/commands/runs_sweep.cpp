// strata-run runs sweep: a final metric of the runs over a setting or a cost, as the panel Sweeps
// draws it.
#include <fmt/format.h>

#include <memory>

#include "app/commands/listing.h"
#include "core/base/named_output.h"
#include "core/report/csv.h"
#include "core/report/table.h"
#include "core/sweeps/sweep_table.h"

namespace strata {
namespace {

struct RunsSweepOptions {
  std::string filter, csv;
  SweepQuery query;
};

// What there is to choose from.
void listChoices(const GlobalOptions& global, const SweptRuns& runs) {
  const std::vector<std::string> costs{kSweepParameters, kSweepHours, kSweepSpeed};
  if (global.json) {
    return printJson({{"runs", runs.runs.size()},
                      {"metrics", runs.metrics},
                      {"keys", runs.keys},
                      {"costs", costs},
                      {"left_out", runs.leftOut}});
  }
  fmt::print("{} runs that have ended\n\nmetrics (--metric):\n", runs.runs.size());
  for (const std::string& metric : runs.metrics) fmt::print("  {}\n", metric);
  fmt::print("\nkeys that differ (--x, --lines):\n");
  for (const std::string& key : runs.keys) fmt::print("  {}\n", key);
  fmt::print("\ncosts (--x): {}\n", fmt::join(costs, ", "));
}

void show(const GlobalOptions& global, const RunsSweepOptions& options) {
  Workspace workspace = openFresh(global);
  RunSettings settings;
  const SweptRuns runs = sweptRuns(workspace, options.filter, settings);
  if (options.query.metric.empty()) return listChoices(global, runs);
  const SweepTable table = sweepTable(runs, options.query);
  if (!options.csv.empty()) writeNamedOutput(options.csv, csvTable(shownTable(table)));
  if (global.json) return printJson(toJson(table));
  const Table shown = shownTable(table);
  fmt::print("{}\n", textTable(shown));
  if (table.isCost)
    fmt::print("on the Pareto front (nothing is cheaper and better): {} of {}\n",
               shown.marked.size(), shown.rows.size());
  fmt::print("low, high: 95 % interval of the mean over seeds (Student's t)\n");
  for (const std::string& line : table.leftOut) fmt::print("left out: {}\n", line);
}

}  // namespace

void addRunsSweepCommand(CLI::App& runs, const GlobalOptions& global) {
  auto options = std::make_shared<RunsSweepOptions>();
  auto* verb = runs.add_subcommand(
      "sweep", "Compare a final metric of runs over a setting, parameters, hours or speed");
  auto* metric = verb->add_option("--metric", options->query.metric,
                                  "\"best SERIES\", \"last SERIES\" or \"score SET SCORER\"; "
                                  "without it: what there is to choose from");
  auto* x = verb->add_option("--x", options->query.x,
                             "A key that differs, or parameters, hours, tokens_per_second");
  metric->needs(x);
  x->needs(metric);
  verb->add_option("--lines", options->query.lines, "A key, one line per value: preset")
      ->needs(metric);
  verb->add_option("--baseline", options->query.baseline,
                   "Print the mean of this run and those that differ only in the seed")
      ->needs(metric);
  verb->add_option("--filter", options->filter,
                   "Regular expression found in the name, preset or dataset");
  verb->add_option("--csv", options->csv, "Write the table as CSV")->needs(metric);
  verb->footer(
      "Examples:\n"
      "  strata-run runs sweep --filter tuning\n"
      "  strata-run runs sweep --metric \"best valid/nll\" --x training.dropout --lines preset\n"
      "  strata-run runs sweep --metric \"best valid/bleu\" --x parameters");
  verb->callback([&global, options] { show(global, *options); });
}

}  // namespace strata
