#include "core/curves/training_start.h"

namespace strata {

StartOf startOf(const TrainingStart& start, std::int64_t step, std::int64_t firstStep,
                const std::string& config) {
  if (!start.seen) return StartOf::kSameTraining;
  // A model may be loaded to be trained anew: its updates are counted from the beginning.
  const bool anew = !start.loads || step <= start.loadedStep.value_or(firstStep);
  if (!anew) return StartOf::kSameTraining;
  return !config.empty() && config == start.config ? StartOf::kAgain : StartOf::kAnother;
}

}  // namespace strata
