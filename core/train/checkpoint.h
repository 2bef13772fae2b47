#pragma once
#include <torch/torch.h>

#include <cstdint>
#include <filesystem>

#include "core/nn/translation_model.h"
#include "core/run/checkpoint_files.h"
#include "core/train/moving_average.h"
#include "core/train/optimizer.h"
#include "core/train/training_state.h"

namespace strata {

// What a checkpoint is made of.
struct CheckpointContent {
  const TranslationModel& model;
  const Optimizer& optimizer;
  const TrainingState& state;
  // Its averages become a model directory of their own, `ema` within the checkpoint; null: none.
  const MovingAverage* average = nullptr;
};

// Bytes that writing one takes, for the check of free space.
std::uintmax_t checkpointBytes(const TranslationModel& model);
// Writes it whole or not at all: a temporary folder, every file and folder synced, then renamed. A
// checkpoint of the same step is replaced. Too little disk space is an Error that says how much is
// needed.
CheckpointInfo writeCheckpoint(const std::filesystem::path& runFolder,
                               const CheckpointContent& content);

// Takes everything back: parameters, moments, random generators and state. Throws an Error naming
// the damaged file and offering the previous checkpoint.
TrainingState readCheckpoint(const std::filesystem::path& checkpointFolder, TranslationModel& model,
                             Optimizer& optimizer);
// The state alone, without tensors.
TrainingState readTrainingState(const std::filesystem::path& checkpointFolder);
// Parameters alone, from a checkpoint or any model directory: names and shapes must be the model's.
// `what` names the reason in errors.
void readParameters(const std::filesystem::path& modelFolder, TranslationModel& model);

}  // namespace strata
