// Decisions between two updates: functions of configuration and state only.
#pragma once
#include <string>

#include "core/run/experiment.h"
#include "core/train/schedule.h"
#include "core/train/training_state.h"

namespace strata {

// The phase that the state is in.
const PhaseSpec& phaseOf(const TrainingSpec& training, const TrainingState& state);

// The limit at which training ends here, as a message; empty: none has been reached. `schedule`: of
// the state's phase, here and below.
std::string limitReached(const ExperimentSpec& spec, const Schedule& schedule,
                         const TrainingState& state);

// Call after an update.
bool validationDue(const ValidationSpec& when, const TrainingState& state);

// Early stopping and the plateau schedule take note of the newest validation scores. A usage error
// if the series that one of them watches is missing.
void observeScores(const ExperimentSpec& spec, const Schedule& schedule, TrainingState& state);

}  // namespace strata
