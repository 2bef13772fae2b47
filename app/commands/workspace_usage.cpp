// strata-run workspace usage: the bytes of runs, by kind, and of the rest of the workspace.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/commands/listing.h"
#include "core/report/table.h"
#include "core/store/disk_use.h"

namespace strata {
namespace {

struct UsageOptions {
  std::size_t top = 20;
};

Json toJson(const DiskUse& use) {
  return {{"bytes", use.all()},       {"checkpoints", use.checkpoints},
          {"averages", use.averages}, {"recordings", use.recordings},
          {"outputs", use.outputs},   {"events", use.events},
          {"analyses", use.analyses}, {"text", use.text},
          {"rest", use.rest}};
}

Json toJson(const WorkspaceUse& use) {
  Json runs = Json::array();
  for (const RunUse& run : use.runs) {
    Json row = toJson(run.use);
    row["id"] = run.id;
    row["name"] = run.name;
    row["trashed"] = run.trashed;
    runs.push_back(std::move(row));
  }
  return {{"bytes", use.total()},
          {"runs", runs},
          {"all_runs", toJson(use.all)},
          {"trash", toJson(use.trash)},
          {"datasets", use.datasets},
          {"systems", use.systems},
          {"cache", use.cache},
          {"index", use.index},
          {"rest", use.rest}};
}

std::string sizeText(std::uint64_t bytes) {
  return bytes == 0 ? "-" : fmt::format("{:.1f}", static_cast<double>(bytes) / 1e6);
}

std::vector<Cell> cellsOf(const std::string& name, const DiskUse& use) {
  std::vector<Cell> cells{name};
  for (const std::uint64_t bytes : {use.all(), use.checkpoints, use.averages, use.recordings,
                                    use.outputs, use.events, use.analyses, use.text, use.rest})
    cells.push_back(sizeText(bytes));
  return cells;
}

void show(const GlobalOptions& global, const UsageOptions& options) {
  Workspace workspace = openFresh(global);
  const WorkspaceUse use = workspaceUse(workspace);
  if (global.json) return printJson(toJson(use));
  Table table{.columns = {{"MB"}}};
  for (const char* name : {"all", "checkpoints", "averages", "recordings", "outputs", "events",
                           "analyses", "text", "rest"})
    table.columns.push_back({name, Align::kRight});
  for (std::size_t i = 0; i < std::min(options.top, use.runs.size()); ++i) {
    const RunUse& run = use.runs[i];
    table.rows.push_back(cellsOf(run.name + (run.trashed ? " (in trash)" : ""), run.use));
  }
  table.rows.push_back(cellsOf(std::string("all runs"), use.all));
  table.rows.push_back(cellsOf("the trash", use.trash));
  fmt::print("{}\ndatasets {}, systems {}, cache {}, index {}, rest {}; in all {} MB\n",
             textTable(table), sizeText(use.datasets), sizeText(use.systems), sizeText(use.cache),
             sizeText(use.index), sizeText(use.rest), sizeText(use.total()));
}

}  // namespace

void addUsageCommand(CLI::App& workspace, const GlobalOptions& global) {
  auto options = std::make_shared<UsageOptions>();
  auto* verb = workspace.add_subcommand(
      "usage", "Bytes of each run by kind, largest first, and of the rest of the workspace");
  verb->add_option("--top", options->top, "So many runs; with --json all")->capture_default_str();
  verb->footer(
      "A file with several names (hard links) counts once: text that runs share with their dataset "
      "is the dataset's.\n"
      "Examples:\n  strata-run workspace usage\n  strata-run workspace usage --top 5\n"
      "  strata-run workspace usage --json");
  verb->callback([&global, options] { show(global, *options); });
}

}  // namespace strata
