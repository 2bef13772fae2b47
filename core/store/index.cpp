#include "core/store/index.h"

#include <algorithm>
#include <charconv>

#include <spdlog/spdlog.h>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text_limits.h"
#include "core/store/index_events.h"
#include "core/store/run_facts.h"

namespace strata {
namespace {

struct KnownRun {
  std::string folder;
  std::int64_t logBytes = 0;
};

std::optional<KnownRun> knownRun(Database& database, std::int64_t id) {
  Query row(database, "SELECT folder, log_bytes FROM runs WHERE id = ?");
  if (!row.with(id).next()) return {};
  return KnownRun{row.text(0), row.integer(1)};
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
    std::error_code failed;
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(root / parent, failed))
      names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    for (const auto& name : names) {
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

fs::path eventLogOf(const fs::path& runFolder) {
  return runFolder / "events.log";
}
fs::path configFileOf(const fs::path& runFolder) {
  return runFolder / "config.effective.yaml";
}

LogScan indexRun(Workspace& workspace, const RunPlace& place) {
  Database& database = workspace.database();
  const fs::path folder = workspace.root() / place.folder;
  const fs::path log = eventLogOf(folder);
  return database.write([&] {
    auto known = knownRun(database, place.id);
    if (known && known->folder != place.folder) {
      Query(database, "UPDATE runs SET folder = ? WHERE id = ?").with(place.folder, place.id).run();
    }
    if (known && static_cast<std::int64_t>(fileBytes(log)) < known->logBytes) {
      spdlog::warn("{} is shorter than when it was last read: reading it again", log.string());
      Query(database, "DELETE FROM runs WHERE id = ?").with(place.id).run();
      known.reset();  // not the log that was read: read everything again
    }
    EventIndexer indexer(database, place);
    indexer.setKnown(known.has_value());
    const auto from = known ? static_cast<std::uint64_t>(known->logBytes) : 0;
    const LogScan scan = scanLog(log, from, [&](RecordKind kind, std::string_view payload) {
      indexer.apply(kind, payload);
    });
    if (!indexer.known()) {
      indexer.create(createdFromFolder(folder));
      scanLog(log, 0,
              [&](RecordKind kind, std::string_view payload) { indexer.apply(kind, payload); });
    }
    indexer.finish();
    Query(database, "UPDATE runs SET log_bytes = ? WHERE id = ?")
        .with(static_cast<std::int64_t>(scan.end), place.id)
        .run();
    return scan;
  });
}

std::string folderOfRun(Workspace& workspace, std::int64_t run) {
  const auto known = knownRun(workspace.database(), run);
  if (!known) {
    throw usageError("there is no run {} in {}: `strata-run runs list` shows all runs", run,
                     workspace.root().string());
  }
  return known->folder;
}

void appendToRun(Workspace& workspace, std::int64_t run, std::span<const LogRecord> records) {
  Database& database = workspace.database();
  database.write([&] {
    const std::string folder = folderOfRun(workspace, run);
    const auto known = knownRun(database, run);
    appendRecords(eventLogOf(workspace.root() / folder), records,
                  {.knownGood = static_cast<std::uint64_t>(known->logBytes)});
    indexRun(workspace, {run, folder});
  });
}

void appendToRun(Workspace& workspace, std::int64_t run, const Json& event) {
  const LogRecord record = eventRecord(event);
  appendToRun(workspace, run, std::span(&record, 1));
}

LogScan indexLooks(Workspace& workspace) {
  Database& database = workspace.database();
  const fs::path log = workspace.root() / kLooksLog;
  return database.write([&] {
    std::int64_t from = 0;
    {
      Query row(database, "SELECT bytes FROM logs WHERE name = ?");
      if (row.with(kLooksLog).next()) from = row.integer(0);
    }
    if (static_cast<std::int64_t>(fileBytes(log)) < from) {
      from = 0;
      Query(database, "DELETE FROM looks WHERE run IS NULL").run();
    }
    const LogScan scan =
        scanLog(log, static_cast<std::uint64_t>(from), [&](RecordKind, std::string_view payload) {
          const Json event = tryParseJson(payload).value_or(nullptr);
          if (event.is_object()) indexLook(database, 0, event);
        });
    Query(database, "INSERT OR REPLACE INTO logs (name, bytes) VALUES (?, ?)")
        .with(kLooksLog, static_cast<std::int64_t>(scan.end))
        .run();
    return scan;
  });
}

}  // namespace strata
