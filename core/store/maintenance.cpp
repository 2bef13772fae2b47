#include "core/store/maintenance.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text_limits.h"
#include "core/store/database.h"
#include "core/store/event_log.h"
#include "core/store/index.h"
#include "core/store/index_check.h"
#include "core/store/process_id.h"
#include "core/store/removals.h"
#include "core/store/runs.h"
#include "core/store/workspace_checks.h"

namespace strata {
namespace {

constexpr std::string_view kNewRun = ".new-";

std::int64_t countOf(Database& database, std::string_view sql) {
  Query row(database, sql);
  return row.next() ? row.integer(0) : 0;
}

// Compares what the index has of one run with its folder; reads the full log.
void checkRun(Workspace& workspace, IndexCheck& check, const RunPlace& place,
              std::vector<std::string>& problems) {
  const fs::path folder = workspace.root() / place.folder;
  if (!fs::exists(configFileOf(folder)))
    problems.push_back(
        fmt::format("{} is missing: the run cannot be resumed", configFileOf(folder).string()));
  if (!fs::exists(eventLogOf(folder))) {
    problems.push_back(fmt::format("{} is missing: the run's curves cannot be rebuilt",
                                   eventLogOf(folder).string()));
    return;
  }
  const LogScan known = check.compareRun(place, problems);
  LogScan scan = scanLog(eventLogOf(folder), known.end);
  scan.skipped.insert(scan.skipped.begin(), known.skipped.begin(), known.skipped.end());
  for (auto& damage : describeDamage(eventLogOf(folder), scan))
    problems.push_back(std::move(damage));
  if (scan.end != known.fileBytes) {
    problems.push_back(
        fmt::format("{}: the index knows {} of its {} bytes: `strata-run workspace repair` reads "
                    "the rest",
                    eventLogOf(folder).string(), known.fileBytes, scan.end));
  }
}

void checkFolders(Workspace& workspace, std::vector<std::string>& problems) {
  IndexCheck check(workspace);
  for (std::string& problem : check.schemaProblems()) problems.push_back(std::move(problem));
  const auto known = knownRuns(workspace.database());
  const auto folders = runFoldersOnDisk(workspace.root(), &problems);
  for (const auto& [id, folder] : folders) {
    const auto row = known.find(id);
    if (row == known.end() || row->second.folder != folder) {
      problems.push_back(
          fmt::format("{} is not in the index: `strata-run workspace repair` adds it",
                      (workspace.root() / folder).string()));
      continue;
    }
    try {
      checkRun(workspace, check, {id, folder}, problems);
    } catch (const Error& error) {  // one run does not keep the others from being checked
      problems.push_back(error.what());
    }
  }
  for (const auto& [id, row] : known) {
    if (fs::exists(removalOf(workspace.root() / row.folder))) continue;  // forgotten when next read
    if (!folders.contains(id))
      problems.push_back(fmt::format(
          "run {}: its folder {} is gone: put it back, or `strata-run workspace repair` forgets it",
          id, (workspace.root() / row.folder).string()));
  }
  check.compareLooks(problems);
}

}  // namespace

void fillCounts(Database& database, WorkspaceReport& report) {
  report.runs = countOf(database, "SELECT COUNT(*) FROM runs WHERE folder LIKE 'runs/%'");
  report.trashed = countOf(database, "SELECT COUNT(*) FROM runs WHERE folder LIKE 'trash/%'");
  report.series = countOf(database, "SELECT COUNT(*) FROM series");
  report.points = countOf(database, "SELECT COALESCE(SUM(count), 0) FROM series");
  report.checkpoints = countOf(database, "SELECT COUNT(*) FROM checkpoints");
  report.indexBytes = fileBytes(database.file());
  report.networkFileSystem = database.network();
}

std::vector<std::string> integrityProblems(Database& database) {
  std::vector<std::string> problems;
  Query row(database, "PRAGMA integrity_check(5)");
  while (row.next()) {
    if (row.text(0) == "ok") continue;
    problems.push_back(fmt::format("{}: {}: run `strata-run workspace repair`",
                                   database.file().string(), row.text(0)));
  }
  return problems;
}

std::vector<std::string> schemaProblems(Database& database, Database& fresh) {
  std::vector<std::string> problems;
  const auto wanted = schemaOf(fresh);
  auto found = schemaOf(database);
  for (const auto& [name, statement] : wanted) {
    const auto at = found.find(name);
    if (at == found.end() || at->second != statement)
      problems.push_back(fmt::format("{}: the {} is not as this program makes it: {}",
                                     database.file().string(), name, kRepair));
    if (at != found.end()) found.erase(at);
  }
  for (const auto& [name, statement] : found)
    problems.push_back(
        fmt::format("{}: the {} is not of an index: {}", database.file().string(), name, kRepair));
  return problems;
}

std::vector<fs::path> unfinishedFolders(const fs::path& root) {
  std::vector<fs::path> found;
  for (const auto& name : namesIn(root / "runs")) {
    if (name.starts_with(kNewRun) || name.starts_with(".merging-"))
      found.push_back(root / "runs" / name);
  }
  return found;
}

std::vector<fs::path> removeUnfinished(Workspace& workspace) {
  if (unfinishedFolders(workspace.root()).empty()) return {};
  return workspace.database().write([&] {
    const auto folders = unfinishedFolders(workspace.root());
    for (const fs::path& folder : folders) fs::remove_all(folder);
    return folders;
  });
}

WorkspaceReport checkWorkspace(const fs::path& root) {
  WorkspaceReport report;
  if (!fs::exists(indexOf(root)) && !fs::exists(root / "runs"))
    throw usageError("there is no workspace in {}", root.string());
  try {
    // Opened here: a workspace would renew an older one.
    const DatabaseOptions how{.readOnly = true, .network = isNetworkFileSystem(root)};
    Workspace workspace(root, std::make_unique<Database>(indexOf(root), how));
    fillCounts(workspace.database(), report);
    report.problems = integrityProblems(workspace.database());
    checkFolders(workspace, report.problems);
  } catch (const Error& error) {
    report.problems.push_back(error.what());
  }
  for (const auto& folder : unfinishedFolders(root)) {
    // ".new-PID-...": while that process lives it is still completing the folder.
    const std::string name = folder.filename().string();
    if (!name.starts_with(kNewRun)) continue;
    if (processOnThisHost(std::atoll(name.c_str() + kNewRun.size())).process.empty())
      report.problems.push_back(
          fmt::format("{} is an unfinished run's folder: repair removes it", folder.string()));
  }
  return report;
}

void forgetRun(Workspace& workspace, std::int64_t run) {
  workspace.database().write([&] {
    const RunSummary summary = runById(workspace, run);
    if (fs::exists(summary.folder)) {
      throw Error("the run '{}' still has its folder {}: move it to the trash instead",
                  summary.name, summary.folder.string());
    }
    change(workspace.database(), "DELETE FROM processes WHERE run = ?", run);
    change(workspace.database(), "DELETE FROM commands WHERE run = ?", run);
    change(workspace.database(), "DELETE FROM runs WHERE id = ?", run);
  });
}

void backupIndex(Database& index, const fs::path& file) {
  if (fs::exists(file)) throw usageError("{} already exists: choose another name", file.string());
  const std::lock_guard lock(index.mutex());
  change(index, "VACUUM INTO ?", file.string());
  syncToDisk(file);
}

std::int64_t vacuumIndex(Workspace& workspace) {
  Database& database = workspace.database();
  database.execute("PRAGMA wal_checkpoint(TRUNCATE)");
  const auto before = static_cast<std::int64_t>(fileBytes(database.file()));
  database.execute("VACUUM");
  database.execute("PRAGMA wal_checkpoint(TRUNCATE)");
  return before - static_cast<std::int64_t>(fileBytes(database.file()));
}

}  // namespace strata
