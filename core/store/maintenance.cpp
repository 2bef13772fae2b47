#include "core/store/maintenance.h"

#include <fmt/format.h>

#include <map>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text_limits.h"
#include "core/store/chunk.h"
#include "core/store/database.h"
#include "core/store/event_log.h"
#include "core/store/index.h"
#include "core/store/process_id.h"
#include "core/store/runs.h"

namespace strata {
namespace {

fs::path indexFile(const fs::path& root) {
  return root / "workspace.db";
}

std::int64_t countOf(Database& database, std::string_view sql) {
  Query row(database, sql);
  return row.next() ? row.integer(0) : 0;
}

std::uintmax_t bytesOf(const fs::path& file) {
  std::error_code failed;
  const auto bytes = fs::file_size(file, failed);
  return failed ? 0 : bytes;
}

void fillCounts(Database& database, WorkspaceReport& report) {
  report.runs = countOf(database, "SELECT COUNT(*) FROM runs WHERE folder LIKE 'runs/%'");
  report.trashed = countOf(database, "SELECT COUNT(*) FROM runs WHERE folder LIKE 'trash/%'");
  report.series = countOf(database, "SELECT COUNT(*) FROM series");
  report.points = countOf(database, "SELECT COALESCE(SUM(count), 0) FROM series");
  report.checkpoints = countOf(database, "SELECT COUNT(*) FROM checkpoints");
  report.indexBytes = bytesOf(database.file());
  report.networkFileSystem = database.network();
}

void checkIntegrity(Database& database, std::vector<std::string>& problems) {
  Query row(database, "PRAGMA quick_check(5)");
  while (row.next()) {
    if (row.text(0) == "ok") continue;
    problems.push_back(fmt::format("{}: {}: run `strata-run workspace repair`",
                                   database.file().string(), row.text(0)));
  }
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

// One run's row against its folder; reads the whole log.
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
  const LogScan scan = scanLog(eventLogOf(folder), 0, [](RecordKind, std::string_view) {});
  for (const auto& damage : scan.damage) problems.push_back(damage);
  if (static_cast<std::int64_t>(scan.end) != logBytes) {
    problems.push_back(
        fmt::format("{}: the index knows {} of its {} bytes: `strata-run workspace repair` reads "
                    "the rest",
                    eventLogOf(folder).string(), logBytes, scan.end));
  }
}

void checkFolders(Workspace& workspace, std::vector<std::string>& problems) {
  struct Row {
    std::string folder;
    std::int64_t bytes;
  };
  std::map<std::int64_t, Row> known;
  Query rows(workspace.database(), "SELECT id, folder, log_bytes FROM runs ORDER BY id");
  while (rows.next()) known[rows.integer(0)] = {rows.text(1), rows.integer(2)};
  const auto folders = runFoldersOnDisk(workspace.root(), &problems);
  for (const auto& [id, folder] : folders) {
    const auto row = known.find(id);
    if (row == known.end() || row->second.folder != folder) {
      problems.push_back(
          fmt::format("{} is not in the index: `strata-run workspace repair` adds it",
                      (workspace.root() / folder).string()));
      continue;
    }
    checkRun(workspace, {id, folder}, row->second.bytes, problems);
  }
  for (const auto& [id, row] : known) {
    if (!folders.contains(id))
      problems.push_back(fmt::format(
          "run {}: its folder {} is gone: put it back, or `strata-run workspace repair` forgets it",
          id, (workspace.root() / row.folder).string()));
  }
}

std::vector<fs::path> unfinishedFolders(const fs::path& root) {
  std::vector<fs::path> found;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(root / "runs", failed)) {
    const std::string name = entry.path().filename().string();
    // ".new-PID-...": left by a process that died while it made a run.
    if (!name.starts_with(".new-")) continue;
    const std::int64_t pid = std::atoll(name.c_str() + 5);
    if (processOnThisHost(pid).process.empty()) found.push_back(entry.path());
  }
  return found;
}

// Whether a run says that it is running in a process that lives, without an index.
void refuseWhileTraining(const fs::path& root) {
  for (const auto& [id, folder] : runFoldersOnDisk(root)) {
    ProcessId holder;
    scanLog(eventLogOf(root / folder), 0, [&](RecordKind kind, std::string_view payload) {
      if (kind != RecordKind::kEvent) return;
      const Json event = tryParseJson(payload).value_or(nullptr);
      if (!event.is_object()) return;
      const std::string type = event.value("type", "");
      if (type == "ended") holder = {};
      if (type == "started")
        holder = {event.value("host", ""), event.value("pid", std::int64_t{0}),
                  event.value("process", "")};
    });
    if (isAlive(holder, 0)) {
      throw Error(
          "the index of {} is unreadable while process {} trains {}: stop it first (kill "
          "-TERM {}), then repair",
          root.string(), holder.pid, folder, holder.pid);
    }
  }
}

// Moves an unreadable index out of the way, with its journals.
void setAside(const fs::path& root, WorkspaceReport& report) {
  refuseWhileTraining(root);
  const std::string suffix = ".damaged-" + std::to_string(static_cast<std::int64_t>(nowSeconds()));
  for (const char* tail : {"", "-wal", "-shm", "-journal"}) {
    const fs::path file = indexFile(root).string() + tail;
    if (fs::exists(file)) fs::rename(file, indexFile(root).string() + suffix + tail);
  }
  report.done.push_back(
      fmt::format("the unreadable index was kept as {}", indexFile(root).string() + suffix));
}

void rebuild(Workspace& workspace, WorkspaceReport& report) {
  Database& database = workspace.database();
  database.write([&] {
    database.execute("DELETE FROM runs; DELETE FROM looks; DELETE FROM logs;");
    for (const auto& [id, folder] : runFoldersOnDisk(workspace.root(), &report.problems)) {
      const fs::path place = workspace.root() / folder;
      if (!fs::exists(configFileOf(place)) && !fs::exists(eventLogOf(place))) {
        report.problems.push_back(fmt::format("{} holds no run: left out", place.string()));
        continue;
      }
      for (auto& damage : indexRun(workspace, {id, folder}))
        report.problems.push_back(std::move(damage));
    }
    indexLooks(workspace);
    database.execute("DELETE FROM processes WHERE run NOT IN (SELECT id FROM runs)");
    database.execute("DELETE FROM commands WHERE run NOT IN (SELECT id FROM runs)");
  });
  report.done.push_back("the index was rebuilt from the runs' folders");
}

// True where the index can be opened and passes SQLite's check. A newer one throws.
bool isReadable(const fs::path& root) {
  try {
    Workspace workspace(root);
    std::vector<std::string> problems;
    checkIntegrity(workspace.database(), problems);
    return problems.empty();
  } catch (const Error& error) {
    if (std::string_view(error.what()).find("newer version") != std::string_view::npos) throw;
    if (std::string_view(error.what()).find("another program") != std::string_view::npos) throw;
    return false;
  }
}

}  // namespace

