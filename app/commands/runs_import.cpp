// strata-run runs import: the curves of runs that other tools trained.
#include "app/commands/runs_import.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <set>

#include "app/commands/interruption.h"
#include "app/commands/listing.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/printable.h"
#include "core/curves/curve_set.h"
#include "core/curves/find_runs.h"
#include "core/store/import_runs.h"
#include "core/store/imported.h"

namespace strata {
namespace {

struct ImportRequest {
  std::vector<std::string> paths;
  std::string from, name;
  std::vector<std::string> tags, higher, lower;
  bool dryRun = false, update = false;
};

std::vector<ToolRun> read(const ImportRequest& request, Interruption& interruption) {
  std::vector<ToolRun> runs;
  std::set<std::pair<std::filesystem::path, int>> sources;
  for (const std::string& path : request.paths) {
    interruption.progress().begin("Reading " + path, 0, "bytes");
    for (ToolRun& run :
         readToolRuns(path, request.from,
                      {.progress = &interruption.progress(), .stop = interruption.stop()})) {
      if (sources.insert({run.source, run.training}).second) runs.push_back(std::move(run));
    }
    interruption.progress().end();
  }
  return runs;
}

Json toJson(const ToolRun& run, const ImportedRun& done) {
  return {{"name", done.name},
          {"outcome", nameOf(done.outcome)},
          {"id", done.id > 0 ? Json(done.id) : Json()},
          {"tool", run.tool},
          {"source", printable(run.source.string())},
          {"training", run.training},
          {"files",
           jsonList(run.files,
                    [](const CurveFile& file) {
                      return Json{{"path", printable(file.path.string())}, {"bytes", file.bytes}};
                    })},
          {"points", run.points()},
          {"first_step", run.firstStep()},
          {"last_step", run.lastStep()},
          {"series", jsonList(run.curves,
                              [](const Curve& curve) {
                                return Json{{"name", curve.name},
                                            {"points", curve.points.size()},
                                            {"first_step", curve.firstStep()},
                                            {"last_step", curve.points.back().step}};
                              })},
          {"notes", run.notes}};
}

void addSeries(const ToolRun& run, std::string& text) {
  constexpr std::size_t kShown = 50;
  for (std::size_t i = 0; i < std::min(kShown, run.curves.size()); ++i) {
    const Curve& curve = run.curves[i];
    text += fmt::format("  {}: {} point{}, steps {} to {}\n", curve.name, curve.points.size(),
                        curve.points.size() == 1 ? "" : "s", curve.firstStep(),
                        curve.points.back().step);
  }
  if (run.curves.size() > kShown)
    text += fmt::format("  and {} more series\n", run.curves.size() - kShown);
}

std::string sentenceOf(const ToolRun& run, const ImportedRun& done, bool dryRun) {
  const std::string_view would = dryRun ? "would be " : "";
  const std::string files = run.files.size() == 1 ? printable(run.files[0].path.string())
                                                  : fmt::format("{} files in {}", run.files.size(),
                                                                printable(run.source.string()));
  return fmt::format("{}: {}{}, {} points of {} series, steps {} to {}, {} ({})\n", done.name,
                     would, nameOf(done.outcome), run.points(), run.curves.size(), run.firstStep(),
                     run.lastStep(), titleOfTool(run.tool), files);
}

void show(const GlobalOptions& global, const ImportRequest& request,
          const std::vector<ToolRun>& runs, const std::vector<ImportedRun>& done) {
  for (const ToolRun& run : runs) {
    for (const std::string& note : run.notes) spdlog::warn("{}: {}", printable(run.name), note);
  }
  Json list = Json::array();
  std::string text;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    list.push_back(toJson(runs[i], done[i]));
    text += sentenceOf(runs[i], done[i], request.dryRun);
    if (request.dryRun) addSeries(runs[i], text);
  }
  text.pop_back();
  printDone(global, {{"dry_run", request.dryRun}, {"runs", list}}, text);
}

void importCurves(const GlobalOptions& global, const ImportRequest& request) {
  Interruption interruption(terminalProgress());
  try {
    const std::vector<ToolRun> runs = read(request, interruption);
    Workspace workspace = openFresh(global);
    const ImportOptions options{.name = request.name,
                                .tags = request.tags,
                                .update = request.update,
                                .higherIsBetter = request.higher,
                                .lowerIsBetter = request.lower,
                                .progress = &interruption.progress(),
                                .stop = interruption.stop()};
    std::int64_t points = 0;
    for (const ToolRun& run : runs) points += run.points();
    interruption.progress().begin("Importing", points, "points");
    const auto done = request.dryRun ? planImport(workspace, runs, options)
                                     : importRuns(workspace, runs, options);
    interruption.progress().end();
    show(global, request, runs, done);
  } catch (const Cancelled&) {
    interruption.progress().end();
    spdlog::warn("stopped: nothing was imported");
    throw CLI::RuntimeError(Interruption::status());
  }
}

}  // namespace

void addImportCommand(CLI::App& runs, const GlobalOptions& global) {
  auto request = std::make_shared<ImportRequest>();
  auto* verb =
      runs.add_subcommand("import", "Import the curves of TensorBoard, fairseq or JoeyNMT");
  verb->add_option("PATH", request->paths,
                   "A folder of event files, a log of fairseq, a model's folder of JoeyNMT")
      ->required();
  verb->add_option("--from", request->from, "Which tool wrote them; else found out")
      ->check(CLI::IsMember({kTensorBoard, kFairseq, kJoeyNmt}));
  verb->add_option("--name", request->name, "Name of the run, or beginning of several names");
  verb->add_option("--tag", request->tags, "A tag besides `imported`; may be repeated")
      ->expected(1)
      ->take_all();
  verb->add_option(
          "--higher-is-better", request->higher,
          "A series of which higher values are better, where its name does not say it; may "
          "be repeated")
      ->expected(1)
      ->take_all();
  verb->add_option("--lower-is-better", request->lower, "A series of which lower values are better")
      ->expected(1)
      ->take_all();
  verb->add_flag("--dry-run", request->dryRun, "Say what would be imported, series by series");
  verb->add_flag("--update", request->update,
                 "Take over what is new in sources that were imported before");
  verb->footer(
      "Such a run has curves and no model. A folder of TensorBoard is one run for each subfolder "
      "with event files. Files may be compressed by gzip. docs/other-tools.md says which figure "
      "becomes which series.\n"
      "Examples:\n"
      "  strata-run runs import logs/tensorboard --dry-run\n"
      "  strata-run runs import fairseq/train.log --name theirs --tag baseline\n"
      "  strata-run runs import joeynmt/models/base --update");
  verb->callback([&global, request] { importCurves(global, *request); });
}

}  // namespace strata
