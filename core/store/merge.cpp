#include "core/store/merge.h"

#include <algorithm>
#include <fstream>
#include <map>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/store/database.h"
#include "core/store/event_log.h"
#include "core/store/index.h"
#include "core/store/runs.h"

namespace strata {
namespace {

constexpr const char* kOrigin = "merged.json";  // in a merged run's folder

struct Origin {
  std::string source;       // absolute path
  std::uint64_t bytes = 0;  // of its log that are here
};

void writeOrigin(const fs::path& folder, const Origin& origin) {
  writeFileAtomic(folder / kOrigin,
                  Json{{"source", origin.source}, {"log_bytes", origin.bytes}}.dump(2) + "\n");
}

std::map<std::string, std::pair<RunSummary, Origin>> mergedBefore(Workspace& workspace) {
  std::map<std::string, std::pair<RunSummary, Origin>> known;
  for (const RunSummary& run : listRuns(workspace, {.trashed = true})) {
    const fs::path file = run.folder / kOrigin;
    if (!fs::exists(file)) continue;
    const Json json = parseJson(readFile(file), file.string());
    const Origin origin{json.at("source"), json.at("log_bytes")};
    known[origin.source] = {run, origin};
  }
  return known;
}

void addRunsIn(const fs::path& folder, std::vector<fs::path>& found) {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    if (runIdOf(entry.path().filename().string()) && fs::exists(eventLogOf(entry.path())))
      found.push_back(fs::canonical(entry.path()));
  }
}

std::vector<fs::path> runFoldersBelow(const fs::path& from) {
  if (!fs::is_directory(from)) throw usageError("{} is no folder", from.string());
  std::vector<fs::path> found;
  addRunsIn(from, found);
  addRunsIn(from / "runs", found);
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(from, failed))
    if (entry.is_directory()) addRunsIn(entry.path() / "runs", found);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

// Copies what is not there yet, folder by folder under another name until it is whole, and removes
// what the source removed. Names that start with '.' are unfinished there.
void syncEntries(const fs::path& from, const fs::path& to) {
  std::error_code failed;
  fs::create_directories(to);
  for (const auto& entry : fs::directory_iterator(from, failed)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.') || fs::exists(to / name)) continue;
    const fs::path partial = to / (".merging-" + name);
    fs::remove_all(partial);
    fs::copy(entry.path(), partial, fs::copy_options::recursive);
    fs::rename(partial, to / name);
  }
  for (const auto& entry : fs::directory_iterator(to, failed)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with('.') && !fs::exists(from / name)) fs::remove_all(entry.path());
  }
}

void syncFolders(const fs::path& from, const fs::path& to) {
  for (const char* part : {"text", "checkpoints", "recordings", "outputs"}) {
    if (!fs::is_directory(from / part)) continue;
    try {
      syncEntries(from / part, to / part);
    } catch (const fs::filesystem_error&) {
      // A checkpoint that was removed while it was copied: the next merge sees what there is.
    }
  }
}

std::string bytesBetween(const fs::path& file, std::uint64_t begin, std::uint64_t end) {
  std::ifstream stream(file, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(begin));
  std::string bytes(end - begin, '\0');
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (static_cast<std::uint64_t>(stream.gcount()) != bytes.size())
    throw Error("cannot read {}", file.string());
  return bytes;
}

void appendBytes(const fs::path& file, const std::string& bytes) {
  std::ofstream stream(file, std::ios::binary | std::ios::app);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  stream.flush();
  if (!stream) throw Error("cannot write {}", file.string());
  syncToDisk(file);
}

// Where the whole records of a log that may be growing end.
std::uint64_t wholeRecords(const fs::path& log, std::uint64_t from) {
  return scanLog(log, from, [](RecordKind, std::string_view) {}).end;
}

class Merge {
 public:
  Merge(Workspace& workspace, MergeReport& report)
      : workspace_(workspace), report_(report), known_(mergedBefore(workspace)) {}

  void bring(const fs::path& source) {
    const auto before = known_.find(source.string());
    if (before == known_.end()) {
      add(source);
    } else if (!before->second.first.trashed) {
      grow(source, before->second.first, before->second.second);
    }
  }

