#include "core/store/protected_runs.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/key_path.h"
#include "core/base/text_limits.h"
#include "core/run/checkpoint_files.h"
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
    if (const std::string from = trainingFrom(run); !from.empty()) add(workspace, run, from);
  }
}

void StartingPoints::add(Workspace& workspace, const RunSummary& user, const std::string& from) {
  if (fs::is_directory(from)) return addFolder(workspace, user, from);
  const auto at = from.rfind('@');
  const auto found = ids_.find(from.substr(0, at));
  if (found == ids_.end() || found->second == user.id) return;
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

// A model's folder: RUN/checkpoints/STEP, its ema, or RUN/averages/NAME.
void StartingPoints::addFolder(Workspace& workspace, const RunSummary& user, const fs::path& from) {
  std::error_code failed;
  const fs::path inside =
      fs::canonical(from, failed).lexically_relative(fs::canonical(workspace.root(), failed));
  if (failed || inside.empty() || *inside.begin() == "..") return;
  auto part = inside.begin();
  if (*part != "runs" && *part != "trash") return;
  if (++part == inside.end()) return;
  const auto id = runIdOf(part->string());
  if (!id || *id == user.id) return;
  runs_[*id] = user.name;
  const fs::path run = inside.begin()->string() / *part;
  if (++part == inside.end() || *part != "checkpoints" || ++part == inside.end()) return;
  folders_[checkpointsFolder(workspace.root() / run) / *part] = user.name;
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
