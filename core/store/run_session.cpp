#include "core/store/run_session.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/store/database.h"
#include "core/store/event_log.h"
#include "core/store/histograms.h"
#include "core/store/index.h"
#include "core/store/process_id.h"
#include "core/store/reaper.h"

namespace strata {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPoll = std::chrono::milliseconds(250);
constexpr auto kFlush = std::chrono::seconds(1);
constexpr auto kBeat = std::chrono::seconds(5);

Json startedEvent(const RunStart& start) {
  Json event = toJson(start);
  event.update({{"type", "started"}, {"job", start.job}, {"process", start.process}});
  return event;
}

}  // namespace

class RunSession::Impl {
 public:
  Impl(Workspace& workspace, std::int64_t run, RunStart start, std::optional<RunLock> lock)
      : workspace_(workspace),
        place_{run, folderOfRun(workspace, run)},
        log_(eventLogOf(workspace.root() / place_.folder)),
        lock_(lock ? std::move(*lock) : takeRun(workspace, run)) {
    begin(std::move(start));
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

  // An event of now.
  void add(std::string_view type, const Json& fields) {
    Json event{{"type", type}, {"time", countedSeconds()}};
    event.update(fields);
    add(eventRecord(event));
  }

  void add(LogRecord record) {
    const std::lock_guard lock(mutex_);
    packWaiting();
    records_.push_back(std::move(record));
  }

  void flush() {
    const std::lock_guard one(writing_);
    writeLog();
    writeIndex();
  }

  void end(const RunEndEvent& event) {
    if (ended_.exchange(true) || lost_) return;
    add("ended", {{"outcome", outcomeName(event.outcome)},
                  {"step", event.step},
                  {"message", event.message},
                  {"diverged", event.diverged}});
    const std::lock_guard one(writing_);
    writeLog();
    writeIndex();
    guarded([&] {
      workspace_.database().write([&] {
        forgetProcess(workspace_, place_.id, fmt::format("the run {}", outcomeName(event.outcome)));
      });
    });
    lock_.release();
  }

  bool ended() const { return ended_; }

  std::optional<PendingCommand> poll() {
    const std::lock_guard lock(mutex_);
    if (lost_) throw RunTakenOver(loss_);
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
  using Answers = std::vector<std::pair<std::int64_t, std::string>>;  // command, outcome

  void begin(RunStart start) {
    const ProcessId self = thisProcess();
    start.host = self.host;
    start.pid = self.pid;
    start.process = self.process;
    if (start.time <= 0) start.time = countedSeconds();
    const LogRecord record = eventRecord(startedEvent(start));
    workspace_.database().write([&] {
      registerProcess(workspace_, place_.id, self, nowSeconds());
      knownGood_ = indexRun(workspace_, place_).end;
      knownGood_ = appendRecords(log_, {record}, fenced());
      indexRun(workspace_, place_);
    });
  }

  // The caller holds mutex_. Scalars are written before the event that follows them.
  void packWaiting() {
    if (scalars_.empty()) return;
    records_.push_back({RecordKind::kScalars, packScalars(scalars_)});
    scalars_.clear();
  }

  AppendOptions fenced() {
    return {.knownGood = knownGood_, .fence = [this] { checkLock(); }};
  }

  void checkLock() {
    try {
      lock_.check();
    } catch (const RunTakenOver& taken) {
      const std::lock_guard lock(mutex_);
      loss_ = taken.what();
      lost_ = true;
      throw;
    }
  }

  // The caller holds writing_, here and in the next three functions. Failed writes are retried
  // later.
  void writeLog() {
    std::vector<LogRecord> records;
    {
      const std::lock_guard lock(mutex_);
      if (lost_) throw RunTakenOver(loss_);
      packWaiting();
      records.swap(records_);
    }
    if (records.empty()) return checkLock();
    try {
      knownGood_ = appendRecords(log_, records, fenced());
      indexLags_ = true;
    } catch (...) {
      const std::lock_guard lock(mutex_);
      records_.insert(records_.begin(), std::make_move_iterator(records.begin()),
                      std::make_move_iterator(records.end()));
      throw;
    }
  }

  // The log is complete: an index that cannot be written catches up later.
  void writeIndex() {
    Answers answers;
    {
      const std::lock_guard lock(mutex_);
      answers.swap(answers_);
    }
    if (!indexLags_ && answers.empty()) return;
    const bool written = guarded([&] {
      workspace_.database().write([&] {
        indexRun(workspace_, place_);
        for (const auto& [id, outcome] : answers) answer(id, outcome);
      });
    });
    indexLags_ = !written;
    if (written) return;
    const std::lock_guard lock(mutex_);
    answers_.insert(answers_.begin(), answers.begin(), answers.end());
  }

  void answer(std::int64_t command, const std::string& outcome) {
    change(workspace_.database(),
           "UPDATE commands SET acknowledged = ?, outcome = ? WHERE id = ? AND acknowledged = 0",
           nowSeconds(), outcome, command);
  }

  // False: the index could not be written; only the first of consecutive failures is logged.
  bool guarded(const std::function<void()>& task) {
    try {
      task();
      return !(indexFails_ = false);
    } catch (const Error& error) {
      if (!std::exchange(indexFails_, true))
        spdlog::warn("{}. The run's folder is complete; the index is updated later", error.what());
      return false;
    }
  }

  void work() {
    auto nextFlush = Clock::now() + kFlush;
    auto nextBeat = Clock::now() + kBeat;
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      wake_.wait_for(lock, kPoll, [&] { return stopping_ || flushNow_ || ended_; });
      if (stopping_ || ended_ || lost_) return;
      const bool flushes = std::exchange(flushNow_, false) || Clock::now() >= nextFlush;
      const bool beats = Clock::now() >= nextBeat;
      if (flushes) nextFlush = Clock::now() + kFlush;
      if (beats) nextBeat = Clock::now() + kBeat;
      lock.unlock();
      look(flushes, beats);
      lock.lock();
    }
  }

  void look(bool flushes, bool beats) {
    const std::lock_guard one(writing_);
    if (ended_) return;
    try {
      checkLock();
      if (flushes) writeLog();
      if (flushes) writeIndex();
      guarded([&] { receive(); });
      if (beats) beat();
      failing_ = false;
    } catch (const RunTakenOver& taken) {
      spdlog::error("{}", taken.what());
    } catch (const std::exception& error) {
      // Failed writes are retried later; only the first of consecutive failures is logged.
      if (!std::exchange(failing_, true))
        spdlog::error("the run's folder cannot be written: {}. The values are kept and retried",
                      error.what());
    }
  }

  void receive() {
    Query rows(workspace_.database(),
               "SELECT id, command FROM commands WHERE run = ? AND acknowledged = 0 AND id > ? "
               "ORDER BY id",
               place_.id, lastCommand_);
    const auto found = rows.all([](Query& row) {
      return PendingCommand{row.integer(0), commandFrom(row.text(1))};
    });
    if (found.empty()) return;
    lastCommand_ = found.back().id;
    const std::lock_guard lock(mutex_);
    commands_.insert(commands_.end(), found.begin(), found.end());
  }

  void beat() {
    lock_.beat();
    guarded([&] {
      workspace_.database().write(
          [&] { registerProcess(workspace_, place_.id, thisProcess(), nowSeconds()); });
    });
  }

  Workspace& workspace_;
  const RunPlace place_;
  const fs::path log_;
  RunLock lock_;
  std::mutex writing_;  // taken before mutex_; guards the members up to mutex_
  std::uint64_t knownGood_ = 0;
  bool indexLags_ = false, indexFails_ = false, failing_ = false;
  std::int64_t lastCommand_ = 0;
  std::mutex mutex_;  // guards the members up to `wake_`
  std::vector<ScalarEvent> scalars_;
  std::vector<LogRecord> records_;
  Answers answers_;
  std::deque<PendingCommand> commands_;
  bool stopping_ = false, flushNow_ = false;
  std::string loss_;  // why this process no longer owns the run
  std::condition_variable wake_;
  std::atomic<bool> ended_ = false, lost_ = false;
  std::thread thread_;
};

RunSession::RunSession(Workspace& workspace, std::int64_t run, RunStart start,
                       std::optional<RunLock> lock)
    : run_(run),
      folder_(workspace.root() / folderOfRun(workspace, run)),
      impl_(std::make_unique<Impl>(workspace, run, std::move(start), std::move(lock))) {}

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
  impl_->add("sample", {{"set", event.set},
                        {"step", event.step},
                        {"sentence", event.sentence},
                        {"source", event.source},
                        {"reference", event.reference},
                        {"hypothesis", event.hypothesis}});
}

void RunSession::checkpoint(const CheckpointEvent& event) {
  impl_->add("checkpoint", {{"step", event.step}, {"folder", event.folder}, {"best", event.best}});
  impl_->flush();
}

void RunSession::recording(const RecordingEvent& event) {
  impl_->add("recording", {{"step", event.step}, {"folder", event.folder}});
}

void RunSession::histograms(const HistogramEvent& event) {
  impl_->add({RecordKind::kHistograms, packHistograms(event)});
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
