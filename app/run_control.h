#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/console_sink.h"
#include "app/training_setup.h"
#include "core/store/divergence.h"
#include "core/store/run_session.h"
#include "core/store/runs.h"
#include "core/train/trainer.h"

namespace strata {

// During its lifetime the first SIGTERM, SIGINT or SIGHUP (a lost connection) makes the trainer
// save and stop at the end of the step; a second SIGTERM or SIGINT exits at once with status 128 +
// its number. A second SIGHUP does not, since terminal and shell both send one; an ignored SIGHUP
// (nohup, a worker's child) stays ignored. Only one instance at a time.
class SignalGuard {
 public:
  SignalGuard();
  ~SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

 private:
  void (*term_)(int);
  void (*interrupt_)(int);
  void (*hangup_)(int);
};
int stopSignal();  // the first signal received; 0: none

// Stop and pause requests for the trainer: signals first, then commands from the workspace.
class RunControl : public TrainControl {
 public:
  RunControl(RunSession& session, ConsoleSink& console) : session_(session), console_(console) {}
  TrainCommand poll() override;
  void done(TrainCommand command, const std::string& outcome) override;

 private:
  RunSession& session_;
  ConsoleSink& console_;
  std::optional<PendingCommand> pending_;
  bool polled_ = false;
};

// Passes every event to the workspace and the console, counts every evaluation on a test set, and
// warns of divergence.
class RunSink : public EventSink {
 public:
  RunSink(Workspace& workspace, RunSession& session, ConsoleSink& console,
          const TrainingSetup& setup)
      : workspace_(workspace),
        session_(session),
        console_(console),
        setup_(setup),
        name_(runById(workspace, session.run()).name),
        divergence_(setup.text->vocabulary(Side::kTarget).size()) {}
  void scalars(const std::vector<ScalarEvent>& events) override;
  void sample(const SampleEvent& event) override { session_.sample(event); }
  void flush() override { session_.flush(); }
  void checkpoint(const CheckpointEvent& event) override;
  void recording(const RecordingEvent& event) override { session_.recording(event); }
  void histograms(const HistogramEvent& event) override { session_.histograms(event); }
  void ended(const RunEndEvent& event) override;

 private:
  void countLook(const std::string& set, const std::vector<ScalarEvent>& events);
  void warnIfDiverging(const std::vector<ScalarEvent>& events);

  Workspace& workspace_;
  RunSession& session_;
  ConsoleSink& console_;
  const TrainingSetup& setup_;
  std::string name_;  // of the run
  DivergenceWatch divergence_;
};

}  // namespace strata