WorkspaceReport checkWorkspace(const fs::path& root) {
  WorkspaceReport report;
  if (!fs::exists(indexFile(root)) && !fs::exists(root / "runs"))
    throw usageError("there is no workspace in {}", root.string());
  try {
    Workspace workspace(root, {.access = Access::kRead});
    fillCounts(workspace.database(), report);
    checkIntegrity(workspace.database(), report.problems);
    checkChunks(workspace.database(), report.problems);
    checkFolders(workspace, report.problems);
  } catch (const Error& error) {
    report.problems.push_back(error.what());
  }
  for (const auto& folder : unfinishedFolders(root))
    report.problems.push_back(
        fmt::format("{} is an unfinished run's folder: repair removes it", folder.string()));
  return report;
}

WorkspaceReport repairWorkspace(const fs::path& root) {
  WorkspaceReport report;
  if (!fs::exists(indexFile(root)) && !fs::exists(root / "runs"))
    throw usageError("there is no workspace in {}", root.string());
  if (fs::exists(indexFile(root)) && !isReadable(root)) setAside(root, report);
  Workspace workspace(root);
  for (const auto& folder : unfinishedFolders(workspace.root())) {
    fs::remove_all(folder);
    report.done.push_back(fmt::format("removed {}", folder.string()));
  }
  rebuild(workspace, report);
  refreshWorkspace(workspace);
  fillCounts(workspace.database(), report);
  return report;
}

void backupIndex(Workspace& workspace, const fs::path& file) {
  if (fs::exists(file)) throw usageError("{} is there already: choose another name", file.string());
  Database& database = workspace.database();
  const std::lock_guard lock(database.mutex());
  Query(database, "VACUUM INTO ?").with(file.string()).run();
  syncToDisk(file);
}

std::int64_t vacuumIndex(Workspace& workspace) {
  Database& database = workspace.database();
  database.execute("PRAGMA wal_checkpoint(TRUNCATE)");
  const auto before = static_cast<std::int64_t>(bytesOf(database.file()));
  database.execute("VACUUM");
  database.execute("PRAGMA wal_checkpoint(TRUNCATE)");
  return before - static_cast<std::int64_t>(bytesOf(database.file()));
}

}  // namespace strata
