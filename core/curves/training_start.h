#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace strata {

// What a log says before the figures of a training: several trainings may have written into one.
struct TrainingStart {
  bool seen = false;        // a program has begun
  std::string config = {};  // what it trains with, as far as it can be compared; empty: unknown
  bool loads = false;       // it continues from a checkpoint
  std::optional<std::int64_t> loadedStep = {};  // of the checkpoint, if the log says it
};

// What the figures after a start belong to.
enum class StartOf {
  kSameTraining,  // that is continued
  kAgain,         // the same training from the beginning
  kAnother        // a training of its own
};

// `step`: of the first update after the start. `firstStep`, `config`: of the training before.
StartOf startOf(const TrainingStart& start, std::int64_t step, std::int64_t firstStep,
                const std::string& config);

}  // namespace strata
