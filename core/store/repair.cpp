#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cmath>

#include "core/base/error.h"
#include "core/base/open_file.h"
#include "core/store/event_log.h"
#include "core/store/index.h"
#include "core/store/maintenance.h"
#include "core/store/run_lock.h"
#include "core/store/workspace_checks.h"

namespace strata {
namespace {

constexpr const char* kNewIndex = "workspace.db.new";
// The file itself comes last: a journal without its index is harmless.
constexpr std::array kParts{"-wal", "-shm", "-journal", ""};

std::string suffixNow(const char* what) {
  return fmt::format(".{}-{:.0f}", what, std::floor(nowSeconds()));
}

// Copies the parts of a log outside of records to files next to it. The log stays unchanged.
void keepDamage(const fs::path& log, const LogScan& scan, WorkspaceReport& report) {
  const auto sentences = describeDamage(log, scan);
  const auto ranges = scan.damaged();
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    report.problems.push_back(
        fmt::format("{}: left out of the index, and copied to {}. The log is unchanged",
                    sentences[i], keepNextTo(log, ranges[i]).string()));
  }
}

// Fills an empty index from the folders.
void readFolders(Workspace& fresh, WorkspaceReport& report) {
  fresh.database().write([&] {
    for (const auto& [id, folder] : runFoldersOnDisk(fresh.root(), &report.problems)) {
      const fs::path place = fresh.root() / folder;
      if (!fs::exists(configFileOf(place)) && !fs::exists(eventLogOf(place))) {
        report.problems.push_back(fmt::format("{} contains no run: left out", place.string()));
        continue;
      }
      try {
        keepDamage(eventLogOf(place), indexRun(fresh, {id, folder}), report);
      } catch (const Error& error) {
        report.problems.push_back(fmt::format("run {} is left out: {}", id, error.what()));
      }
    }
    try {
      keepDamage(fresh.root() / kLooksLog, indexLooks(fresh), report);
    } catch (const Error& error) {
      report.problems.push_back(error.what());
    }
  });
}

// Builds an index next to the one in use: complete, and in one file.
fs::path makeNewIndex(const fs::path& root, WorkspaceReport& report) {
  const fs::path file = root / kNewIndex;
  for (const char* part : kParts) fs::remove(file.string() + part);
  {
    Workspace fresh(root, {.index = kNewIndex});
    // Nobody else reads it and a half one is thrown away: without a log, each page is written once.
    fresh.database().execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF");
    readFolders(fresh, report);
    const auto wrong = integrityProblems(fresh.database());
    if (!wrong.empty()) throw Error("the new index is incomplete: {}", wrong[0]);
    fresh.database().execute("PRAGMA journal_mode = DELETE");
  }
  syncToDisk(file);
  return file;
}

// False: the index cannot be read, or does not pass SQLite's check.
bool isWhole(const fs::path& root) {
  try {
    return integrityProblems(Workspace(root).database()).empty();
  } catch (const IndexDamaged&) {
    return false;
  }
}

// Without an index, the locks say whether a run is trained.
void refuseWhileTraining(const fs::path& root) {
  for (const auto& [id, folder] : runFoldersOnDisk(root)) {
    const auto owner = holderOf(root / folder);
    if (!owner) continue;
    throw Error(
        "the index of {} is unreadable while process {} on {} trains {}: stop it first (kill -TERM "
        "{}), then repair",
        root.string(), owner->id.pid, owner->id.host, folder, owner->id.pid);
  }
}

// Processes that have the damaged file open keep using it under its new name.
void replaceIndex(const fs::path& root, const fs::path& fresh, WorkspaceReport& report) {
  const fs::path index = indexOf(root);
  const fs::path aside = index.string() + suffixNow("damaged");
  for (const char* part : kParts) {
    const fs::path file = index.string() + part;
    if (fs::exists(file)) fs::rename(file, aside.string() + part);
  }
  fs::rename(fresh, index);
  syncToDisk(root);
  if (fs::exists(aside))
    report.done.push_back(
        fmt::format("the index was damaged: it was kept as {}; restart programs that have it open "
                    "(a window, a worker)",
                    aside.string()));
}

constexpr std::string_view kKnowsMore =
    "SELECT (SELECT COALESCE(SUM(count), 0) FROM main.series) > "
    "(SELECT COALESCE(SUM(count), 0) FROM fresh.series) OR "
    "(SELECT COUNT(*) FROM main.samples) > (SELECT COUNT(*) FROM fresh.samples) OR "
    "(SELECT COUNT(*) FROM main.checkpoints) > (SELECT COUNT(*) FROM fresh.checkpoints) OR "
    "(SELECT COUNT(*) FROM main.starts) > (SELECT COUNT(*) FROM fresh.starts) OR "
    "(SELECT COUNT(*) FROM main.looks) > (SELECT COUNT(*) FROM fresh.looks)";

// The old index may have read data that a damaged log has since lost.
bool hasMoreData(Database& database) {
  Query row(database, kKnowsMore);
  return row.next() && row.integer(0) != 0;
}

// Every table but `processes` and `commands`, which are transient, in one transaction: other
// processes keep their connections.
void replaceContent(Database& database) {
  constexpr std::array kTables{"runs",    "tags",        "starts",     "series", "points", "chunks",
                               "samples", "checkpoints", "recordings", "jobs",   "looks",  "logs"};
  // While references are checked, SQLite looks at each row of a table that it empties. All of the
  // tables are replaced by tables whose references have been checked.
  database.execute("PRAGMA foreign_keys = 0");
  database.write([&] {
    for (const char* table : kTables) database.execute(fmt::format("DELETE FROM main.{}", table));
    for (const char* table : kTables)
      database.execute(fmt::format("INSERT INTO main.{0} SELECT * FROM fresh.{0}", table));
    database.execute("DELETE FROM processes WHERE run NOT IN (SELECT id FROM runs)");
    database.execute("DELETE FROM commands WHERE run NOT IN (SELECT id FROM runs)");
  });
}

void copyIntoIndex(const fs::path& root, const fs::path& fresh, WorkspaceReport& report) {
  {
    Workspace workspace(root);
    Database& database = workspace.database();
    change(database, "ATTACH DATABASE ? AS fresh", fresh.string());
    if (hasMoreData(database)) {
      const fs::path kept = indexOf(root).string() + suffixNow("before-repair");
      backupIndex(workspace, kept);
      report.done.push_back(fmt::format(
          "the old index has data that is no longer in any log: it is kept as {}", kept.string()));
    }
    replaceContent(database);
  }
  fs::remove(fresh);
}

}  // namespace

