#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/histogram.h"

namespace strata {

// One point of a series.
struct ScalarPoint {
  std::int64_t step = 0;
  double wallTime = 0;  // seconds since the Unix epoch, to the microsecond
  double value = 0;     // may be NaN or infinite
};

// A point that training emits. `name` is as in the panels: "train/loss", "valid/nll",
// "grad_norm/encoder.layers.0".
struct ScalarEvent {
  std::int64_t runId = 0;
  std::string name;
  std::int64_t step = 0;
  double value = 0;
  double wallTime = 0;  // seconds since the Unix epoch
};

// A sentence translated during validation, to show how its translation changes over training.
struct SampleEvent {
  std::int64_t runId = 0;
  std::string set;  // "valid"
  std::int64_t step = 0, sentence = 0;
  std::string source, reference, hypothesis;
};

struct CheckpointEvent {
  std::int64_t runId = 0;
  std::int64_t step = 0;
  std::string folder;  // relative to the run's folder
  bool best = false;
};

// Recordings of internals written below recordings/step-N of the run's folder.
struct RecordingEvent {
  std::int64_t runId = 0;
  std::int64_t step = 0;
  std::string folder;
};

enum class RunOutcome { kFinished, kStopped, kPaused, kFailed, kInterrupted };
inline std::string_view outcomeName(RunOutcome outcome) {
  constexpr std::string_view kNames[] = {"finished", "stopped", "paused", "failed", "interrupted"};
  return kNames[static_cast<std::size_t>(outcome)];
}

struct RunEndEvent {
  std::int64_t runId = 0;
  std::int64_t step = 0;
  RunOutcome outcome = RunOutcome::kFinished;
  std::string message;    // why it failed or was stopped; empty otherwise
  bool diverged = false;  // it failed because the loss or a gradient was not finite
};

// Receives the trainer's values: the workspace, the console, a test. Called on the trainer's
// thread, between steps; an implementation buffers rather than blocks. The trainer knows neither
// SQLite nor Qt.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void scalars(const std::vector<ScalarEvent>& events) = 0;
  virtual void sample(const SampleEvent&) {}
  // Called before a checkpoint appears: all events so far must be durable when it returns, so that
  // a run continued from the checkpoint has its full history. Throws on failure.
  virtual void flush() {}
  virtual void checkpoint(const CheckpointEvent&) {}
  virtual void recording(const RecordingEvent&) {}
  virtual void histograms(const HistogramEvent&) {}
  virtual void ended(const RunEndEvent&) {}
};

}  // namespace strata
