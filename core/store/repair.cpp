#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>

#include "core/base/error.h"
#include "core/base/lock_wait.h"
#include "core/base/open_file.h"
#include "core/store/event_log.h"
#include "core/store/index.h"
#include "core/store/maintenance.h"
#include "core/store/run_lock.h"
#include "core/store/workspace_checks.h"

namespace strata {
namespace {

constexpr const char* kNewIndex = "workspace.db.new";
constexpr const char* kRepairing = ".repairing";  // locked while an index is made anew
// The file itself comes last: a journal without its index is harmless.
constexpr std::array kParts{"-wal", "-shm", "-journal", ""};

// A file next to the index that is not there: "workspace.db.damaged-1790000000", then "...-2".
fs::path unusedName(const fs::path& index, const char* what) {
  const std::string name = fmt::format("{}.{}-{:.0f}", index.string(), what, nowSeconds());
  fs::path free = name;
  for (int number = 2; fs::exists(free); ++number) free = fmt::format("{}-{}", name, number);
  return free;
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

// Reads into an index what the folders have beyond it.
void readFolders(Database& index, const fs::path& root, WorkspaceReport& report) {
  index.write([&] {
    for (const auto& [id, folder] : runFoldersOnDisk(root, &report.problems)) {
      const fs::path place = root / folder;
      if (!fs::exists(configFileOf(place)) && !fs::exists(eventLogOf(place))) {
        report.problems.push_back(fmt::format("{} contains no run: left out", place.string()));
        continue;
      }
      try {
        keepDamage(eventLogOf(place), indexRun(index, root, {id, folder}), report);
      } catch (const Error& error) {
        report.problems.push_back(fmt::format("run {} is left out: {}", id, error.what()));
      }
    }
    try {
      keepDamage(root / kLooksLog, indexLooks(index, root), report);
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
    readFolders(fresh.database(), root, report);
    const auto wrong = integrityProblems(fresh.database());
    if (!wrong.empty()) throw Error("the new index is incomplete: {}", wrong[0]);
    fresh.database().execute("PRAGMA journal_mode = DELETE");
  }
  syncToDisk(file);
  return file;
}

enum class IndexState { kNone, kWhole, kOlder, kDamaged };

// Throws if the index is another program's or a newer version's.
IndexState stateOf(const fs::path& root) {
  const fs::path index = indexOf(root);
  if (!fs::exists(index)) return IndexState::kNone;
  try {
    Database database(index, {.network = isNetworkFileSystem(root), .older = true});
    if (!integrityProblems(database).empty()) return IndexState::kDamaged;
    if (database.version() < indexSchema().version) return IndexState::kOlder;
    Database fresh(kInMemory, {});
    const bool same = schemaProblems(database, fresh).empty();
    return same ? IndexState::kWhole : IndexState::kDamaged;
  } catch (const IndexDamaged&) {
    return IndexState::kDamaged;
  } catch (const IndexIsNewer&) {
    if (!onlyHeaderIsWrong(index)) throw;
  } catch (const IndexIsForeign&) {
    if (!onlyHeaderIsWrong(index)) throw;
  }
  return IndexState::kDamaged;  // its header is
}

bool hasLogs(const fs::path& root) {
  return std::ranges::any_of(runFoldersOnDisk(root), [&](const auto& run) {
    return fs::exists(eventLogOf(root / run.second));
  });
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
  const fs::path aside = unusedName(index, "damaged");
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

// How much an index has of what can be lost.
using Amounts = std::array<std::int64_t, 5>;
Amounts amountsIn(Database& database) {
  Query row(database,
            "SELECT (SELECT COALESCE(SUM(count), 0) FROM main.series), (SELECT COUNT(*) FROM "
            "main.samples), (SELECT COUNT(*) FROM main.checkpoints), (SELECT COUNT(*) FROM "
            "main.starts), (SELECT COUNT(*) FROM main.looks)");
  row.next();
  Amounts amounts{};
  for (int i = 0; i < std::ssize(amounts); ++i)
    amounts[static_cast<std::size_t>(i)] = row.integer(i);
  return amounts;
}

bool hasMore(const Amounts& one, const Amounts& other) {
  return !std::ranges::equal(one, other, std::less_equal());
}

// Every table, in one transaction: other processes keep their connections. What is transient is
// kept.
void replaceContent(Database& database) {
  constexpr std::array kFromLogs{"runs",   "tags",   "starts",  "series",      "directions",
                                 "points", "chunks", "samples", "checkpoints", "recordings",
                                 "jobs",   "looks",  "logs"};
  constexpr std::array kTransient{"processes", "commands"};
  for (const char* table : kTransient) {
    database.execute(fmt::format("CREATE TEMP TABLE kept_{0} AS SELECT * FROM main.{0}", table));
    database.execute(fmt::format("DROP TABLE main.{}", table));
  }
  for (const char* table : kFromLogs)
    database.execute(fmt::format("DROP TABLE IF EXISTS main.{}", table));
  database.execute(indexSchema().sql);
  for (const char* table : kFromLogs)
    database.execute(fmt::format("INSERT INTO main.{0} SELECT * FROM fresh.{0}", table));
  for (const char* table : kTransient) {
    database.execute(
        fmt::format("INSERT INTO main.{0} SELECT * FROM kept_{0} WHERE run IN (SELECT id FROM "
                    "main.runs)",
                    table));
    database.execute(fmt::format("DROP TABLE kept_{}", table));
  }
  database.execute(fmt::format("PRAGMA main.user_version = {}", indexSchema().version));
}

// The old index may have read data that a damaged log has since lost.
class WouldLoseData {};

void replaceWith(Database& database, const fs::path& root, const fs::path& fresh, bool mayLose) {
  // While references are checked, SQLite looks at each row of a table that it drops. All of the
  // tables are replaced by tables whose references have been checked.
  database.execute("PRAGMA foreign_keys = 0");
  change(database, "ATTACH DATABASE ? AS fresh", fresh.string());
  database.write([&] {
    const Amounts before = amountsIn(database);
    replaceContent(database);
    WorkspaceReport reported;               // already
    readFolders(database, root, reported);  // what they have gained since the new index was made
    if (!mayLose && hasMore(before, amountsIn(database))) throw WouldLoseData();
  });
}

void copyIntoIndex(const fs::path& root, const fs::path& fresh, WorkspaceReport& report) {
  const auto replace = [&](bool mayLose) {
    Database database(indexOf(root), {.network = isNetworkFileSystem(root), .older = true});
    replaceWith(database, root, fresh, mayLose);
  };
  try {
    replace(false);
  } catch (const WouldLoseData&) {
    const fs::path kept = unusedName(indexOf(root), "before-repair");
    {
      Database old(indexOf(root), {.network = isNetworkFileSystem(root), .older = true});
      backupIndex(old, kept);
    }
    report.done.push_back(fmt::format(
        "the old index has data that is no longer in any log: it is kept as {}", kept.string()));
    replace(true);
  }
  fs::remove(fresh);
}

}  // namespace

void renewIndex(const fs::path& root) {
  const OpenFile lock(root / kRepairing, O_RDWR | O_CREAT);
  if (!lock.isOpen()) throw lock.failure("open");
  waitForLock(lock, LOCK_EX, {.limit = {}});  // a large workspace takes minutes
  const IndexState state = stateOf(root);
  if (state == IndexState::kWhole) return;  // another process was faster
  if (state == IndexState::kDamaged)
    throw IndexDamaged("{} is damaged: {}", indexOf(root).string(), kRepair);
  spdlog::info("{} has an older format: it is made anew from the runs' folders",
               indexOf(root).string());
  WorkspaceReport report;
  copyIntoIndex(root, makeNewIndex(root, report), report);
  for (const auto& problem : report.problems) spdlog::warn("{}", problem);
  for (const auto& done : report.done) spdlog::warn("{}", done);
}

WorkspaceReport repairWorkspace(const fs::path& root) {
  WorkspaceReport report;
  if (!fs::exists(indexOf(root)) && !fs::exists(root / "runs"))
    throw usageError("there is no workspace in {}", root.string());
  const OpenFile lock(root / kRepairing, O_RDWR | O_CREAT);  // one repair at a time
  if (!lock.isOpen() || !lock.lock(LOCK_EX | LOCK_NB)) {
    throw Error("cannot repair {}: another process does, or the folder cannot be written",
                root.string());
  }
  const IndexState state = stateOf(root);
  if (state == IndexState::kDamaged) {
    if (!hasLogs(root)) {
      throw Error(
          "{} is damaged or another program's, and there is no run of which to make it "
          "anew: nothing was changed. Move it away if {} is a workspace",
          indexOf(root).string(), root.string());
    }
    refuseWhileTraining(root);
  }
  const fs::path fresh = makeNewIndex(root, report);
  if (state == IndexState::kWhole || state == IndexState::kOlder) {
    copyIntoIndex(root, fresh, report);
  } else {
    replaceIndex(root, fresh, report);
  }
  report.done.push_back("the index was rebuilt from the runs' folders");
  Workspace workspace(root);
  for (const fs::path& folder : removeUnfinished(workspace))
    report.done.push_back(fmt::format("removed {}", folder.string()));
  refreshWorkspace(workspace);
  fillCounts(workspace.database(), report);
  return report;
}

}  // namespace strata
