#pragma once
#include <filesystem>
#include <string>

#include "app/training_setup.h"

namespace strata {

std::string startingPointOf(const TrainingSetup& setup);  // training.from; empty: none

// Gives the model the parameters that `training.from` names: a model's or checkpoint's folder, or
// a run of the workspace with or without @best, @last, @STEP and +ema. Nothing where it is empty.
// Parameters that do not fit, or that were learnt for other words, are errors that say what
// differs.
void readStartingPoint(const TrainingSetup& setup, const std::filesystem::path& workspace,
                       TranslationModel& model);

}  // namespace strata
