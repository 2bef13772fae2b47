#pragma once
#include <torch/types.h>

#include <cstdint>
#include <filesystem>

#include "core/nn/translation_model.h"
#include "core/run/checkpoint_files.h"
#include "core/train/moving_average.h"
#include "core/train/optimizer.h"
#include "core/train/training_state.h"

namespace strata {

// The contents of a checkpoint.
struct CheckpointContent {
  const TranslationModel& model;
  const Optimizer& optimizer;
  const TrainingState& state;
  // saved as a separate model directory `ema` within the checkpoint; null: none
  const MovingAverage* average = nullptr;
};

// Size in bytes of the checkpoint, for the check of free space.
std::uintmax_t checkpointBytes(const TranslationModel& model);
// Writes it atomically: a temporary folder, every file and folder synced, then renamed. A
// checkpoint of the same step is replaced. Too little disk space is an Error that says how much is
// needed.
CheckpointInfo writeCheckpoint(const std::filesystem::path& runFolder,
                               const CheckpointContent& content);

// Restores everything: parameters, moments, random generators, the moving average if there is one
// (an invalid one restarts from the parameters), and the state, which is returned. Throws an Error
// naming the damaged file and the previous good checkpoint.
TrainingState readCheckpoint(const std::filesystem::path& checkpointFolder, TranslationModel& model,
                             Optimizer& optimizer, MovingAverage* average = nullptr);
// Only the state, without tensors.
TrainingState readTrainingState(const std::filesystem::path& checkpointFolder);
// Only the parameters, from a checkpoint or any model directory: names and shapes must match the
// model's. `what` names the purpose in errors.
void readParameters(const std::filesystem::path& modelFolder, TranslationModel& model);

}  // namespace strata
