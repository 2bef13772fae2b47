// strata-run runs checkpoints, note: what the window's inspector shows and changes.
#include <fmt/format.h>

#include <memory>

#include "app/commands/listing.h"
#include "app/commands/verbs.h"
#include "core/base/error.h"
#include "core/report/table.h"
#include "core/run/checkpoint_files.h"
#include "core/store/disk_use.h"
#include "core/store/runs.h"

namespace strata {
namespace {

struct CheckpointRequest {
  std::string run;
  std::vector<std::int64_t> pin, unpin, remove;
};

struct NoteRequest {
  std::string run, text;
};

void changeCheckpoints(Workspace& workspace, const RunSummary& run,
                       const CheckpointRequest& request) {
  const auto folder = [&](std::int64_t step) {
    return checkpointsFolder(run.folder) / checkpointName(step);
  };
  for (const std::int64_t step : request.pin) pinCheckpoint(folder(step), true);
  for (const std::int64_t step : request.unpin) pinCheckpoint(folder(step), false);
  for (const std::int64_t step : request.remove) removeRunCheckpoint(workspace, run.id, step);
}

void showCheckpoints(const GlobalOptions& global, const CheckpointRequest& request) {
  Workspace workspace = openFresh(global);
  const RunSummary run = findRun(workspace, request.run);
  changeCheckpoints(workspace, run, request);
  Json list = Json::array();
  Table table{.columns = {{"step"}, {run.metric}, {"MiB"}, {"pinned"}, {"damage"}}};
  for (const CheckpointInfo& info : listCheckpoints(run.folder)) {
    const auto score = info.scores.find(run.metric);
    const auto bytes = diskUseOf(info.folder).all();
    list.push_back({{"step", info.step},
                    {"scores", info.scores},
                    {"bytes", bytes},
                    {"pinned", info.pinned},
                    {"damage", info.damage},
                    {"folder", info.folder.string()}});
    table.rows.push_back({std::to_string(info.step),
                          score == info.scores.end() ? "-" : fmt::format("{:.5g}", score->second),
                          fmt::format("{:.1f}", double(bytes) / (1 << 20)),
                          info.pinned ? "yes" : "", info.damage});
  }
  if (global.json) return printJson({{"run", run.name}, {"checkpoints", list}});
  fmt::print("{}\n", textTable(table));
}

void writeNote(const GlobalOptions& global, const NoteRequest& request) {
  Workspace workspace = openFresh(global);
  const RunSummary run = findRun(workspace, request.run);
  setNote(workspace, run.id, request.text);
  printDone(global, {{"run", run.name}, {"note", request.text}},
            fmt::format("{}: {}", run.name, request.text.empty() ? "no note" : request.text));
}

}  // namespace

void addCheckpointCommands(CLI::App& runs, const GlobalOptions& global) {
  auto kept = std::make_shared<CheckpointRequest>();
  auto* checkpoints =
      runs.add_subcommand("checkpoints", "List a run's checkpoints; pin or remove some");
  checkpoints->add_option("RUN", kept->run, "Number or name of the run")->required();
  checkpoints->add_option("--pin", kept->pin, "Steps whose checkpoints are never removed");
  checkpoints->add_option("--unpin", kept->unpin, "Steps whose checkpoints may be removed again");
  checkpoints->add_option("--remove", kept->remove,
                          "Steps whose checkpoints are removed now; not while the run trains");
  checkpoints->callback([&global, kept] { showCheckpoints(global, *kept); });

  auto written = std::make_shared<NoteRequest>();
  auto* note = runs.add_subcommand("note", "Write a run's note");
  note->add_option("RUN", written->run, "Number or name of the run")->required();
  note->add_option("TEXT", written->text, "The note; '' removes it")->required();
  note->callback([&global, written] { writeNote(global, *written); });
}

}  // namespace strata