 private:
  void add(const fs::path& source) {
    Database& database = workspace_.database();
    const std::int64_t id = database.write([&] {
      std::int64_t next = 1;
      const auto folders = runFoldersOnDisk(workspace_.root());
      if (!folders.empty()) next = folders.rbegin()->first + 1;
      const std::string name = source.filename().string();
      const std::string relative = fmt::format("runs/{}-{}", next, name.substr(name.find('-') + 1));
      const fs::path partial = workspace_.runsFolder() / (".merging-" + name);
      fs::remove_all(partial);
      fs::create_directories(partial);
      fs::copy_file(configFileOf(source), configFileOf(partial));
      const std::uint64_t end = wholeRecords(eventLogOf(source), 0);
      writeFileAtomic(eventLogOf(partial), bytesBetween(eventLogOf(source), 0, end));
      writeOrigin(partial, {source.string(), end});
      fs::rename(partial, workspace_.root() / relative);
      indexRun(workspace_, {next, relative});
      return next;
    });
    const RunSummary run = runById(workspace_, id);
    syncFolders(source, run.folder);
    report_.added.push_back(run.name);
    noteAlive(source, id);
  }

  void grow(const fs::path& source, const RunSummary& run, Origin origin) {
    const std::uint64_t end = wholeRecords(eventLogOf(source), origin.bytes);
    syncFolders(source, run.folder);
    if (end > origin.bytes) {
      workspace_.database().write([&] {
        appendBytes(eventLogOf(run.folder), bytesBetween(eventLogOf(source), origin.bytes, end));
        origin.bytes = end;
        writeOrigin(run.folder, origin);
        indexRun(workspace_, {run.id, folderOfRun(workspace_, run.id)});
      });
      report_.grown.push_back(run.name);
    } else {
      ++report_.unchanged;
    }
    noteAlive(source, run.id);
  }

  // A run that trains elsewhere is alive as long as its log grows.
  void noteAlive(const fs::path& source, std::int64_t id) {
    const RunSummary run = runById(workspace_, id);
    if (run.status != RunStatus::kFinished && run.status != RunStatus::kFailed)
      ++report_.unfinished;
    if (run.status != RunStatus::kRunning) return;
    report_.running = true;
    const auto starts = runStarts(workspace_, id);
    if (starts.empty()) return;
    const auto age = fs::file_time_type::clock::now() - fs::last_write_time(eventLogOf(source));
    const double heartbeat = nowSeconds() - std::chrono::duration<double>(age).count();
    Query(workspace_.database(),
          "INSERT OR REPLACE INTO processes (run, host, pid, process, heartbeat) VALUES (?, ?, ?, "
          "?, ?)")
        .with(id, starts.back().host, starts.back().pid, starts.back().process, heartbeat)
        .run();
  }

  Workspace& workspace_;
  MergeReport& report_;
  std::map<std::string, std::pair<RunSummary, Origin>> known_;
};

}  // namespace

MergeReport mergeRuns(Workspace& workspace, const fs::path& from) {
  MergeReport report;
  const fs::path own = fs::canonical(workspace.root());
  Merge merge(workspace, report);
  for (const fs::path& source : runFoldersBelow(from)) {
    if (source.parent_path() == own / "runs") continue;  // the workspace itself lies below `from`
    try {
      merge.bring(source);
    } catch (const Error& error) {
      report.problems.push_back(fmt::format("{}: {}", source.string(), error.what()));
    } catch (const fs::filesystem_error& error) {
      report.problems.push_back(fmt::format("{}: {}", source.string(), error.code().message()));
    }
  }
  return report;
}

bool awaitsMore(const MergeReport& report, const fs::path& from) {
  const auto seen = std::ssize(report.added) + std::ssize(report.grown) + report.unchanged;
  std::error_code failed;
  std::int64_t tasks = 0;
  for (const auto& entry : fs::directory_iterator(from / "specs", failed))
    tasks += entry.path().extension() == ".yaml" ? 1 : 0;
  if (tasks > 0) return report.unfinished > 0 || seen < tasks;
  return report.running || seen == 0;
}

}  // namespace strata
