#include "core/store/merge.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <set>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text_limits.h"
#include "core/store/database.h"
#include "core/store/event_log.h"
#include "core/store/index.h"
#include "core/store/left_out.h"
#include "core/store/reaper.h"
#include "core/store/run_lock.h"
#include "core/store/runs.h"

namespace strata {
namespace {

constexpr const char* kRunLogFile = "log.jsonl";  // the training program's log
constexpr const char* kEnded = "ended";           // in a task's folder: its status, from its script

struct Origin {
  std::string source;       // absolute path
  std::uint64_t bytes = 0;  // length of the part of its log that has been merged
  std::uint64_t said = 0;   // bytes of its program's log that have been merged
  std::uint64_t here = 0;   // length of the log here after that; later bytes were written here
};

void writeOrigin(const fs::path& folder, const Origin& origin) {
  const Json json{{"source", origin.source},
                  {"log_bytes", origin.bytes},
                  {"said_bytes", origin.said},
                  {"here_bytes", origin.here}};
  writeFileAtomic(folder / kMergeOrigin, json.dump(2) + "\n");
}

Origin readOrigin(const fs::path& file) {
  const Json json = readJson(file);
  try {
    const std::uint64_t bytes = json.at("log_bytes");
    return {.source = json.at("source"),
            .bytes = bytes,
            .said = json.value("said_bytes", std::uint64_t{0}),
            .here = json.value("here_bytes", bytes)};
  } catch (const nlohmann::json::exception& error) {
    throw Error("{} does not say where a run came from: {}", file.string(), error.what());
  }
}

std::map<std::string, std::pair<RunSummary, Origin>> mergedBefore(Workspace& workspace) {
  std::map<std::string, std::pair<RunSummary, Origin>> known;
  for (const RunSummary& run : listRuns(workspace, {.trashed = true})) {
    const fs::path file = run.folder / kMergeOrigin;
    if (!fs::exists(file)) continue;
    const Origin origin = readOrigin(file);
    known[origin.source] = {run, origin};
  }
  return known;
}

void addRunsIn(const fs::path& folder, std::set<fs::path>& found) {
  for (const auto& name : namesIn(folder)) {
    if (runIdOf(name) && fs::exists(eventLogOf(folder / name)))
      found.insert(fs::canonical(folder / name));
  }
}

std::set<fs::path> runFoldersBelow(const fs::path& from) {
  if (!fs::is_directory(from)) throw usageError("{} is not a folder", from.string());
  std::set<fs::path> found;
  addRunsIn(from, found);
  addRunsIn(from / "runs", found);
  for (const auto& name : namesIn(from)) addRunsIn(from / name / "runs", found);
  return found;
}

// Copies what is missing, each folder under another name until it is complete, and removes what the
// source removed. Names that start with '.' are unfinished in the source.
void syncEntries(const fs::path& source, const fs::path& run, const std::string& part) {
  const fs::path from = source / part, to = run / part;
  fs::create_directories(to);
  for (const auto& name : namesIn(from)) {
    if (name.starts_with('.') || fs::exists(to / name)) continue;
    // Read now: what is removed here meanwhile is recorded before it is gone.
    if (leftOut(run, part).contains(name)) continue;
    const fs::path partial = to / (".merging-" + name);
    fs::remove_all(partial);
    fs::copy(from / name, partial, fs::copy_options::recursive);
    fs::rename(partial, to / name);
  }
  for (const auto& name : namesIn(to)) {
    if (!name.starts_with('.') && !fs::exists(from / name)) fs::remove_all(to / name);
  }
}

void syncFolders(const fs::path& from, const fs::path& to) {
  forgetLeftOut(to, from);
  for (const char* part : {"text", "checkpoints", "recordings", "outputs"}) {
    if (!fs::is_directory(from / part)) continue;
    try {
      syncEntries(from, to, part);
    } catch (const fs::filesystem_error& error) {
      // A checkpoint that was removed while being copied: left to the next merge.
      if (error.code() != std::errc::no_such_file_or_directory) throw;
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

// Copies the program's new output; it may end within a line, whose rest comes later.
void mergeLog(const fs::path& source, const fs::path& to, Origin& origin) {
  std::error_code missing;
  const std::uint64_t end = fs::file_size(source / kRunLogFile, missing);
  if (missing || end <= origin.said) return;
  appendBytes(to / kRunLogFile, bytesBetween(source / kRunLogFile, origin.said, end));
  origin.said = end;
}

// Whether a merged run has since been trained here.
bool wasTrainedHere(const fs::path& folder, const Origin& origin) {
  bool started = false;
  scanLog(eventLogOf(folder), origin.here, [&](RecordKind kind, std::string_view payload) {
    if (kind != RecordKind::kEvent) return;
    const Json event = tryParseJson(payload).value_or(nullptr);
    started |= event.is_object() && event.value("type", Json()) == "started";
  });
  return started;
}

// A task of a sweep's array. Its script leaves a status if it ended by itself.
struct SweepTask {
  fs::path folder;
  std::optional<std::string> ended;
};

std::vector<SweepTask> tasksBelow(const fs::path& from) {
  std::vector<SweepTask> tasks;
  for (const fs::path name : namesIn(from / "specs")) {
    if (name.extension() != ".yaml") continue;
    SweepTask task{.folder = from / ("task-" + name.stem().string()), .ended = {}};
    std::ifstream ended(task.folder / kEnded);
    if (std::string status; ended >> status) task.ended = status;
    tasks.push_back(task);
  }
  return tasks;
}

class Merge {
 public:
  Merge(Workspace& workspace, MergeReport& report)
      : workspace_(workspace), report_(report), known_(mergedBefore(workspace)) {}

  void mergeRun(const fs::path& source) {
    const auto before = known_.find(source.string());
    if (before == known_.end()) {
      add(source);
    } else if (!before->second.first.trashed) {
      grow(source, before->second.first, before->second.second);
    } else {
      over_.insert(source);
    }
  }

  // Called after merging the runs; `tasks` from before, so that tasks that ended then were read
  // completely.
  void judge(const std::vector<SweepTask>& tasks) {
    report_.tasks = std::ssize(tasks);
    for (const SweepTask& task : tasks) {
      const std::string name = task.folder.filename().string();
      if (task.ended) {
        if (*task.ended != "0")
          report_.failed.push_back(
              fmt::format("{} ended with status {}; see its log", name, *task.ended));
      } else if (!hasOverRun(task.folder)) {
        report_.waiting.push_back(name);
      }
    }
  }

 private:
  void add(const fs::path& source) {
    Database& database = workspace_.database();
    const std::int64_t id = database.write([&] {
      const std::int64_t next = nextRunId(workspace_);
      const std::string name = source.filename().string();
      const std::string relative = fmt::format("runs/{}-{}", next, name.substr(name.find('-') + 1));
      const fs::path partial = workspace_.runsFolder() / (".merging-" + name);
      fs::remove_all(partial);
      fs::create_directories(partial);
      fs::copy_file(configFileOf(source), configFileOf(partial));
      const std::uint64_t end = scanLog(eventLogOf(source), 0).end;  // of its complete records
      writeFileAtomic(eventLogOf(partial), bytesBetween(eventLogOf(source), 0, end));
      Origin origin{.source = source.string(), .bytes = end, .here = end};
      mergeLog(source, partial, origin);
      writeOrigin(partial, origin);
      fs::rename(partial, workspace_.root() / relative);
      indexRun(workspace_, {next, relative});
      return next;
    });
    const RunSummary run = runById(workspace_, id);
    syncFolders(source, run.folder);
    report_.added.push_back(run.name);
    recordHeartbeat(source, id);
  }

  void grow(const fs::path& source, const RunSummary& run, Origin origin) {
    const std::uint64_t end = scanLog(eventLogOf(source), origin.bytes).end;
    if (holderOf(run.folder) || wasTrainedHere(run.folder, origin)) {
      over_.insert(source);
      if (end > origin.bytes)
        throw Error("it was also continued here as '{}'; new data of the source is not merged",
                    run.name);
      ++report_.unchanged;
      return;
    }
    syncFolders(source, run.folder);
    if (end > origin.bytes) {
      workspace_.database().write([&] {
        appendBytes(eventLogOf(run.folder), bytesBetween(eventLogOf(source), origin.bytes, end));
        origin.bytes = end;
        origin.here = fs::file_size(eventLogOf(run.folder));
        mergeLog(source, run.folder, origin);
        // A continued run may have another configuration.
        const std::string config = readFile(configFileOf(source));
        if (config != readFile(configFileOf(run.folder)))
          writeFileAtomic(configFileOf(run.folder), config);
        writeOrigin(run.folder, origin);
        indexRun(workspace_, {run.id, folderOfRun(workspace_, run.id)});
      });
      report_.grown.push_back(run.name);
    } else {
      ++report_.unchanged;
    }
    recordHeartbeat(source, run.id);
  }

  bool hasOverRun(const fs::path& task) const {
    std::error_code failed;
    const fs::path runs = fs::canonical(task, failed) / "runs";
    return std::ranges::any_of(over_,
                               [&](const fs::path& run) { return run.parent_path() == runs; });
  }

  // A run that trains elsewhere counts as alive as long as its log grows.
  void recordHeartbeat(const fs::path& source, std::int64_t id) {
    const RunSummary run = runById(workspace_, id);
    if (run.status == RunStatus::kFinished || run.status == RunStatus::kFailed)
      over_.insert(source);
    const bool held = holderOf(source).has_value();
    if (run.status != RunStatus::kRunning && !(held && run.status == RunStatus::kInterrupted))
      return;
    report_.running = true;
    const auto starts = runStarts(workspace_, id);
    if (starts.empty()) return;
    const auto age = fs::file_time_type::clock::now() - fs::last_write_time(eventLogOf(source));
    const double silent = held ? 0 : std::chrono::duration<double>(age).count();
    const RunStart& last = starts.back();
    registerProcess(workspace_, id, {last.host, last.pid, last.process}, nowSeconds() - silent);
  }

  Workspace& workspace_;
  MergeReport& report_;
  std::map<std::string, std::pair<RunSummary, Origin>> known_;
  std::set<fs::path> over_;  // runs in the source that will not change any more
};

}  // namespace

MergeReport mergeRuns(Workspace& workspace, const fs::path& from) {
  MergeReport report;
  const fs::path own = fs::canonical(workspace.root());
  const std::vector<SweepTask> tasks = tasksBelow(from);
  Merge merge(workspace, report);
  for (const fs::path& source : runFoldersBelow(from)) {
    if (source.parent_path() == own / "runs") continue;  // this workspace itself is below `from`
    try {
      merge.mergeRun(source);
    } catch (const Error& error) {
      report.problems.push_back(fmt::format("{}: {}", source.string(), error.what()));
    } catch (const fs::filesystem_error& error) {
      report.problems.push_back(fmt::format("{}: {}", source.string(), error.code().message()));
    }
  }
  merge.judge(tasks);
  return report;
}

bool awaitsMore(const MergeReport& report) {
  if (report.tasks > 0) return !report.waiting.empty();
  return report.running || (report.added.empty() && report.grown.empty() && report.unchanged == 0);
}

}  // namespace strata
