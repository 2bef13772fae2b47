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

  // The run continues from a checkpoint of this step.
  void resumedAt(std::int64_t step) { savedStep_ = step; }
  // The step of the newest checkpoint; -1: there is none.
  std::int64_t savedStep() const { return savedStep_; }

  // Call after an update, and after the validation that may have followed it.
  bool due(const TrainingState& state, Clock::time_point now = Clock::now()) const;
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
