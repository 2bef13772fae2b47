#pragma once
#include <torch/torch.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/nn/translation_model.h"
#include "core/train/moving_average.h"
#include "core/train/optimizer.h"
#include "core/train/training_state.h"

namespace strata {

// A run's checkpoints: RUN/checkpoints/step-00012000/{config.json, model.safetensors,
// training.safetensors, manifest.json} and, if averages are kept, the model directory ema/. The
// manifest contains a digest of each file and one of itself; nothing is parsed before they are
// verified.
struct CheckpointInfo {
  std::filesystem::path folder;
  std::int64_t step = 0;
  std::map<std::string, double> scores;  // validation series of this step; empty: not scored
  bool pinned = false;                   // has a file named `pinned`: never removed
  std::string damage;                    // why the manifest cannot be used; empty: it can
};

// All of them, oldest first. Reads manifests only.
std::vector<CheckpointInfo> listCheckpoints(const std::filesystem::path& runFolder);

// Verifies the digest of every file. Empty if all match, else a sentence that names the file and
// the problem.
std::string damageOf(const std::filesystem::path& checkpointFolder);

// The checkpoint "last", "best" or a step of the run's folder. `metric` defines best ("valid/nll").
// Damage is an Error that names the file and the newest good checkpoint.
CheckpointInfo findCheckpoint(const std::filesystem::path& runFolder, const std::string& selector,
                              const std::string& metric);
// The best checkpoint, without verifying its files: the last if none was scored; none if there is
// no checkpoint.
std::optional<CheckpointInfo> bestCheckpoint(const std::filesystem::path& runFolder,
                                             const std::string& metric);
// The newest undamaged checkpoint; damaged ones are logged and skipped. An Error if none is good.
CheckpointInfo lastGoodCheckpoint(const std::filesystem::path& runFolder);

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

// Restores everything: parameters, moments, random generators and state. Throws an Error naming the
// damaged file and the previous good checkpoint.
TrainingState readCheckpoint(const std::filesystem::path& checkpointFolder, TranslationModel& model,
                             Optimizer& optimizer);
// Only the state, without tensors.
TrainingState readTrainingState(const std::filesystem::path& checkpointFolder);
// Whether a checkpoint has a moving average written by a version that stored the weights instead.
// Its manifest must be good.
bool averageIsInvalid(const std::filesystem::path& checkpointFolder);
// The folder of a checkpoint's moving average of the parameters; an Error if it has none or an
// invalid one.
std::filesystem::path averageFolder(const std::filesystem::path& checkpointFolder);
// Only the parameters, from a checkpoint or any model directory: names and shapes must match the
// model's. `what` names the purpose in errors.
void readParameters(const std::filesystem::path& modelFolder, TranslationModel& model);

struct Retention {
  int keepLast = 5, keepBest = 1;
  std::string metric = "valid/nll";
};
// Removes checkpoints that are neither among the newest keepLast, nor among the best keepBest, nor
// pinned.
void removeOldCheckpoints(const std::filesystem::path& runFolder, const Retention& retention);
// Whether a checkpoint taken now with these scores would be among the best `keepBest`.
bool wouldBeBest(const std::filesystem::path& runFolder,
                 const std::map<std::string, double>& scores, const Retention& retention);

}  // namespace strata
