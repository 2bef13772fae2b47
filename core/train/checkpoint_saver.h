#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>

#include "core/run/checkpoint_files.h"
#include "core/run/events.h"
#include "core/run/experiment.h"
#include "core/train/checkpoint.h"
#include "core/train/training_state.h"

namespace strata {

// Writes a run's checkpoints, removes those that are no longer kept, and says when one is due.
class CheckpointSaver {
 public:
  using Clock = std::chrono::steady_clock;

  // The sink outlives the saver.
  CheckpointSaver(std::filesystem::path runFolder, CheckpointSpec when, std::int64_t runId,
                  EventSink& sink);

  // There is a checkpoint of this step, from which the run continues or which another process has
  // written.
  void savedAt(std::int64_t step, Clock::time_point now = Clock::now()) {
    savedStep_ = step;
    savedAt_ = now;
  }
  // The step of the newest checkpoint; -1: there is none.
  std::int64_t savedStep() const { return savedStep_; }

  // Whether one is due: by the numbers of updates and epochs, by the time since the last one, and
  // because the scores of this step are among the best (reads the run's folder).
  bool due(const TrainingState& state) const;
  bool dueByTime(Clock::time_point now = Clock::now()) const;
  bool dueByScores(const TrainingState& state) const;
  // All events so far are durable before the checkpoint appears.
  void save(const CheckpointContent& content);

 private:
  bool wouldBeAmongBest(const TrainingState& state, int best) const;

  std::filesystem::path runFolder_;
  CheckpointSpec when_;
  std::int64_t runId_;
  EventSink& sink_;
  std::int64_t savedStep_ = -1;
  Clock::time_point savedAt_ = Clock::now();  // at first the time at which the saver was made
};

}  // namespace strata
