#include "core/store/protected_runs.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/key_path.h"
#include "core/base/text_limits.h"
#include "core/run/checkpoint_files.h"
#include "core/store/began_with.h"
#include "core/store/database.h"
#include "core/store/index.h"
#include "core/store/run_lock.h"

namespace strata {
namespace {

// The configuration's training.from; most runs have none, and are not parsed.
std::string trainingFrom(const RunSummary& run) {
  try {
    const std::string text = readFile(configFileOf(run.folder));
    const auto at = text.find("from:");
    if (at == std::string::npos || text.substr(at).starts_with("from: \"\"\n")) return {};
    const Json config = readYaml(configFileOf(run.folder)).value;
    const Json* from = findAt(config, "training.from");
    return from != nullptr && from->is_string() ? from->get<std::string>() : std::string();
  } catch (const Error&) {
    return {};  // a damaged folder, which `workspace check` reports
  }
}

bool isNumber(const std::string& text) {
  return !text.empty() && text.size() < 16 &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string reasonToKeep(Workspace& workspace, const RunSummary& run) {
  if (run.status == RunStatus::kRunning || holderOf(run.folder)) return "it is being trained";
  if (run.status == RunStatus::kQueued) return "it is queued";
  if (run.status == RunStatus::kPaused) return "it is paused and can go on";
  Database& database = workspace.database();
  if (Query(database, "SELECT 1 FROM jobs WHERE run = ? AND state IN ('queued', 'claimed')", run.id)
          .next())
    return "a job for it is waiting";
  if (Query(database, "SELECT 1 FROM commands WHERE run = ? AND acknowledged = 0", run.id).next())
    return "a command to it is pending";
  return {};
}

StartingPoints::StartingPoints(Workspace& workspace) {
  const auto runs = listRuns(workspace, {.trashed = true});
  for (const RunSummary& run : runs) ids_.emplace(std::to_string(run.id), run.id);
  for (const RunSummary& run : runs) ids_[run.name] = run.id;
  for (const RunSummary& run : runs) {
    if (const auto from = beginningOf(run.folder)) {
      addModel(workspace, run, from->run.value_or(0), from->model);
    } else if (const std::string named = trainingFrom(run); !named.empty()) {
      addNamed(workspace, run, named);
    }
  }
}

// A run goes before a folder of its name, as in readStartingPoint.
void StartingPoints::addNamed(Workspace& workspace, const RunSummary& user,
                              const std::string& from) {
  const auto at = from.rfind('@');
  const auto found = ids_.find(from.substr(0, at));
  if (found == ids_.end()) {
    if (fs::is_directory(from)) addFolder(workspace, user, from);
    return;
  }
  if (found->second == user.id) return;
  runs_[found->second] = user.name;
  const std::string selector = at == std::string::npos ? std::string() : from.substr(at + 1);
  const std::string step = selector.substr(0, selector.find('+'));
  if (!isNumber(step)) {
    checkpoints_[found->second] = user.name;
    return;
  }
  const fs::path run = workspace.root() / folderOfRun(workspace, found->second);
  folders_[checkpointsFolder(run) / checkpointName(std::stoll(step))] = user.name;
}

void StartingPoints::addFolder(Workspace& workspace, const RunSummary& user, const fs::path& from) {
  std::error_code failed;
  const fs::path inside =
      fs::canonical(from, failed).lexically_relative(fs::canonical(workspace.root(), failed));
  if (failed || inside.empty()) return;
  const fs::path parent = *inside.begin();
  if (parent != "runs" && parent != "trash") return;
  const fs::path below = inside.lexically_relative(parent);
  const std::string folder = below.begin()->string();
  if (const auto run = runIdOf(folder))
    addModel(workspace, user, *run, below.lexically_relative(folder));
}

// A model of a run, by its folder there: checkpoints/STEP, its ema, or averages/NAME.
void StartingPoints::addModel(Workspace& workspace, const RunSummary& user, std::int64_t run,
                              const fs::path& model) {
  if (run == user.id || !ids_.contains(std::to_string(run))) return;
  runs_[run] = user.name;
  auto part = model.begin();
  if (part == model.end() || *part != "checkpoints" || ++part == model.end()) return;
  folders_[checkpointsFolder(workspace.root() / folderOfRun(workspace, run)) / *part] = user.name;
}

std::string StartingPoints::userOf(std::int64_t run) const {
  const auto found = runs_.find(run);
  return found == runs_.end() ? std::string() : found->second;
}

std::string StartingPoints::userOf(std::int64_t run, const fs::path& checkpoint) const {
  if (const auto any = checkpoints_.find(run); any != checkpoints_.end()) return any->second;
  const auto found = folders_.find(checkpoint);
  return found == folders_.end() ? std::string() : found->second;
}

}  // namespace strata
