#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/store/event_log.h"
#include "core/store/workspace.h"

namespace strata {

// How the index follows the folders: it contains nothing but the event logs read in order, so that
// reading them again gives the same result.

// A run's folder as found on disk.
struct RunPlace {
  std::int64_t id = 0;
  std::string folder;  // relative to the workspace: "runs/3-base", "trash/3-base"
};

// The run folders of a workspace, by id; a second folder with the same id is ignored and reported
// in `problems`.
std::map<std::int64_t, std::string> runFoldersOnDisk(const std::filesystem::path& root,
                                                     std::vector<std::string>* problems = nullptr);
// The number of the workspace's next run, which neither the index nor a folder has.
std::int64_t nextRunId(Workspace& workspace);
// The id at the start of "3-base"; empty if it is not a run's folder.
std::optional<std::int64_t> runIdOf(const std::string& folderName);

std::filesystem::path eventLogOf(const std::filesystem::path& runFolder);
std::filesystem::path configFileOf(const std::filesystem::path& runFolder);

// A run as the index has it.
struct KnownRun {
  std::string folder;         // relative to the workspace
  std::int64_t logBytes = 0;  // how much of its log has been read
};
std::map<std::int64_t, KnownRun> knownRuns(Database& database);  // by id

// Reads a part of a run's log into `database`, within the caller's transaction; the run becomes
// known if it is not.
LogScan readIntoIndex(Database& database, const std::filesystem::path& root, const RunPlace& place,
                      ByteRange part);

// Reads the part of a run's log that the index does not have, within its own or the caller's
// transaction. A run unknown to the index is added. Returns the end of the log and the damage in
// the part that was read.
LogScan indexRun(Workspace& workspace, const RunPlace& place);
LogScan indexRun(Database& database, const std::filesystem::path& root, const RunPlace& place);

// Appends to a known run's log and reads it into the index, in one transaction.
void appendToRun(Workspace& workspace, std::int64_t run, const LogRecord& record);
void appendToRun(Workspace& workspace, std::int64_t run, const Json& event);

// The folder of a known run, relative to the workspace. Throws a usage error for an unknown run.
std::string folderOfRun(Workspace& workspace, std::int64_t run);

// A log of the workspace that belongs to no run: test-set scorings of models outside runs.
inline constexpr const char* kLooksLog = "looks.log";
LogScan indexLooks(Workspace& workspace);
LogScan indexLooks(Database& database, const std::filesystem::path& root);
// Reads a part of it into `database`, within the caller's transaction.
LogScan readLooks(Database& database, const std::filesystem::path& log, ByteRange part);

}  // namespace strata
