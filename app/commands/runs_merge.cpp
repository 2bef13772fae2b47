// strata-run runs merge: run folders of other workspaces and cluster jobs.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <thread>

#include "app/commands/verbs.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/store/merge.h"

namespace strata {
namespace {

struct MergeRequest {
  std::string folder;
  bool follow = false;
  double every = 5;  // seconds
};

volatile std::sig_atomic_t asked = 0;
void onSignal(int) {
  asked = 1;
}

void printReport(const GlobalOptions& global, const MergeReport& report) {
  if (global.json) {
    fmt::print("{}\n", Json{{"added", report.added},
                            {"grown", report.grown},
                            {"unchanged", report.unchanged},
                            {"running", report.running},
                            {"problems", report.problems}}
                           .dump(2));
    return;
  }
  fmt::print("{} runs added, {} grown, {} unchanged\n", report.added.size(), report.grown.size(),
             report.unchanged);
}

void merge(const GlobalOptions& global, const MergeRequest& request) {
  Workspace workspace(global.workspace);
  std::signal(SIGINT, onSignal);
  std::signal(SIGTERM, onSignal);
  std::vector<std::string> added;
  MergeReport report = mergeRuns(workspace, request.folder);
  while (request.follow && asked == 0 && awaitsMore(report, request.folder)) {
    for (const auto& name : report.grown) spdlog::info("run={} grows", name);
    added.insert(added.end(), report.added.begin(), report.added.end());
    // In short naps, so that a signal is answered at once.
    const auto until =
        std::chrono::steady_clock::now() + std::chrono::duration<double>(request.every);
    while (asked == 0 && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    report = mergeRuns(workspace, request.folder);
  }
  report.added.insert(report.added.begin(), added.begin(), added.end());
  for (const auto& problem : report.problems) spdlog::error("{}", problem);
  printReport(global, report);
  if (!report.problems.empty())
    throw Error("{} of the folders could not be merged", report.problems.size());
}

}  // namespace

void addMergeCommand(CLI::App& runs, const GlobalOptions& global) {
  auto request = std::make_shared<MergeRequest>();
  auto* verb = runs.add_subcommand("merge", "Bring in run folders from elsewhere");
  verb->add_option("DIR", request->folder,
                   "Folder of runs, of a workspace, or of several workspaces (a sweep's tasks)")
      ->required();
  verb->add_flag("--follow", request->follow, "Go on until the runs there have ended");
  verb->add_option("--every", request->every, "Seconds between two looks with --follow")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb->callback([&global, request] { merge(global, *request); });
}

}  // namespace strata
