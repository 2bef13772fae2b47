// strata-run runs export: all points of runs as text, or as files that TensorBoard shows.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <memory>

#include "app/commands/interruption.h"
#include "app/commands/listing.h"
#include "app/commands/run_json.h"
#include "app/commands/runs_import.h"
#include "app/commands/standard_output.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/named_output.h"
#include "core/curves/find_runs.h"
#include "core/curves/tf_events.h"
#include "core/report/csv.h"
#include "core/store/runs.h"
#include "core/store/scalars.h"

namespace strata {
namespace {

constexpr const char* kEventFormat = "tfevents";

struct ExportRequest {
  std::vector<std::string> runs;
  std::string format = "csv", output;
};

// As a string where JSON has no such number and the value must be kept.
Json exactNumber(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

// Of several runs, each line begins with the run's name.
std::string csvOf(Workspace& workspace, const std::vector<RunSummary>& runs) {
  const bool several = runs.size() > 1;
  std::string out = several ? "run,series,step,wall_time,value\n" : "series,step,wall_time,value\n";
  for (const RunSummary& run : runs) {
    const std::string begin = several ? csvCell(run.name) + "," : std::string();
    for (const auto& series : listSeries(workspace, run.id)) {
      const std::string name = csvCell(series.name);
      for (const auto& point : readSeries(workspace, run.id, series.name))
        fmt::format_to(std::back_inserter(out), "{}{},{},{:.6f},{}\n", begin, name, point.step,
                       point.wallTime, point.value);
    }
  }
  return out;
}

Json pointsOf(Workspace& workspace, const RunSummary& run) {
  Json document = toJson(run);
  document["config"] = runConfig(run);
  document["series"] = Json::object();
  for (const auto& series : listSeries(workspace, run.id)) {
    Json points = Json::array();
    for (const auto& point : readSeries(workspace, run.id, series.name))
      points.push_back({point.step, point.wallTime, exactNumber(point.value)});
    document["series"][series.name] = std::move(points);
  }
  return document;
}

std::string jsonOf(Workspace& workspace, const std::vector<RunSummary>& runs) {
  if (runs.size() == 1) return pointsOf(workspace, runs.front()).dump(1) + "\n";
  return jsonList(runs, [&](const RunSummary& run) { return pointsOf(workspace, run); }).dump(1) +
         "\n";
}

std::vector<Curve> curvesOf(Workspace& workspace, const RunSummary& run) {
  std::vector<Curve> curves;
  for (const auto& series : listSeries(workspace, run.id))
    curves.push_back({series.name, readSeries(workspace, run.id, series.name)});
  return curves;
}

// Finite values that become infinite in single precision.
std::int64_t overflows(const std::vector<Curve>& curves) {
  std::int64_t count = 0;
  for (const Curve& curve : curves) {
    for (const ScalarPoint& point : curve.points)
      count += std::isfinite(point.value) && !std::isfinite(static_cast<float>(point.value));
  }
  return count;
}

// The file of a run below the output folder; its name depends on nothing but the run. Another
// program's files there would be shown as parts of the same run.
fs::path eventFileOf(const fs::path& output, const RunSummary& run) {
  const bool here = run.name == "." || run.name == "..";
  const fs::path folder = output / (here ? fmt::format("run-{}", run.id) : run.name);
  const fs::path file =
      folder / fmt::format("events.out.tfevents.{:010.0f}.strata", std::floor(run.created));
  for (const auto& name : namesIn(folder)) {
    if (hasEventName(name) && name != file.filename())
      throw usageError("{} has other event files ({}): choose another folder", folder.string(),
                       name);
  }
  return file;
}

void exportEvents(const GlobalOptions& global, Workspace& workspace,
                  const std::vector<RunSummary>& runs, const fs::path& output) {
  std::vector<fs::path> files;
  for (const RunSummary& run : runs) files.push_back(eventFileOf(output, run));
  Interruption interruption(terminalProgress());
  Json list = Json::array();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::vector<Curve> curves = curvesOf(workspace, runs[i]);
    std::int64_t points = 0;
    for (const Curve& curve : curves) points += std::ssize(curve.points);
    interruption.progress().begin("Writing " + runs[i].name, points, "points");
    writeEventFile(files[i], curves, std::floor(runs[i].created),
                   {.progress = &interruption.progress(), .stop = interruption.stop()});
    interruption.progress().end();
    list.push_back({{"run", runs[i].name},
                    {"file", files[i].string()},
                    {"series", curves.size()},
                    {"points", points},
                    {"overflows", overflows(curves)}});
  }
  std::string text;
  for (const Json& run : list) {
    const auto lost = run["overflows"].get<std::int64_t>();
    text += fmt::format("{}: {} points of {} series in {}{}\n", run["run"].get<std::string>(),
                        run["points"].dump(), run["series"].dump(), run["file"].get<std::string>(),
                        lost > 0 ? fmt::format(" ({} became infinite)", lost) : "");
  }
  text.pop_back();
  printDone(global, {{"runs", list}}, text);
}

void exportRuns(const GlobalOptions& global, const ExportRequest& request) {
  Workspace workspace = openFresh(global);
  std::vector<RunSummary> runs;
  for (const std::string& run : request.runs) runs.push_back(findRun(workspace, run));
  if (request.format == kEventFormat) {
    if (request.output.empty()) throw usageError("--format tfevents needs --output FOLDER");
    return exportEvents(global, workspace, runs, request.output);
  }
  const bool json = request.format == "json" || global.json;
  const std::string text = json ? jsonOf(workspace, runs) : csvOf(workspace, runs);
  if (request.output.empty()) {
    printOut(text);
  } else {
    writeNamedOutput(request.output, text);
  }
}

}  // namespace

void addExportCommand(CLI::App& runs, const GlobalOptions& global) {
  auto request = std::make_shared<ExportRequest>();
  auto* verb = runs.add_subcommand("export", "Write all points of all series");
  verb->add_option("RUN", request->runs, "Numbers or names of runs")->required();
  verb->add_option("--format", request->format, "csv, json, or tfevents for TensorBoard")
      ->check(CLI::IsMember({"csv", "json", kEventFormat}))
      ->capture_default_str();
  verb->add_option(
      "--output", request->output,
      "File to write to instead of stdout; of tfevents: folder, with one for each run");
  verb->footer(
      "csv and json have every value in full. tfevents has them rounded to the nearest number of "
      "single precision (7 digits; beyond 3.4e38 infinite), which is what TensorBoard shows; times "
      "and steps are kept. Exported again, a run's file is replaced.\n"
      "Examples:\n"
      "  strata-run runs export base mlrf --output both.csv\n"
      "  strata-run runs export base mlrf --format tfevents --output board && tensorboard --logdir "
      "board");
  verb->callback([&global, request] { exportRuns(global, *request); });
}

}  // namespace strata
