#include "core/store/merge.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/base/copy_tree.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text_limits.h"
#include "core/run/checkpoint_files.h"
#include "core/store/database.h"
#include "core/store/event_log.h"
#include "core/store/index.h"
#include "core/store/left_out.h"
#include "core/store/merge_log.h"
#include "core/store/merge_origin.h"
#include "core/store/reaper.h"
#include "core/store/run_lock.h"
#include "core/store/runs.h"

namespace strata {
namespace {

constexpr const char* kRunLogFile = "log.jsonl";  // the training program's log
constexpr const char* kEnded = "ended";           // in a task's folder: its status, from its script
constexpr const char* kPartial = ".merging-";     // how a name begins until all of it is there
constexpr std::array kParts{"text", "checkpoints", "recordings", "outputs"};  // that are copied

using Known = std::map<std::string, std::pair<RunSummary, MergeOrigin>>;  // by source

Known mergedBefore(Workspace& workspace) {
  Known known;
  for (const RunSummary& run : listRuns(workspace, {.trashed = true})) {
    if (!fs::exists(run.folder / kMergeOrigin)) continue;
    const MergeOrigin origin = readOrigin(run.folder);
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

// Copies what is missing, each folder under another name until it is complete, and removes what it
// has brought before and the source removed, unless it was pinned here. Names that start with '.'
// are unfinished in the source.
void syncEntries(const fs::path& source, const fs::path& run, const std::string& part,
                 std::set<std::string>& brought) {
  const fs::path from = source / part, to = run / part;
  fs::create_directories(to);
  for (const auto& name : namesIn(to)) {
    if (name.starts_with(kPartial)) fs::remove_all(to / name);  // of a merge that was killed
  }
  for (const auto& name : namesIn(from)) {
    if (name.starts_with('.') || fs::exists(to / name)) continue;
    // Read now: what is removed here meanwhile is recorded before it is gone.
    if (leftOut(run, part).contains(name)) continue;
    const fs::path partial = to / (kPartial + name);
    copyTree(from / name, partial);
    moveDurably(partial, to / name);
    brought.insert(name);
  }
  std::erase_if(brought, [&](const std::string& name) {
    if (fs::exists(from / name)) return false;
    if (!isPinned(to / name)) fs::remove_all(to / name);
    return true;
  });
}

void syncFolders(const fs::path& from, const fs::path& to, MergeOrigin& origin) {
  for (const char* part : kParts) {
    // What was removed here, and may have been made here anew.
    for (const std::string& name : leftOut(to, part)) origin.brought[part].erase(name);
  }
  forgetLeftOut(to, from);
  for (const char* part : kParts) {
    if (!fs::is_directory(from / part)) continue;
    try {
      syncEntries(from, to, part, origin.brought[part]);
    } catch (const fs::filesystem_error& error) {
      // A checkpoint that was removed while being copied: left to the next merge.
      if (error.code() != std::errc::no_such_file_or_directory) throw;
    }
  }
}

void appendBytes(const fs::path& file, const std::string& bytes) {
  std::ofstream stream(file, std::ios::binary | std::ios::app);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  stream.flush();
  if (!stream) throw Error("cannot write {}", file.string());
  syncToDisk(file);
}

// Copies the program's new output; it may end within a line, whose rest comes later.
void mergeLog(const fs::path& source, const fs::path& to, MergeOrigin& origin) {
  std::error_code missing;
  const std::uint64_t end = fs::file_size(source / kRunLogFile, missing);
  if (missing || end <= origin.said) return;
  appendBytes(to / kRunLogFile, bytesBetween(source / kRunLogFile, origin.said, end));
  origin.said = end;
}

// Whether a merged run has since been trained here.
bool wasTrainedHere(const fs::path& folder, const MergeOrigin& origin) {
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
  Merge(Workspace& workspace, LogDigests& digests, MergeReport& report)
      : workspace_(workspace),
        digests_(digests),
        report_(report),
        known_(mergedBefore(workspace)) {}

  void mergeRun(const fs::path& source) {
    auto before = known_.find(source.string());
    std::string identity;  // of a run whose folder is new
    if (before == known_.end()) {
      identity = identityOf(eventLogOf(source));
      before = mergedFromElsewhere(identity);
    }
    if (before == known_.end()) {
      add(source, identity);
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
  // The same run as it was merged before its folder was moved. A copy of it is refused: both would
  // count, as if they were two.
  Known::iterator mergedFromElsewhere(const std::string& identity) {
    const auto same = std::ranges::find_if(known_, [&](const Known::value_type& each) {
      return !identity.empty() && each.second.second.identity == identity;
    });
    if (same != known_.end() && fs::exists(eventLogOf(same->first)))
      throw Error("it is a copy of {}, which is merged as '{}'", same->first,
                  same->second.first.name);
    return same;
  }

  // The part of the source's log before `end` is here.
  void noteMerged(const fs::path& log, std::uint64_t end, MergeOrigin& origin) {
    if (origin.identity.empty()) origin.identity = identityOf(log);
    origin.bytes = end;
    origin.digest = digests_.of(log, end);
  }

  // As far as it comes: what was copied is recorded even if the rest cannot be.
  static void sync(const fs::path& source, const fs::path& folder, MergeOrigin& origin) {
    const auto before = origin.brought;
    const auto save = [&] {
      if (origin.brought != before) writeOrigin(folder, origin);
    };
    try {
      syncFolders(source, folder, origin);
    } catch (...) {
      save();
      throw;
    }
    save();
  }

  void add(const fs::path& source, const std::string& identity) {
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
      MergeOrigin origin{.source = source.string(), .identity = identity, .here = end};
      noteMerged(eventLogOf(source), end, origin);
      mergeLog(source, partial, origin);
      writeOrigin(partial, origin);
      moveDurably(partial, workspace_.root() / relative);
      indexRun(workspace_, {next, relative});
      return next;
    });
    const RunSummary run = runById(workspace_, id);
    MergeOrigin origin = readOrigin(run.folder);
    sync(source, run.folder, origin);
    report_.added.push_back(run.name);
    known_[source.string()] = {run, origin};
    recordHeartbeat(source, id);
  }

  void grow(const fs::path& source, const RunSummary& run, MergeOrigin origin) {
    const fs::path theirs = eventLogOf(source), ours = eventLogOf(run.folder);
    const MergedLogs logs{theirs, ours, run.name, origin};
    requireContinuation(logs, digests_);
    const bool moved = std::exchange(origin.source, source.string()) != source.string();
    // Before the log, of which it is then the newest configuration or the one before.
    const std::string config = readFile(configFileOf(source));
    const std::uint64_t before = origin.bytes, end = scanLog(theirs, before).end;
    adoptAppended(logs, end);
    if (holderOf(run.folder) || wasTrainedHere(run.folder, origin)) {
      over_.insert(source);
      if (end > origin.bytes)
        throw Error("it was also continued here as '{}'; new data of the source is not merged",
                    run.name);
      ++report_.unchanged;
      return;
    }
    sync(source, run.folder, origin);
    if (end > before) {
      workspace_.database().write([&] {
        if (end > origin.bytes) appendBytes(ours, bytesBetween(theirs, origin.bytes, end));
        noteMerged(theirs, end, origin);
        origin.here = fs::file_size(ours);
        mergeLog(source, run.folder, origin);
        // A continued run may have another configuration.
        if (config != readFile(configFileOf(run.folder)))
          writeFileAtomic(configFileOf(run.folder), config);
        writeOrigin(run.folder, origin);
        indexRun(workspace_, {run.id, folderOfRun(workspace_, run.id)});
      });
      report_.grown.push_back(run.name);
    } else {
      if (moved || origin.identity.empty()) {  // the latter: merged by an earlier version
        noteMerged(theirs, end, origin);
        writeOrigin(run.folder, origin);
      }
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
  LogDigests& digests_;
  MergeReport& report_;
  Known known_;
  std::set<fs::path> over_;  // runs in the source that will not change any more
};

}  // namespace

MergeReport mergeRuns(Workspace& workspace, const fs::path& from) {
  LogDigests digests;
  return mergeRuns(workspace, from, digests);
}

MergeReport mergeRuns(Workspace& workspace, const fs::path& from, LogDigests& digests) {
  MergeReport report;
  const fs::path own = fs::canonical(workspace.root());
  const std::vector<SweepTask> tasks = tasksBelow(from);
  Merge merge(workspace, digests, report);
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
