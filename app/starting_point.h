#pragma once
#include <filesystem>
#include <optional>

#include "app/training_setup.h"
#include "core/store/workspace.h"

namespace strata {

// Initialises the model with the parameters that `training.from` names: a run of the workspace,
// optionally with @best, @last, @STEP and +ema, else the folder of a model or checkpoint. Returns
// that model's folder; empty, and nothing done, if the key is empty. Parameters of other shapes or
// of another vocabulary are errors that say what differs.
std::optional<std::filesystem::path> readStartingPoint(const TrainingSetup& setup,
                                                       Workspace& workspace,
                                                       TranslationModel& model);

}  // namespace strata
