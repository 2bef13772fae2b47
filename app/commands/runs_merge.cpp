// strata-run runs merge: run folders of other workspaces and cluster jobs.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iterator>
#include <memory>
#include <ranges>
#include <set>
#include <thread>

#include "app/commands/verbs.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/store/merge.h"
#include "core/store/merge_log.h"

namespace strata {
namespace {

struct MergeRequest {
  std::string folder;
  bool follow = false;
  double every = 5;  // seconds
};

volatile std::sig_atomic_t asked = 0;
void onStop(int) {
  asked = 1;
}

// The total of several passes: a run counts once, as added, else grown, else unchanged.
class Looks {
 public:
  void add(const MergeReport& report) {
    for (const auto& name : report.grown) spdlog::info("run={} grows", name);
    for (const auto& sentence : report.failed) {
      if (reported_.insert(sentence).second) spdlog::warn("{}", sentence);
    }
    if (report.waiting != last_.waiting && !report.waiting.empty())
      spdlog::info("waits for {} of {} tasks: {}{}", report.waiting.size(), report.tasks,
                   fmt::join(report.waiting | std::views::take(kNamed), ", "),
                   report.waiting.size() > kNamed ? ", ..." : "");
    added_.insert(report.added.begin(), report.added.end());
    grown_.insert(report.grown.begin(), report.grown.end());
    last_ = report;
  }

  const MergeReport& last() const { return last_; }

  MergeReport sum() const {
    MergeReport sum = last_;
    const auto seen = std::ssize(sum.added) + std::ssize(sum.grown) + sum.unchanged;
    sum.added = {added_.begin(), added_.end()};
    sum.grown.clear();
    std::ranges::set_difference(grown_, added_, std::back_inserter(sum.grown));
    sum.unchanged = std::max<std::int64_t>(0, seen - std::ssize(sum.added) - std::ssize(sum.grown));
    return sum;
  }

 private:
  static constexpr std::size_t kNamed = 5;

  MergeReport last_;
  std::set<std::string> added_, grown_, reported_;
};

void merge(const GlobalOptions& global, const MergeRequest& request) {
  Workspace workspace(global.workspace);
  std::signal(SIGINT, onStop);
  std::signal(SIGTERM, onStop);
  Looks looks;
  LogDigests digests;
  looks.add(mergeRuns(workspace, request.folder, digests));
  while (request.follow && asked == 0 && awaitsMore(looks.last())) {
    // Sleeps in short steps, so that a signal takes effect at once.
    const auto until =
        std::chrono::steady_clock::now() + std::chrono::duration<double>(request.every);
    while (asked == 0 && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    looks.add(mergeRuns(workspace, request.folder, digests));
  }
  const MergeReport report = looks.sum();
  for (const auto& problem : report.problems) spdlog::error("{}", problem);
  printDone(global,
            {{"added", report.added},
             {"grown", report.grown},
             {"unchanged", report.unchanged},
             {"running", report.running},
             {"waiting", report.waiting},
             {"failed", report.failed},
             {"problems", report.problems}},
            fmt::format("{} runs added, {} grown, {} unchanged", report.added.size(),
                        report.grown.size(), report.unchanged));
  if (!report.problems.empty())
    throw Error("{} of the folders could not be merged", report.problems.size());
}

}  // namespace

void addMergeCommand(CLI::App& runs, const GlobalOptions& global) {
  auto request = std::make_shared<MergeRequest>();
  auto* verb = runs.add_subcommand("merge", "Import run folders from other places");
  verb->add_option("DIR", request->folder,
                   "Folder of runs, a workspace, or a folder of workspaces (a sweep's tasks)")
      ->required();
  verb->add_flag("--follow", request->follow,
                 "Repeat until all runs, or tasks of a sweep, have ended");
  verb->add_option("--every", request->every, "Seconds between two passes with --follow")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb->callback([&global, request] { merge(global, *request); });
}

}  // namespace strata