WorkspaceReport repairWorkspace(const fs::path& root) {
  WorkspaceReport report;
  const bool hadIndex = fs::exists(indexOf(root));
  if (!hadIndex && !fs::exists(root / "runs"))
    throw usageError("there is no workspace in {}", root.string());
  const OpenFile lock(root / ".repairing", O_RDWR | O_CREAT);  // one repair at a time
  if (!lock.isOpen() || !lock.lock(LOCK_EX | LOCK_NB)) {
    throw Error("cannot repair {}: another process does, or the folder cannot be written",
                root.string());
  }
  const bool whole = hadIndex && isWhole(root);
  if (hadIndex && !whole) refuseWhileTraining(root);
  const fs::path fresh = makeNewIndex(root, report);
  if (whole) {
    copyIntoIndex(root, fresh, report);
  } else {
    replaceIndex(root, fresh, report);
  }
  report.done.push_back("the index was rebuilt from the runs' folders");
  Workspace workspace(root);
  workspace.database().write([&] {
    for (const auto& folder : unfinishedFolders(workspace.root())) {
      fs::remove_all(folder);
      report.done.push_back(fmt::format("removed {}", folder.string()));
    }
  });
  refreshWorkspace(workspace);
  fillCounts(workspace.database(), report);
  return report;
}

}  // namespace strata
