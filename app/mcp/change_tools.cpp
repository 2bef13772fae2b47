// What changes the workspace; only with --write.
#include "app/child_process.h"
#include "app/commands/run_json.h"
#include "app/mcp/planned_config.h"
#include "app/mcp/schema.h"
#include "app/mcp/tools.h"
#include "app/mcp/workspace_access.h"
#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/store/jobs.h"
#include "core/store/same_run.h"
#include "core/store/waiting.h"

namespace strata::mcp {
namespace {

namespace fs = std::filesystem;

constexpr double kLongestCommandWait = 600;  // seconds, for an acknowledgement

// Trains what is queued, also after this program has ended, as the window does. It ends at once if
// another worker serves the workspace.
void startWorker(const fs::path& root) {
  const fs::path folder = root / "ui";
  fs::create_directories(folder);
  const ChildProcess worker({"--workspace", fs::absolute(root).string(), "work", "--once"},
                            {.errorFile = folder / "work.log"});
}

Json launch(const fs::path& root, const std::shared_ptr<Engine>& engine, const ToolCall& call) {
  RequestParams params("launch_run", call.arguments);
  Workspace workspace = openExisting(root);
  const auto request = plannedRequest(params, workspace);
  const std::string name = params.text("name", "");
  const bool starts = params.flag("start", true);
  params.done();
  if (!name.empty()) checkRunName(name);
  const Json plan = dryRun(*engine, request, call);
  const Json& config = plan.at("config");
  if (const auto same = sameRun(workspace, config)) {
    throw usageError(
        "the run '{}' ({}) has this configuration already; use it, or change the seed (seed={} is "
        "free) or another setting",
        same->run.name, nameOf(same->run.status), same->freeSeed);
  }
  checkCancelled(call.stop);
  const Job job = enqueueRun(workspace, {.name = name, .config = config, .preset = request.preset});
  if (starts) startWorker(root);
  Json run = toJson(runById(workspace, job.run));
  run["job"] = job.id;
  run["worker_started"] = starts;
  for (const char* key : {"parameters", "memoryBytes", "secondsEstimate"}) {
    if (plan.contains(key)) run[key] = plan[key];
  }
  return run;
}

Json stopRun(const fs::path& root, const ToolCall& call) {
  RequestParams params("stop_run", call.arguments);
  const std::string name = params.text("run");
  const Command command = commandFrom(params.choice("action", {"stop", "pause"}));
  const double seconds = params.number("wait_seconds", 30, {0, kLongestCommandWait});
  params.done();
  Workspace workspace = openExisting(root);
  const RunSummary run = findRun(workspace, name);
  const auto state = awaitAcknowledgement(workspace, sendCommand(workspace, run.id, command),
                                          {.seconds = seconds, .stop = call.stop});
  Json result = toJson(runById(workspace, run.id));
  result["acknowledged"] = state.acknowledged != 0;
  result["outcome"] = state.outcome;
  return result;
}

Json changedRunSchema(const Json& more, const std::string& required) {
  Json properties{{"id", {{"type", "integer"}}},
                  {"name", {{"type", "string"}}},
                  {"status", {{"type", "string"}}}};
  properties.update(more);
  return resultSchema(properties, {"id", "name", "status", required});
}

Tool launchTool(const fs::path& root, const std::shared_ptr<Engine>& engine) {
  Json input = plannedProperties();
  input["name"] = textSchema("Name of the run (default: made from the preset)");
  input["start"] = flagSchema(
      "Train it in the background as soon as the queue allows (default); "
      "false: it waits until somebody starts a worker");
  return {.name = "launch_run",
          .title = "Launch a training run",
          .description =
              "Checks a configuration and its data as plan_run does, then creates the run and puts "
              "it into the workspace's queue. Training uses this computer for minutes to days; it "
              "continues when the assistant has gone. An equal run is refused.",
          .input = argumentsSchema(input, {"preset", "dataset"}),
          .output = changedRunSchema({{"job", {{"type", "integer"}}}}, "job"),
          .readOnly = false,
          .run = [root, engine](const ToolCall& call) { return launch(root, engine, call); }};
}

Tool stopTool(const fs::path& root) {
  return {
      .name = "stop_run",
      .title = "Stop or pause a run",
      .description =
          "Asks a running run to save its state and end (stop, or pause to be continued later), "
          "or takes a waiting one off the queue, and waits for the answer. What was learned is "
          "kept: `strata-run runs resume` continues it.",
      .input = argumentsSchema(
          {{"run", textSchema("Name or number of the run")},
           {"action", choiceSchema({"stop", "pause"}, "Default: stop")},
           {"wait_seconds",
            {{"type", "number"},
             {"minimum", 0},
             {"maximum", kLongestCommandWait},
             {"description", "Wait at most this long for its answer (default 30)"}}}},
          {"run"}),
      .output = changedRunSchema(
          {{"acknowledged", {{"type", "boolean"}}}, {"outcome", {{"type", "string"}}}},
          "acknowledged"),
      .readOnly = false,
      .destructive = true,
      .run = [root](const ToolCall& call) { return stopRun(root, call); }};
}

}  // namespace

std::vector<Tool> changeTools(const fs::path& workspace, std::shared_ptr<Engine> engine) {
  return {launchTool(workspace, engine), stopTool(workspace)};
}

}  // namespace strata::mcp
