#include "core/store/maintenance.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text_limits.h"
#include "core/store/chunk.h"
#include "core/store/database.h"
#include "core/store/event_log.h"
#include "core/store/index.h"
#include "core/store/process_id.h"
#include "core/store/removals.h"
#include "core/store/runs.h"
#include "core/store/workspace_checks.h"

namespace strata {
namespace {

std::int64_t countOf(Database& database, std::string_view sql) {
  Query row(database, sql);
  return row.next() ? row.integer(0) : 0;
}

void checkChunks(Database& database, std::vector<std::string>& problems) {
  std::vector<PackedPoint> points;
  Query row(
      database,
      "SELECT s.run, s.name, c.position, c.count, c.data FROM chunks c JOIN series s ON s.id = "
      "c.series");
  while (row.next()) {
    points.clear();
    if (decodeChunk(row.blob(4), points) && std::ssize(points) == row.integer(3)) continue;
    problems.push_back(fmt::format(
        "run {}, series {}: the chunk at point {} is damaged: run `strata-run workspace repair`",
        row.integer(0), row.text(1), row.integer(2)));
  }
}

// Checks one run's row against its folder; reads the full log.
void checkRun(Workspace& workspace, const RunPlace& place, std::int64_t logBytes,
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
  const LogScan scan = scanLog(eventLogOf(folder), 0);
  for (auto& damage : describeDamage(eventLogOf(folder), scan))
    problems.push_back(std::move(damage));
  if (static_cast<std::int64_t>(scan.end) != logBytes) {
    problems.push_back(
        fmt::format("{}: the index knows {} of its {} bytes: `strata-run workspace repair` reads "
                    "the rest",
                    eventLogOf(folder).string(), logBytes, scan.end));
  }
}

void checkFolders(Workspace& workspace, std::vector<std::string>& problems) {
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
    checkRun(workspace, {id, folder}, row->second.logBytes, problems);
  }
  for (const auto& [id, row] : known) {
    if (fs::exists(removalOf(workspace.root() / row.folder))) continue;  // forgotten when next read
    if (!folders.contains(id))
      problems.push_back(fmt::format(
          "run {}: its folder {} is gone: put it back, or `strata-run workspace repair` forgets it",
          id, (workspace.root() / row.folder).string()));
  }
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

std::vector<fs::path> unfinishedFolders(const fs::path& root) {
  std::vector<fs::path> found;
  for (const auto& name : namesIn(root / "runs")) {
    if (name.starts_with(".new-")) found.push_back(root / "runs" / name);
  }
  return found;
}

WorkspaceReport checkWorkspace(const fs::path& root) {
  WorkspaceReport report;
  if (!fs::exists(indexOf(root)) && !fs::exists(root / "runs"))
    throw usageError("there is no workspace in {}", root.string());
  try {
    Workspace workspace(root, {.access = Access::kRead});
    fillCounts(workspace.database(), report);
    report.problems = integrityProblems(workspace.database());
    checkChunks(workspace.database(), report.problems);
    checkFolders(workspace, report.problems);
  } catch (const Error& error) {
    report.problems.push_back(error.what());
  }
  for (const auto& folder : unfinishedFolders(root)) {
    // ".new-PID-...": while that process lives it is still completing the folder.
    const std::int64_t pid = std::atoll(folder.filename().c_str() + 5);
    if (processOnThisHost(pid).process.empty())
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

void backupIndex(Workspace& workspace, const fs::path& file) {
  if (fs::exists(file)) throw usageError("{} already exists: choose another name", file.string());
  Database& database = workspace.database();
  const std::lock_guard lock(database.mutex());
  change(database, "VACUUM INTO ?", file.string());
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
