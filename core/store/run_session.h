#pragma once
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/run/events.h"
#include "core/store/jobs.h"
#include "core/store/run_lock.h"
#include "core/store/runs.h"
#include "core/store/workspace.h"

namespace spdlog::sinks {
class sink;
}

namespace strata {

// A command that a run's process has to carry out and acknowledge.
struct PendingCommand {
  std::int64_t id = 0;
  Command command = Command::kStop;
};

// Takes a run for this process before it reads the state to continue from, and closes in the run's
// log what a process that died left open. Throws if another process trains it, or it is in the
// trash.
RunLock takeRun(Workspace& workspace, std::int64_t run);

// The training of a run by the process that holds its lock: registers the process, sends
// heartbeats, receives commands, and writes the run's values to its folder and to the index about
// once per second on a separate thread. An index that cannot be written catches up later. Once
// another process has taken over the run, nothing more is written, and poll() and the writing
// functions throw RunTakenOver. All functions are thread-safe and none waits for the disk, except
// flush, checkpoint and end.
//
//   RunSession session(workspace, run.id, start);          // marks the run running
//   session.scalars(events);                               // and so on, from the trainer's sink
//   if (auto command = session.poll()) { ...; session.acknowledge(command->id, "saved at step 40");
//   } session.end({...});                                    // or the trainer through the sink
class RunSession {
 public:
  // `workspace` must outlive it. `start`: host, pid, process and, if 0, time are filled in. Series
  // beyond start.fromStep are truncated in the index. `lock`: of this run; empty: taken here.
  RunSession(Workspace& workspace, std::int64_t run, RunStart start,
             std::optional<RunLock> lock = {});
  // Without a preceding end(), the run becomes failed.
  ~RunSession();
  RunSession(const RunSession&) = delete;
  RunSession& operator=(const RunSession&) = delete;

  std::int64_t run() const { return run_; }
  const std::filesystem::path& folder() const { return folder_; }

  void scalars(const std::vector<ScalarEvent>& events);
  void sample(const SampleEvent& event);
  void checkpoint(const CheckpointEvent& event);  // durable when it returns
  void recording(const RecordingEvent& event);
  void histograms(const HistogramEvent& event);
  void end(const RunEndEvent& event);  // durable when it returns, and the lock is released; once
  bool ended() const;
  void flush();  // makes earlier values durable in the folder, and in the index

  // The oldest unacknowledged command; each is returned once. Costs a mutex: cheap enough for every
  // step. Commands arrive within about half a second.
  std::optional<PendingCommand> poll();
  void acknowledge(std::int64_t command, const std::string& outcome);

 private:
  class Impl;
  std::int64_t run_;
  std::filesystem::path folder_;
  std::unique_ptr<Impl> impl_;
};

// Copies the program's log (spdlog's default logger) to log.jsonl of a run's folder, one object per
// line: {"time", "level", "text"}, while it exists.
class RunLog {
 public:
  explicit RunLog(const std::filesystem::path& runFolder);
  ~RunLog();
  RunLog(const RunLog&) = delete;
  RunLog& operator=(const RunLog&) = delete;

 private:
  std::shared_ptr<spdlog::sinks::sink> sink_;
};

struct RunLogLine {
  double time = 0;    // seconds since the Unix epoch
  std::string level;  // "info", "warning", ...
  std::string text;
};
// The complete lines of log.jsonl from byte `offset` on; moves `offset` past them. A missing file
// has none; a line that RunLog did not write becomes the text of an "info" line.
std::vector<RunLogLine> readRunLog(const std::filesystem::path& runFolder, std::uint64_t& offset);

}  // namespace strata
