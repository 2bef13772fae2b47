#include "core/store/run_session.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>

#include "core/base/error.h"
#include "core/store/database.h"
#include "core/store/event_log.h"
#include "core/store/index.h"
#include "core/store/process_id.h"
#include "core/store/reaper.h"

namespace strata {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPoll = std::chrono::milliseconds(250);
constexpr auto kFlush = std::chrono::seconds(1);
constexpr auto kBeat = std::chrono::seconds(5);

std::string_view nameOf(RunOutcome outcome) {
  switch (outcome) {
    case RunOutcome::kFinished:
      return "finished";
    case RunOutcome::kStopped:
      return "stopped";
    case RunOutcome::kPaused:
      return "paused";
    case RunOutcome::kFailed:
      return "failed";
  }
  return "failed";
}

Json startedEvent(const RunStart& start) {
  return {{"type", "started"},
          {"time", start.time},
          {"from_step", start.fromStep},
          {"job", start.job},
          {"program", start.program},
          {"libtorch", start.libtorch},
          {"device", start.device},
          {"threads", start.threads},
          {"command", start.command},
          {"dataset_digest", start.datasetDigest},
          {"source_vocabulary_digest", start.sourceVocabularyDigest},
          {"target_vocabulary_digest", start.targetVocabularyDigest},
          {"host", start.host},
          {"pid", start.pid},
          {"process", start.process}};
}

}  // namespace

class RunSession::Impl {
 public:
  Impl(Workspace& workspace, std::int64_t run, RunStart start) : workspace_(workspace), run_(run) {
    registerProcess(std::move(start));
    thread_ = std::thread([this] { work(); });
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }

  void add(const std::vector<ScalarEvent>& events) {
    const std::lock_guard lock(mutex_);
    scalars_.insert(scalars_.end(), events.begin(), events.end());
  }

  void add(const Json& event) {
    LogRecord record = eventRecord(event);
    const std::lock_guard lock(mutex_);
    packWaiting();
    records_.push_back(std::move(record));
  }

  void flush() {
    const std::lock_guard one(flushing_);
    std::vector<LogRecord> records;
    std::vector<std::pair<std::int64_t, std::string>> answers;
    {
      const std::lock_guard lock(mutex_);
      packWaiting();
      records.swap(records_);
      answers.swap(answers_);
    }
    try {
      write(records, answers);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      records_.insert(records_.begin(), std::make_move_iterator(records.begin()),
                      std::make_move_iterator(records.end()));
      answers_.insert(answers_.begin(), answers.begin(), answers.end());
      throw;
    }
  }

  void end(const RunEndEvent& event) {
    if (ended_.exchange(true)) return;
    add({{"type", "ended"},
         {"time", nowSeconds()},
         {"outcome", nameOf(event.outcome)},
         {"step", event.step},
         {"message", event.message}});
    flush();
    Database& database = workspace_.database();
    database.write([&] {
      Query(database, "DELETE FROM processes WHERE run = ?").with(run_).run();
      answerCommands(workspace_, run_,
                     std::string("the run ") + std::string(nameOf(event.outcome)));
    });
  }

  bool ended() const { return ended_; }

  std::optional<PendingCommand> poll() {
    const std::lock_guard lock(mutex_);
    if (commands_.empty()) return {};
    const PendingCommand command = commands_.front();
    commands_.pop_front();
    return command;
  }

  void acknowledge(std::int64_t command, const std::string& outcome) {
    {
      const std::lock_guard lock(mutex_);
      answers_.emplace_back(command, outcome);
      flushNow_ = true;
    }
    wake_.notify_all();
  }

 private:
  void registerProcess(RunStart start) {
    Database& database = workspace_.database();
    const ProcessId self = thisProcess();
    start.host = self.host;
    start.pid = self.pid;
    start.process = self.process;
    if (start.time <= 0) start.time = nowSeconds();
    database.write([&] {
      const RunSummary run = runById(workspace_, run_);
      if (run.trashed) throw usageError("the run '{}' is in the trash: restore it first", run.name);
      if (run.status == RunStatus::kRunning && isTrained(workspace_, run_)) {
        throw Error("the run '{}' is trained by another process already: stop that one first",
                    run.name);
      }
      Query(database,
            "INSERT OR REPLACE INTO processes (run, host, pid, process, heartbeat) VALUES (?, ?, "
            "?, ?, ?)")
          .with(run_, self.host, self.pid, self.process, nowSeconds())
          .run();
      appendToRun(workspace_, run_, startedEvent(start));
    });
  }

  // The caller holds mutex_. Scalars come before the event that follows them.
  void packWaiting() {
    if (scalars_.empty()) return;
    records_.push_back({RecordKind::kScalars, packScalars(scalars_)});
    scalars_.clear();
  }

