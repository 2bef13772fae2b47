#include "core/store/index.h"

#include <algorithm>
#include <charconv>

#include <spdlog/spdlog.h>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text_limits.h"
#include "core/store/index_events.h"
#include "core/store/runs.h"

namespace strata {
namespace {

std::optional<KnownRun> knownRun(Database& database, std::int64_t id) {
  Query row(database, "SELECT folder, log_bytes FROM runs WHERE id = ?", id);
  if (!row.next()) return {};
  return KnownRun{row.text(0), row.integer(1)};
}

KnownRun requireRun(Workspace& workspace, std::int64_t run) {
  const auto known = knownRun(workspace.database(), run);
  if (known) return *known;
  throw usageError("there is no run {} in {}: `strata-run runs list` shows all runs", run,
                   workspace.root().string());
}

// A run without a log: the information left in its folder and configuration.
Json createdFromFolder(const fs::path& folder) {
  const std::string name = folder.filename().string();
  Json event = createdEvent({.name = name.substr(name.find('-') + 1),
                             .config = readYaml(configFileOf(folder)).value,
                             .preset = ""});
  event["time"] = 0;
  return event;
}

}  // namespace

std::map<std::int64_t, KnownRun> knownRuns(Database& database) {
  std::map<std::int64_t, KnownRun> known;
  Query row(database, "SELECT id, folder, log_bytes FROM runs");
  while (row.next()) known[row.integer(0)] = {row.text(1), row.integer(2)};
  return known;
}

std::optional<std::int64_t> runIdOf(const std::string& folderName) {
  std::int64_t id = 0;
  const char* last = folderName.data() + folderName.size();
  const auto [end, code] = std::from_chars(folderName.data(), last, id);
  if (code != std::errc() || end == last || *end != '-' || id <= 0) return {};
  return id;
}

std::map<std::int64_t, std::string> runFoldersOnDisk(const fs::path& root,
                                                     std::vector<std::string>* problems) {
  std::map<std::int64_t, std::string> found;
  for (const char* parent : {"runs", "trash"}) {
    for (const auto& name : namesIn(root / parent)) {
      const auto id = runIdOf(name);
      if (!id) continue;
      const std::string folder = std::string(parent) + "/" + name;
      const auto [place, added] = found.emplace(*id, folder);
      if (!added && problems != nullptr) {
        problems->push_back(
            fmt::format("{} and {} have the same number: move one away; the second is ignored",
                        (root / place->second).string(), (root / folder).string()));
      }
    }
  }
  return found;
}

std::int64_t nextRunId(Workspace& workspace) {
  Query row(workspace.database(), "SELECT COALESCE(MAX(id), 0) FROM runs");
  std::int64_t highest = row.next() ? row.integer(0) : 0;
  for (const char* parent : {"runs", "trash"}) {
    std::error_code missing;
    for (const auto& entry : fs::directory_iterator(workspace.root() / parent, missing))
      highest = std::max(highest, runIdOf(entry.path().filename().string()).value_or(0));
  }
  return highest + 1;
}

fs::path eventLogOf(const fs::path& runFolder) {
  return runFolder / "events.log";
}
fs::path configFileOf(const fs::path& runFolder) {
  return runFolder / "config.effective.yaml";
}

LogScan readIntoIndex(Database& database, const fs::path& root, const RunPlace& place,
                      ByteRange part) {
  const fs::path folder = root / place.folder;
  EventIndexer indexer(database, place, knownRun(database, place.id).has_value());
  const auto apply = [&](RecordKind kind, std::string_view payload) {
    indexer.apply(kind, payload);
  };
  LogScan scan = scanLog(eventLogOf(folder), part, apply);
  if (!indexer.known()) {
    indexer.create(createdFromFolder(folder));
    scan = scanLog(eventLogOf(folder), part, apply);
  }
  indexer.finish();
  return scan;
}

LogScan indexRun(Workspace& workspace, const RunPlace& place) {
  return indexRun(workspace.database(), workspace.root(), place);
}

LogScan indexRun(Database& database, const fs::path& root, const RunPlace& place) {
  const fs::path log = eventLogOf(root / place.folder);
  return database.write([&] {
    const auto known = knownRun(database, place.id);
    std::int64_t from = known ? known->logBytes : 0;
    if (known && known->folder != place.folder) {
      change(database, "UPDATE runs SET folder = ? WHERE id = ?", place.folder, place.id);
    }
    if (static_cast<std::int64_t>(fileBytes(log)) < from) {
      spdlog::warn("{} is shorter than when it was last read: reading it again", log.string());
      change(database, "DELETE FROM runs WHERE id = ?", place.id);
      from = 0;  // not the log that was read: read everything again
    }
    const LogScan scan =
        readIntoIndex(database, root, place, {static_cast<std::uint64_t>(from), kToTheEndOfLog});
    change(database, "UPDATE runs SET log_bytes = ? WHERE id = ?",
           static_cast<std::int64_t>(scan.end), place.id);
    return scan;
  });
}

std::string folderOfRun(Workspace& workspace, std::int64_t run) {
  return requireRun(workspace, run).folder;
}

void appendToRun(Workspace& workspace, std::int64_t run, const LogRecord& record) {
  workspace.database().write([&] {
    const KnownRun known = requireRun(workspace, run);
    appendRecords(eventLogOf(workspace.root() / known.folder), {record},
                  {.knownGood = static_cast<std::uint64_t>(known.logBytes)});
    indexRun(workspace, {run, known.folder});
  });
}

void appendToRun(Workspace& workspace, std::int64_t run, const Json& event) {
  appendToRun(workspace, run, eventRecord(event));
}

LogScan readLooks(Database& database, const fs::path& log, ByteRange part) {
  return scanLog(log, part, [&](RecordKind, std::string_view payload) {
    const Json event = tryParseJson(payload).value_or(nullptr);
    if (event.is_object()) indexLook(database, 0, event);
  });
}

LogScan indexLooks(Workspace& workspace) {
  return indexLooks(workspace.database(), workspace.root());
}

LogScan indexLooks(Database& database, const fs::path& root) {
  const fs::path log = root / kLooksLog;
  return database.write([&] {
    Query row(database, "SELECT bytes FROM logs WHERE name = ?", kLooksLog);
    std::int64_t from = row.next() ? row.integer(0) : 0;
    if (static_cast<std::int64_t>(fileBytes(log)) < from) {
      from = 0;
      change(database, "DELETE FROM looks WHERE run IS NULL");
    }
    const LogScan scan =
        readLooks(database, log, {static_cast<std::uint64_t>(from), kToTheEndOfLog});
    change(database, "INSERT OR REPLACE INTO logs (name, bytes) VALUES (?, ?)", kLooksLog,
           static_cast<std::int64_t>(scan.end));
    return scan;
  });
}

}  // namespace strata
