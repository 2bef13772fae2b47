// strata-run runs move, runs queue: the order of the queue, and where its runs are trained.
#include <fmt/format.h>

#include <memory>

#include "app/commands/listing.h"
#include "core/base/error.h"
#include "core/store/jobs.h"
#include "core/store/queue_settings.h"
#include "core/store/run_activity.h"

namespace strata {
namespace {

struct MoveOptions {
  std::string run, before;
  bool up = false, down = false, last = false;
};

void moveQueued(const GlobalOptions& global, const MoveOptions& options) {
  const int ways =
      int{!options.before.empty()} + int{options.up} + int{options.down} + int{options.last};
  if (ways != 1) throw usageError("give one of --before RUN, --up, --down and --last");
  Workspace workspace = openFresh(global);
  const RunSummary run = findRun(workspace, options.run);
  if (options.up || options.down) {
    queueBy(workspace, run.id, options.up ? -1 : 1);
  } else {
    queueBefore(workspace, run.id, options.last ? 0 : findRun(workspace, options.before).id);
  }
  Json order = Json::array();
  std::string text;
  for (const RunActivity& each : activeRuns(workspace)) {
    if (each.place == 0) continue;
    order.push_back(each.name);
    text += fmt::format("{:>4}  {}\n", each.place, each.name);
  }
  if (global.json) return printJson({{"queue", order}});
  fmt::print("{}", text);
}

struct QueueOptions {
  int atOnce = 0;  // 0: unchanged
  std::string devices;
};

void setQueue(const GlobalOptions& global, const QueueOptions& options, bool setsDevices) {
  Workspace workspace = openFresh(global);
  QueueSettings settings = queueSettings(workspace);
  if (options.atOnce > 0) settings.atOnce = options.atOnce;
  if (setsDevices)
    settings.devices =
        options.devices == "own" ? std::vector<std::string>{} : parseDevices(options.devices);
  if (options.atOnce > 0 || setsDevices) setQueueSettings(workspace, settings);
  if (global.json) {
    return printJson({{"at_once", settings.atOnce},
                      {"devices", settings.devices},
                      {"places", settings.places()}});
  }
  if (settings.devices.empty()) {
    fmt::print("{} at a time, each on the device of its configuration\n", settings.atOnce);
  } else {
    fmt::print("{} at a time on each of {}\n", settings.atOnce, fmt::join(settings.devices, ", "));
  }
}

}  // namespace

void addQueueCommands(CLI::App& runs, const GlobalOptions& global) {
  auto options = std::make_shared<MoveOptions>();
  auto* verb = runs.add_subcommand("move", "Change a queued run's place in the queue");
  verb->add_option("RUN", options->run, "Number or name of the run")->required();
  verb->add_option("--before", options->before, "Directly before this run");
  verb->add_flag("--up", options->up, "One place earlier");
  verb->add_flag("--down", options->down, "One place later");
  verb->add_flag("--last", options->last, "Behind all others");
  verb->callback([&global, options] { moveQueued(global, *options); });
  auto settings = std::make_shared<QueueOptions>();
  auto* queued = runs.add_subcommand(
      "queue", "Show or set how many queued runs a worker trains at a time, and where");
  queued->add_option("--at-once", settings->atOnce, "Runs at a time; with devices on each of them")
      ->check(CLI::Range(1, QueueSettings::kMostAtOnce));
  auto* devices = queued->add_option(
      "--devices", settings->devices,
      "Devices that the runs are spread over: cpu,cuda:0; own: each on that of its configuration");
  queued->footer(
      "A worker that is running follows what is set here, unless it was started with --jobs or "
      "--device.\n"
      "Example: strata-run runs queue --at-once 1 --devices cuda:0,cuda:1");
  queued->callback(
      [&global, settings, devices] { setQueue(global, *settings, devices->count() > 0); });
}

}  // namespace strata
