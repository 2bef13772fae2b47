// strata-run runs prune: frees disk space by rules; shows what would go unless told to do it.
#include <fmt/format.h>

#include <memory>

#include "app/commands/duration.h"
#include "app/commands/listing.h"
#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/store/prune.h"

namespace strata {
namespace {

struct PruneRequest {
  PruneRules rules;
  std::vector<std::string> statuses;
  std::string olderThan;
  bool yes = false;
};

Json toJson(const PrunePlan& plan, bool applied) {
  Json items = Json::array(), kept = Json::array();
  for (const PruneItem& item : plan.items)
    items.push_back({{"kind", nameOf(item.kind)},
                     {"run", item.run},
                     {"name", item.name},
                     {"folder", item.folder.string()},
                     {"bytes", item.bytes}});
  for (const PruneKept& each : plan.kept)
    kept.push_back({{"run", each.run}, {"name", each.name}, {"why", each.why}});
  return {{"applied", applied},
          {"bytes", plan.bytes(false)},
          {"trashed_bytes", plan.bytes(true)},
          {"items", items},
          {"kept", kept}};
}

std::string megabytes(std::uint64_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

// A line per run and kind.
void printItems(const std::vector<PruneItem>& items) {
  for (std::size_t begin = 0, end = 0; begin < items.size(); begin = end) {
    std::uint64_t bytes = 0;
    const PruneItem& first = items[begin];
    for (; end < items.size() && items[end].run == first.run && items[end].kind == first.kind;
         ++end)
      bytes += items[end].bytes;
    const std::size_t count = end - begin;
    const std::string what = first.run == 0 ? "trash" : first.name;
    fmt::print("{}: {} {}{}, {}\n", what, count, nameOf(first.kind), count == 1 ? "" : "s",
               megabytes(bytes));
  }
}

void print(const PrunePlan& plan, bool applied) {
  printItems(plan.items);
  for (const PruneKept& each : plan.kept) fmt::print("kept: {}: {}\n", each.name, each.why);
  if (plan.items.empty()) return fmt::print("nothing to remove\n");
  fmt::print("{} {}", applied ? "freed" : "would free", megabytes(plan.bytes(false)));
  if (const auto trashed = plan.bytes(true); trashed > 0)
    fmt::print(", and {} {} to the trash, which `runs prune --empty-trash` frees",
               applied ? "moved" : "move", megabytes(trashed));
  fmt::print("{}\n", applied ? "" : "; nothing was changed: --yes does it");
}

void prune(const GlobalOptions& global, PruneRequest& request) {
  for (const auto& name : request.statuses) request.rules.statuses.push_back(runStatusFrom(name));
  if (!request.olderThan.empty())
    request.rules.olderThan = secondsFrom("--older-than", request.olderThan);
  Workspace workspace = openFresh(global);
  PrunePlan plan = planPrune(workspace, request.rules);
  if (request.yes) plan = applyPrune(workspace, plan, terminalProgress());
  if (global.json) return printJson(toJson(plan, request.yes));
  print(plan, request.yes);
}

void addRules(CLI::App& verb, PruneRequest& request) {
  PruneRules& rules = request.rules;
  verb.add_option("--status", request.statuses, "Only runs of these: failed,stopped")
      ->delimiter(',')
      ->check(CLI::IsMember({"created", "stopped", "finished", "failed", "interrupted"}))
      ->group("Which runs");
  verb.add_option("--older-than", request.olderThan,
                  "Only runs whose last event, or for the trash whose removal, is as long ago: 30d")
      ->group("Which runs");
  verb.add_option("--filter", rules.filter,
                  "Regular expression found in the name, preset or dataset, as in `runs sweep`")
      ->group("Which runs");
  verb.add_option("--tag", rules.tag, "Only runs with this tag")->group("Which runs");
  verb.add_flag("--runs", rules.runs, "The whole run, to the trash")->group("What goes");
  verb.add_flag("--checkpoints", rules.checkpoints, "All its checkpoints")->group("What goes");
  verb.add_option("--keep-last", rules.keepLast, "Its checkpoints but the newest N")
      ->check(CLI::PositiveNumber)
      ->group("What goes");
  verb.add_option("--keep-best", rules.keepBest,
                  "Its checkpoints but the newest, or those of --keep-last, and the best N")
      ->check(CLI::PositiveNumber)
      ->group("What goes");
  verb.add_flag("--recordings", rules.recordings, "Its recordings of internals")
      ->group("What goes");
  verb.add_flag("--empty-trash", rules.emptyTrash, "Runs and datasets in the trash, for good")
      ->group("What goes");
}

}  // namespace

void addPruneCommand(CLI::App& runs, const GlobalOptions& global) {
  auto request = std::make_shared<PruneRequest>();
  auto* verb = runs.add_subcommand(
      "prune", "Free disk space by rules; without --yes only shows what would go");
  addRules(*verb, *request);
  verb->add_flag("--yes", request->yes, "Do it");
  verb->footer(
      "Never touched: runs that train, are queued or paused, or have a command pending; "
      "checkpoints that are pinned, that an average was made of, or that another run began with; "
      "averages. What is removed of a merged run stays away from the next `runs merge`.\n"
      "Examples:\n"
      "  strata-run runs prune --status failed,stopped --older-than 30d --runs\n"
      "  strata-run runs prune --keep-last 1 --keep-best 1 --yes\n"
      "  strata-run runs prune --filter tuning --checkpoints --recordings\n"
      "  strata-run runs prune --empty-trash --older-than 2w --yes");
  verb->callback([&global, request] { prune(global, *request); });
}

}  // namespace strata
