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
// training.safetensors, manifest.json} and ema/, a model directory, where averages are kept. The
// manifest holds a digest of each file and one of itself; nothing is parsed before they agree.
struct CheckpointInfo {
  std::filesystem::path folder;
  std::int64_t step = 0;
  std::map<std::string, double> scores;  // validation series taken at this step; empty: none were
  bool pinned = false;                   // holds a file named `pinned`: never removed
  std::string damage;                    // why the manifest cannot be used; empty: it can
};

// All of them, the oldest first. Reads manifests only.
std::vector<CheckpointInfo> listCheckpoints(const std::filesystem::path& runFolder);

// Compares every file with its digest. Empty when all agree, else a sentence that names the file
// and what is wrong.
std::string damageOf(const std::filesystem::path& checkpointFolder);

// "last", "best" or a step, in the run's folder. `metric` is what best means ("valid/nll"). Damage
// is an Error that names the file and offers the newest good checkpoint.
CheckpointInfo findCheckpoint(const std::filesystem::path& runFolder, const std::string& selector,
                              const std::string& metric);
// What "best" means without a look at its files: the last where none was scored; none where there
// is no checkpoint.
std::optional<CheckpointInfo> bestCheckpoint(const std::filesystem::path& runFolder,
                                             const std::string& metric);
// The newest checkpoint without damage; damaged ones are named in the log and passed over. An Error
// when none is good.
CheckpointInfo lastGoodCheckpoint(const std::filesystem::path& runFolder);

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
// Whether a checkpoint keeps a moving average made by a version that kept the weights in its place.
// Its manifest must be good.
bool averageIsVoid(const std::filesystem::path& checkpointFolder);
// Where a checkpoint keeps the moving average of its parameters; an Error that says so where it has
// none or where that is void.
std::filesystem::path averageFolder(const std::filesystem::path& checkpointFolder);
// Parameters alone, from a checkpoint or any model directory: names and shapes must be the model's.
// `what` names the reason in errors.
void readParameters(const std::filesystem::path& modelFolder, TranslationModel& model);

struct Retention {
  int keepLast = 5, keepBest = 1;
  std::string metric = "valid/nll";
};
// Removes what is neither among the newest keepLast, nor among the best keepBest, nor pinned.
void removeOldCheckpoints(const std::filesystem::path& runFolder, const Retention& retention);
// Whether a checkpoint taken now with these scores would be among the best `keepBest`.
bool wouldBeBest(const std::filesystem::path& runFolder,
                 const std::map<std::string, double>& scores, const Retention& retention);

}  // namespace strata
