#include <fmt/format.h>

#include <memory>

#include "app/commands/verbs.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/store/maintenance.h"
#include "core/store/runs.h"

namespace strata {
namespace {

Json toJson(const WorkspaceReport& report) {
  return {{"runs", report.runs},
          {"trashed", report.trashed},
          {"series", report.series},
          {"points", report.points},
          {"checkpoints", report.checkpoints},
          {"index_bytes", report.indexBytes},
          {"network_file_system", report.networkFileSystem},
          {"done", report.done},
          {"problems", report.problems}};
}

void print(const WorkspaceReport& report, const GlobalOptions& global) {
  if (global.json) return printJson(toJson(report));
  fmt::print(
      "{} runs ({} more in the trash), {} series with {} points, {} checkpoints; index {:.1f} "
      "MB{}\n",
      report.runs, report.trashed, report.series, report.points, report.checkpoints,
      static_cast<double>(report.indexBytes) / 1e6,
      report.networkFileSystem ? ", on a network file system (exclusive locks)" : "");
  for (const auto& done : report.done) fmt::print("{}\n", done);
  for (const auto& problem : report.problems) fmt::print("problem: {}\n", problem);
}

void check(const GlobalOptions& global) {
  const WorkspaceReport report = checkWorkspace(global.workspace);
  print(report, global);
  if (!report.problems.empty())
    throw Error("{} problems in {}", report.problems.size(), global.workspace.string());
  if (!global.json) fmt::print("all is well\n");
}

void repair(const GlobalOptions& global) {
  const WorkspaceReport report = repairWorkspace(global.workspace);
  print(report, global);
  if (!report.problems.empty())
    throw Error("{} problems in {} that rebuilding the index does not fix; they are listed above",
                report.problems.size(), global.workspace.string());
}

void forget(const GlobalOptions& global, const std::string& name) {
  Workspace workspace(global.workspace);
  const RunSummary run = findRun(workspace, name);
  forgetRun(workspace, run.id);
  printDone(global, {{"id", run.id}, {"name", run.name}},
            fmt::format("{} is no longer listed", run.name));
}

void backup(const GlobalOptions& global, const std::string& file) {
  Workspace workspace(global.workspace);
  backupIndex(workspace.database(), file);
  printDone(
      global, {{"file", file}},
      fmt::format("the index was copied to {}; the runs' folders are copied like any files", file));
}

void vacuum(const GlobalOptions& global) {
  Workspace workspace(global.workspace);
  const std::int64_t saved = vacuumIndex(workspace);
  printDone(global, {{"bytes_saved", saved}},
            fmt::format("saved {:.1f} MB", static_cast<double>(saved) / 1e6));
}

}  // namespace

void addWorkspaceCommand(CLI::App& app, const GlobalOptions& global) {
  auto* verb =
      app.add_subcommand("workspace", "Check, repair or copy the workspace's index; its size");
  verb->require_subcommand(1);
  verb->footer(
      "Examples:\n  strata-run workspace check\n  strata-run workspace repair\n"
      "  strata-run workspace backup ~/strata-index.db\n"
      "  strata-run workspace usage --top 10");
  verb->add_subcommand("check", "Compare index and folders, read every event log; changes nothing")
      ->callback([&global] { check(global); });
  verb->add_subcommand(
          "repair",
          "Rebuild the index from the runs' folders; damaged files are reported and kept, "
          "and make the exit status 1")
      ->callback([&global] { repair(global); });
  auto run = std::make_shared<std::string>();
  auto* lost = verb->add_subcommand("forget", "Remove a run whose folder is gone from the list");
  lost->add_option("RUN", *run, "Number or name of the run")->required();
  lost->callback([&global, run] { forget(global, *run); });
  auto file = std::make_shared<std::string>();
  auto* copy = verb->add_subcommand("backup", "Copy the index, even while a run writes to it");
  copy->add_option("FILE", *file, "The copy; must not exist yet")->required();
  copy->callback([&global, file] { backup(global, *file); });
  verb->add_subcommand("vacuum", "Release unused space of the index")->callback([&global] {
    vacuum(global);
  });
  addUsageCommand(*verb, global);
}

}  // namespace strata
