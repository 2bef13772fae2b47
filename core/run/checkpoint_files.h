// A run's checkpoints as files: lists, ranks, verifies and removes them. Does not read or write
// tensors; core/train does.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace strata {

// Names within a checkpoint's folder.
inline constexpr const char* kManifestFile = "manifest.json";
inline constexpr const char* kConfigFile = "config.json";
inline constexpr const char* kModelFile = "model.safetensors";
inline constexpr const char* kTrainingFile = "training.safetensors";
inline constexpr const char* kAverageFolder = "ema";

std::filesystem::path checkpointsFolder(const std::filesystem::path& runFolder);
std::string checkpointName(std::int64_t step);  // the folder's name: "step-00012000"

// A run's checkpoints: RUN/checkpoints/step-00012000/{config.json, model.safetensors,
// training.safetensors, manifest.json} and, if averages are kept, the model directory ema/. The
// manifest contains a digest of each file and one of itself; nothing is parsed before they are
// verified.
struct CheckpointInfo {
  std::filesystem::path folder;
  std::int64_t step = 0;
  std::map<std::string, double> scores;  // validation series of this step; empty: not scored
  bool pinned = false;                   // has a file named `pinned`: never removed
  std::string damage;                    // why the manifest cannot be used; empty if it can
};

// Reads one checkpoint's manifest only.
CheckpointInfo readCheckpointInfo(const std::filesystem::path& checkpointFolder);
// All checkpoints of a run, oldest first. Reads manifests only.
std::vector<CheckpointInfo> listCheckpoints(const std::filesystem::path& runFolder);
// Those with a value of `metric`, best first; of equal ones the later first: it is trained longer,
// and an untrained model may score 0 as a bad one does.
std::vector<CheckpointInfo> rankedCheckpoints(std::vector<CheckpointInfo> checkpoints,
                                              const std::string& metric);

// Verifies the digest of every file. Returns an empty string if all match, else a sentence that
// names the file and the problem.
std::string damageOf(const std::filesystem::path& checkpointFolder);

// The checkpoint "last", "best" or a step of the run's folder. `metric` defines best ("valid/nll").
// Damage is an Error that names the file and the newest good checkpoint.
CheckpointInfo findCheckpoint(const std::filesystem::path& runFolder, const std::string& selector,
                              const std::string& metric);
// Names in the log the checkpoints whose scores cannot be read, and which therefore count as none.
void warnOfDamaged(const std::vector<CheckpointInfo>& checkpoints);
// The best checkpoint, without verifying its files: the last if none was scored; none if there is
// no checkpoint.
std::optional<CheckpointInfo> bestCheckpoint(const std::filesystem::path& runFolder,
                                             const std::string& metric);
// The newest undamaged checkpoint; damaged ones are logged and skipped. An Error if all are
// damaged.
CheckpointInfo lastGoodCheckpoint(const std::filesystem::path& runFolder);

// Throws an Error with damageOf's text, if any, and the run's newest good checkpoint.
void requireGoodCheckpoint(const std::filesystem::path& checkpointFolder);

// The training progress that a manifest stores.
struct CheckpointProgress {
  std::int64_t step = 0, epoch = 0;
  std::map<std::string, double> scores = {};  // of this step; infinite ones and NaN are left out
};
// Writes the manifest; call it after all other files are in the folder.
void writeCheckpointManifest(const std::filesystem::path& checkpointFolder,
                             const CheckpointProgress& progress);

// Whether a checkpoint's moving average was written by a version that stored the weights instead.
// The manifest must be undamaged.
bool averageIsInvalid(const std::filesystem::path& checkpointFolder);
// The folder of a checkpoint's moving average of the parameters; an Error if it has none or an
// invalid one.
std::filesystem::path averageFolder(const std::filesystem::path& checkpointFolder);

struct Retention {
  int keepLast = 5, keepBest = 1;
  std::string metric = "valid/nll";
};
// Removes checkpoints that are neither among the newest keepLast, nor among the best keepBest, nor
// pinned.
void removeOldCheckpoints(const std::filesystem::path& runFolder, const Retention& retention);
// Keeps a checkpoint from being removed, or no longer.
void pinCheckpoint(const std::filesystem::path& checkpointFolder, bool pinned);
bool isPinned(const std::filesystem::path& checkpointFolder);
// Removes one checkpoint, even a pinned one.
void removeCheckpoint(const std::filesystem::path& checkpointFolder);
// Whether a checkpoint taken now, the latest, with these scores would be among the best `keepBest`.
bool wouldBeBest(const std::filesystem::path& runFolder,
                 const std::map<std::string, double>& scores, const Retention& retention);

}  // namespace strata
