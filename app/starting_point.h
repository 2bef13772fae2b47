#pragma once
#include <filesystem>
#include <string>

#include "app/training_setup.h"

namespace strata {

// Initialises the model with the parameters that `training.from` names: a model's or checkpoint's
// folder, or a run of the workspace, optionally with @best, @last, @STEP and +ema. Does nothing if
// it is empty. Parameters of other shapes or of another vocabulary are errors that say what
// differs.
void readStartingPoint(const TrainingSetup& setup, const std::filesystem::path& workspace,
                       TranslationModel& model);

}  // namespace strata
