// What is in the workspace about runs.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "app/commands/listing.h"
#include "app/commands/run_json.h"
#include "app/mcp/schema.h"
#include "app/mcp/tools.h"
#include "app/mcp/workspace_access.h"
#include "core/base/progress.h"
#include "core/run/request_params.h"
#include "core/store/alerts.h"
#include "core/store/waiting.h"

namespace strata::mcp {
namespace {

constexpr std::int64_t kMostRuns = 1000, kMostPoints = 5000, kMostSeries = 300;
constexpr double kLongestWait = 24 * 3600;  // seconds

const std::vector<std::string> kStatuses{"created", "queued",   "running", "paused",
                                         "stopped", "finished", "failed",  "interrupted"};

Json runSchema() {
  return resultSchema({{"id", {{"type", "integer"}}},
                       {"name", {{"type", "string"}}},
                       {"status", {{"type", "string"}, {"enum", kStatuses}}},
                       {"step", {{"type", "integer"}, {"description", "Updates done"}}},
                       {"metric", {{"type", "string"}, {"description", "What best and last are"}}},
                       {"best", numberSchema("Best value of the metric so far")},
                       {"last", numberSchema("Its newest value")}},
                      {"id", "name", "status", "step", "metric", "best", "last"});
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool matches(const RunSummary& run, const std::string& filter) {
  if (contains(run.name, filter) || contains(run.preset, filter) || contains(run.dataset, filter))
    return true;
  return std::ranges::find(run.tags, filter) != run.tags.end();
}

Json listRunsOf(const std::filesystem::path& root, const ToolCall& call) {
  RequestParams params("list_runs", call.arguments);
  const std::string filter = params.text("filter", "");
  const std::vector<std::string> status = params.texts("status");
  const std::int64_t limit = params.integer("limit", 50, {1, kMostRuns});
  params.done();
  std::set<RunStatus> wanted;
  for (const std::string& each : status) wanted.insert(runStatusFrom(each));
  Workspace workspace = openExisting(root);
  std::vector<RunSummary> runs = listRuns(workspace);
  std::erase_if(runs, [&](const RunSummary& run) {
    return !matches(run, filter) || (!wanted.empty() && !wanted.contains(run.status));
  });
  std::ranges::sort(runs, std::greater{}, &RunSummary::id);
  const std::size_t total = runs.size();
  runs.resize(std::min(total, static_cast<std::size_t>(limit)));
  return {{"runs", jsonList(runs, [](const RunSummary& run) { return toJson(run); })},
          {"total", total}};
}

Json alertsJson(Workspace& workspace, const RunSummary& run) {
  return jsonList(alertsOf(workspace, run), [](const Alert& alert) { return toJson(alert); });
}

Json showRun(const std::filesystem::path& root, const ToolCall& call) {
  RequestParams params("show_run", call.arguments);
  const std::string name = params.text("run");
  params.done();
  Workspace workspace = openExisting(root);
  const RunSummary run = findRun(workspace, name);
  auto checkpoints = listCheckpointRows(workspace, run.id);
  std::erase_if(checkpoints, [](const StoredCheckpoint& each) { return !each.present; });
  const auto json = [](const auto& row) { return toJson(row); };
  Json result = toJson(run);
  result["checkpoints"] = jsonList(checkpoints, json);
  result["series"] = jsonList(listSeries(workspace, run.id), json);
  result["starts"] = jsonList(runStarts(workspace, run.id), json);
  result["test_scores"] = jsonList(listTestLooks(workspace, run.id), json);
  result["config"] = runConfig(run);
  result["alerts"] = alertsJson(workspace, run);
  return result;
}

// A name, or a beginning followed by *.
bool isNamed(const std::string& series, const std::vector<std::string>& patterns) {
  return std::ranges::any_of(patterns, [&](const std::string& pattern) {
    if (!pattern.ends_with('*')) return series == pattern;
    return series.starts_with(std::string_view(pattern).substr(0, pattern.size() - 1));
  });
}

// At most `most` points, evenly chosen, the first and the last among them.
std::vector<ScalarPoint> thinned(const std::vector<ScalarPoint>& points, std::size_t most) {
  if (points.size() <= most) return points;
  if (most == 1) return {points.back()};
  std::vector<ScalarPoint> kept;
  for (std::size_t i = 0; i < most; ++i)
    kept.push_back(points[i * (points.size() - 1) / (most - 1)]);
  return kept;
}

Json curveOf(Workspace& workspace, const RunSummary& run, const SeriesSummary& series,
             std::size_t most) {
  const bool known = series.direction != SeriesDirection::kUnknown;
  const auto points = thinned(readSeries(workspace, run.id, series.name), most);
  return {{"run", run.name},
          {"series", series.name},
          {"count", series.count},
          {"non_finite", series.nonFinite},
          {"higher_is_better", known ? Json(series.direction == SeriesDirection::kHigher) : Json()},
          {"last", {{"step", series.lastStep}, {"value", finiteOrNull(series.lastValue)}}},
          {"best", {{"step", series.bestStep()}, {"value", finiteOrNull(series.best())}}},
          {"points", jsonList(points, [](const ScalarPoint& point) {
             return Json::array({point.step, finiteOrNull(point.value)});
           })}};
}

Json readCurves(const std::filesystem::path& root, const ToolCall& call) {
  RequestParams params("read_curves", call.arguments);
  const std::vector<std::string> runs = params.texts("runs");
  std::vector<std::string> patterns = params.texts("series");
  const auto most = static_cast<std::size_t>(params.integer("points", 50, {1, kMostPoints}));
  params.done();
  if (runs.empty()) params.refuse("'runs' names no run");
  if (patterns.empty()) patterns = {"valid/*", "train/loss"};
  Workspace workspace = openExisting(root);
  Json curves = Json::array(), names = Json::object();
  for (const std::string& name : runs) {
    const RunSummary run = findRun(workspace, name);
    for (const SeriesSummary& series : listSeries(workspace, run.id)) {
      checkCancelled(call.stop);
      names[run.name].push_back(series.name);
      if (isNamed(series.name, patterns)) curves.push_back(curveOf(workspace, run, series, most));
      if (std::ssize(curves) > kMostSeries)
        params.refuse(fmt::format("'series' selects more than {} curves", kMostSeries));
    }
  }
  return {{"curves", std::move(curves)}, {"series_of_runs", std::move(names)}};
}

std::string progressText(const std::vector<RunSummary>& runs) {
  std::string text;
  for (const RunSummary& run : runs) {
    text += fmt::format("{}{} is {} at step {}", text.empty() ? "" : ", ", run.name,
                        nameOf(run.status), run.step);
  }
  return text;
}

Json waitForRuns(const std::filesystem::path& root, const ToolCall& call) {
  RequestParams params("wait_for_runs", call.arguments);
  const std::vector<std::string> names = params.texts("runs");
  const double seconds = params.number("timeout_seconds", 600, {0, kLongestWait});
  params.done();
  if (names.empty()) params.refuse("'runs' names no run");
  Workspace workspace = openExisting(root);
  std::vector<std::int64_t> ids;
  for (const std::string& name : names) ids.push_back(findRun(workspace, name).id);
  const auto begun = std::chrono::steady_clock::now();
  double told = -1;  // progress must grow
  const auto runs = awaitRunEnds(
      workspace, ids,
      {.seconds = seconds, .stop = call.stop, .look = [&](const std::vector<RunSummary>& now) {
         const double passed =
             std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
         if (passed < told + 1) return;
         told = passed;
         call.progress(passed, seconds, progressText(now));
       }});
  const bool ended =
      std::ranges::all_of(runs, [](const RunSummary& run) { return hasEnded(run.status); });
  return {{"ended", ended}, {"runs", jsonList(runs, [&](const RunSummary& run) {
                               Json json = toJson(run);
                               json["alerts"] = alertsJson(workspace, run);
                               return json;
                             })}};
}

Json pointSchema() {
  return resultSchema({{"step", {{"type", "integer"}}}, {"value", numberSchema("The value")}},
                      {"step", "value"});
}

Json curveSchema() {
  return resultSchema({{"run", {{"type", "string"}}},
                       {"series", {{"type", "string"}}},
                       {"count", {{"type", "integer"}, {"description", "Points it has"}}},
                       {"last", pointSchema()},
                       {"best", pointSchema()},
                       {"points", listSchema({{"type", "array"}}, "Pairs of step and value")}},
                      {"run", "series", "count", "last", "best", "points"});
}

const char* const kRunHelp = "Name or number of a run, as list_runs gives it";

Tool listTool(const std::filesystem::path& root) {
  return {
      .name = "list_runs",
      .title = "List training runs",
      .description =
          "Lists the training runs of the workspace, newest first. A run is one training of a "
          "translation model: its status, how many updates (steps) it has made, and the best "
          "and newest value of its validation metric.",
      .input = argumentsSchema(
          {{"filter", textSchema("Only runs whose name, preset (built-in configuration) or "
                                 "dataset contains this text, or that have this tag")},
           {"status", listSchema({{"type", "string"}, {"enum", kStatuses}},
                                 "Only runs with one of these statuses")},
           {"limit", integerSchema("At most this many (default 50)", 1, kMostRuns)}}),
      .output = resultSchema({{"runs", listSchema(runSchema(), "The runs")},
                              {"total", {{"type", "integer"}, {"description", "Runs that match"}}}},
                             {"runs", "total"}),
      .run = [root](const ToolCall& call) { return listRunsOf(root, call); }};
}

Tool showTool(const std::filesystem::path& root) {
  Json output = runSchema();
  output["properties"]["config"] = {{"type", "object"}};
  return {.name = "show_run",
          .title = "Show a run",
          .description =
              "Shows everything about one training run: its complete configuration, the newest, "
              "lowest and highest value of every recorded series, its checkpoints (saved models), "
              "when and where it was started, how test sets were scored with it, and alerts: signs "
              "of divergence, no improvement and failures, with what to do.",
          .input = argumentsSchema({{"run", textSchema(kRunHelp)}}, {"run"}),
          .output = output,
          .run = [root](const ToolCall& call) { return showRun(root, call); }};
}

Tool curvesTool(const std::filesystem::path& root) {
  return {.name = "read_curves",
          .title = "Read learning curves",
          .description =
              "Reads recorded series of runs, such as train/loss or valid/bleu, as points (step, "
              "value). Long series are thinned evenly to the number of points asked for; the last "
              "and the best value are always exact. The result also names all series of the runs.",
          .input = argumentsSchema(
              {{"runs", listSchema({{"type", "string"}}, kRunHelp)},
               {"series", listSchema({{"type", "string"}},
                                     "Names of series, or beginnings followed by *, such as "
                                     "valid/* (default: valid/* and train/loss)")},
               {"points", integerSchema("Points per series at most (default 50)", 1, kMostPoints)}},
              {"runs"}),
          .output = resultSchema({{"curves", listSchema(curveSchema(), "One per run and series")}},
                                 {"curves"}),
          .run = [root](const ToolCall& call) { return readCurves(root, call); }};
}

Tool waitTool(const std::filesystem::path& root) {
  return {.name = "wait_for_runs",
          .title = "Wait for runs to end",
          .description =
              "Waits until all of these runs have ended (finished, failed, stopped, paused or "
              "interrupted) or the time is over, and returns them as they are then, with alerts "
              "such as divergence. Tells its "
              "progress about once per second. Changes nothing; cancelling it leaves the runs "
              "alone.",
          .input = argumentsSchema(
              {{"runs", listSchema({{"type", "string"}}, kRunHelp)},
               {"timeout_seconds",
                {{"type", "number"},
                 {"minimum", 0},
                 {"maximum", kLongestWait},
                 {"description", "Wait at most this long (default 600); 0: look once"}}}},
              {"runs"}),
          .output =
              resultSchema({{"ended", flagSchema("Whether all have ended")},
                            {"runs", listSchema(runSchema(), "The runs, in the order asked for")}},
                           {"ended", "runs"}),
          .run = [root](const ToolCall& call) { return waitForRuns(root, call); }};
}

}  // namespace

std::vector<Tool> runTools(const std::filesystem::path& workspace) {
  return {listTool(workspace), showTool(workspace), curvesTool(workspace), waitTool(workspace)};
}

}  // namespace strata::mcp
