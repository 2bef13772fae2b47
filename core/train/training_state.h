#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/data/batcher.h"
#include "core/train/schedule.h"

namespace strata {

// Sums since the last scalars were emitted; part of the state, so that a resumed run has the same
// curve.
struct RunningSums {
  double nll = 0, loss = 0, errors = 0;  // summed over target tokens
  std::int64_t tokens = 0;               // target tokens, </s> included
  std::int64_t errorTokens = 0;          // of batches whose errors were counted
  std::int64_t real = 0, padded = 0;     // positions of both sides
  std::int64_t updates = 0, clipped = 0;
};

// Everything that a resumed run needs besides parameters, moments and the random generators'
// states. Anything not in here is lost on resuming.
struct TrainingState {
  // The number of processes that began the run. An update has training.accumulate batches for each
  // of them, however many train it now.
  std::int64_t processes = 1;
  std::int64_t step = 0;        // updates done
  std::int64_t batches = 0;     // batches seen; keys dropout
  std::int64_t tokens = 0;      // target tokens seen, </s> included
  double seconds = 0;           // time spent training
  std::int64_t epoch = 0;       // epochs completed
  BatchPosition position;       // the next batch
  std::int64_t phase = 0;       // index of the phase
  std::int64_t phaseStep = 0;   // updates done in the phase: the schedule's t
  std::int64_t phaseEpoch = 0;  // epochs completed in the phase
  ScheduleState schedule;
  std::optional<double> bestEarly;       // best value of early stopping's metric
  std::int64_t earlyFailures = 0;        // validations since then
  std::map<std::string, double> scores;  // the newest value of every validation series
  std::int64_t scoresStep = -1;          // the update at which they were computed
  std::int64_t rollbacks = 0;  // number of times the parameters were restored from a checkpoint
  RunningSums sums;

  // The next batch is the first of its epoch.
  bool betweenEpochs() const { return position.batch == 0; }
};

Json toJson(const TrainingState& state);
TrainingState trainingStateFrom(const Json& json);

}  // namespace strata
