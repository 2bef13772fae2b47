// strata-run runs active, runs alerts: what the panel Monitor shows.
#include <fmt/format.h>

#include <memory>

#include "app/commands/listing.h"
#include "core/report/table.h"
#include "core/store/alerts.h"
#include "core/store/run_activity.h"

namespace strata {
namespace {

Json toJson(const RunActivity& run) {
  Json left = nullptr;
  if (run.left)
    left = {{"least", run.left->least}, {"most", run.left->most}, {"intervals", run.intervals}};
  return {{"id", run.run},
          {"name", run.name},
          {"status", nameOf(run.status)},
          {"pending", run.pending},
          {"place", run.place},
          {"step", run.step},
          {"last_step", orNull(run.lastStep)},
          {"seconds_left", left},
          {"loss", finiteOrNull(run.loss)},
          {"tokens_per_second", run.speeds.empty() ? Json(nullptr) : Json(run.speeds.back())},
          {"device", run.device},
          {"host", run.host},
          {"threads", run.threads},
          {"resident_mib", run.residentMib},
          {"device_mib", run.deviceMib}};
}

void active(const GlobalOptions& global) {
  Workspace workspace = openFresh(global);
  const auto runs = activeRuns(workspace);
  if (global.json)
    return printJson({{"runs", jsonList(runs, [](const auto& run) { return toJson(run); })}});
  if (runs.empty()) return fmt::print("nothing is running\n");
  Table table{.columns = textThenNumbers({"name", "status", "step", "of", "time left", "loss",
                                          "tokens/s", "memory", "device"})};
  for (const RunActivity& run : runs) {
    const bool runs = run.place == 0;
    table.rows.push_back(
        {run.name, runs ? std::string(nameOf(run.status)) : fmt::format("queued {}", run.place),
         Cell::count(run.step),
         run.lastStep ? Cell::count(*run.lastStep) : Cell(std::string(kNoValue)),
         run.left ? textOf(*run.left) : std::string(kNoValue),
         Cell::number(run.loss, {.digits = 4, .missing = kNoValue}),
         run.speeds.empty() ? std::string(kNoValue) : fmt::format("{:.0f}", run.speeds.back()),
         run.residentMib > 0 ? fmt::format("{:.0f} MiB", run.residentMib) : std::string(kNoValue),
         run.device});
  }
  fmt::print("{}", textTable(table));
}

void alerts(const GlobalOptions& global, const AlertRules& rules) {
  Workspace workspace = openFresh(global);
  const auto found = runAlerts(workspace, rules);
  if (global.json) {
    return printJson(
        {{"alerts", jsonList(found, [](const Alert& alert) { return toJson(alert); })}});
  }
  if (found.empty()) fmt::print("no alerts\n");
  for (const Alert& alert : found) {
    fmt::print("{}  {}, step {}: {}: {}\n", dateText(alert.time), alert.name, alert.step,
               nameOf(alert.kind), alert.text);
  }
}

}  // namespace

void addWatchCommands(CLI::App& runs, const GlobalOptions& global) {
  runs.add_subcommand("active", "List the running and queued runs with their speed and time left")
      ->callback([&global] { active(global); });
  auto rules = std::make_shared<AlertRules>();
  auto* verb = runs.add_subcommand(
      "alerts",
      "List what needs attention: divergence, no improvement, a full disk, dead processes, "
      "missing folders");
  verb->add_option("--validations", rules->validations,
                   "Validations without improvement of the run's metric")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  verb->add_option("--hours", rules->hours,
                   "Leave out runs that ended longer ago; 0: leave out none")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verb->callback([&global, rules] { alerts(global, *rules); });
}

}  // namespace strata