  void write(const std::vector<LogRecord>& records,
             const std::vector<std::pair<std::int64_t, std::string>>& answers) {
    if (records.empty() && answers.empty()) return;
    Database& database = workspace_.database();
    database.write([&] {
      if (!records.empty()) appendToRun(workspace_, run_, records);
      for (const auto& [id, outcome] : answers) {
        Query(database,
              "UPDATE commands SET acknowledged = ?, outcome = ? WHERE id = ? AND acknowledged = 0")
            .with(nowSeconds(), outcome, id)
            .run();
      }
    });
  }

  void work() {
    auto nextFlush = Clock::now() + kFlush;
    auto nextBeat = Clock::now() + kBeat;
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      wake_.wait_for(lock, kPoll, [&] { return stopping_ || flushNow_; });
      if (stopping_) return;
      const bool flushes = std::exchange(flushNow_, false) || Clock::now() >= nextFlush;
      const bool beats = Clock::now() >= nextBeat;
      lock.unlock();
      try {
        receive();
        if (flushes) {
          nextFlush = Clock::now() + kFlush;
          flush();
        }
        if (beats) {
          nextBeat = Clock::now() + kBeat;
          beat();
        }
        failing_ = false;
      } catch (const std::exception& error) {
        // What could not be written waits; the log names the first failure of a row of them.
        if (!std::exchange(failing_, true))
          spdlog::error("the workspace cannot be written: {}. The values wait", error.what());
      }
      lock.lock();
    }
  }

  void receive() {
    std::vector<PendingCommand> found;
    {
      Query row(workspace_.database(),
                "SELECT id, command FROM commands WHERE run = ? AND acknowledged = 0 AND id > ? "
                "ORDER BY id");
      for (row.with(run_, lastCommand_); row.next();) {
        const std::string name = row.text(1);
        const Command command = name == strata::nameOf(Command::kStop)    ? Command::kStop
                                : name == strata::nameOf(Command::kPause) ? Command::kPause
                                                                          : Command::kCheckpoint;
        found.push_back({row.integer(0), command});
      }
    }
    if (found.empty()) return;
    lastCommand_ = found.back().id;
    const std::lock_guard lock(mutex_);
    commands_.insert(commands_.end(), found.begin(), found.end());
  }

  void beat() {
    Database& database = workspace_.database();
    database.write([&] {
      Query(database, "UPDATE processes SET heartbeat = ? WHERE run = ?")
          .with(nowSeconds(), run_)
          .run();
    });
  }

  Workspace& workspace_;
  const std::int64_t run_;
  std::mutex flushing_;  // taken before mutex_
  std::mutex mutex_;     // guards what follows up to `wake_`
  std::vector<ScalarEvent> scalars_;
  std::vector<LogRecord> records_;
  std::vector<std::pair<std::int64_t, std::string>> answers_;  // command, outcome
  std::deque<PendingCommand> commands_;
  bool stopping_ = false, flushNow_ = false;
  std::condition_variable wake_;
  std::int64_t lastCommand_ = 0;  // the thread's own
  bool failing_ = false;          // the thread's own
  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

RunSession::RunSession(Workspace& workspace, std::int64_t run, RunStart start)
    : run_(run),
      folder_(workspace.root() / folderOfRun(workspace, run)),
      impl_(std::make_unique<Impl>(workspace, run, std::move(start))) {}

RunSession::~RunSession() {
  try {
    if (!ended())
      end({.runId = run_, .outcome = RunOutcome::kFailed, .message = "ended without a result"});
  } catch (const std::exception& error) {
    spdlog::error("the end of run {} cannot be written: {}", run_, error.what());
  }
}

void RunSession::scalars(const std::vector<ScalarEvent>& events) {
  impl_->add(events);
}

void RunSession::sample(const SampleEvent& event) {
  impl_->add(Json{{"type", "sample"},
                  {"time", nowSeconds()},
                  {"set", event.set},
                  {"step", event.step},
                  {"sentence", event.sentence},
                  {"source", event.source},
                  {"reference", event.reference},
                  {"hypothesis", event.hypothesis}});
}

void RunSession::checkpoint(const CheckpointEvent& event) {
  impl_->add(Json{{"type", "checkpoint"},
                  {"time", nowSeconds()},
                  {"step", event.step},
                  {"folder", event.folder},
                  {"best", event.best}});
  impl_->flush();
}

void RunSession::recording(const RecordingEvent& event) {
  impl_->add(Json{{"type", "recording"},
                  {"time", nowSeconds()},
                  {"step", event.step},
                  {"folder", event.folder}});
}

void RunSession::end(const RunEndEvent& event) {
  impl_->end(event);
}
bool RunSession::ended() const {
  return impl_->ended();
}
void RunSession::flush() {
  impl_->flush();
}
std::optional<PendingCommand> RunSession::poll() {
  return impl_->poll();
}
void RunSession::acknowledge(std::int64_t command, const std::string& outcome) {
  impl_->acknowledge(command, outcome);
}

}  // namespace strata
