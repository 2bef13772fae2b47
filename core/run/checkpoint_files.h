// A run's checkpoints as files: which there are, what they scored, whether they are damaged, which
// are kept. Reads and writes no tensors; core/train does.
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
std::string checkpointName(std::int64_t step);  // of its folder: "step-00012000"

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

// One of them. Reads its manifest only.
CheckpointInfo readCheckpointInfo(const std::filesystem::path& checkpointFolder);
// All of a run, oldest first. Reads manifests only.
std::vector<CheckpointInfo> listCheckpoints(const std::filesystem::path& runFolder);
// Those with a value of `metric`, best first; of equal ones the older first.
std::vector<CheckpointInfo> rankedCheckpoints(const std::filesystem::path& runFolder,
                                              const std::string& metric);

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

// Throws what damageOf says and names the newest good checkpoint of the run.
void requireGoodCheckpoint(const std::filesystem::path& checkpointFolder);

// What a manifest says of the training.
struct CheckpointProgress {
  std::int64_t step = 0, epoch = 0;
  std::map<std::string, double> scores = {};  // of this step; infinite ones and NaN are left out
};
// Writes the manifest of a folder that holds the other files, the last of all.
void writeCheckpointManifest(const std::filesystem::path& checkpointFolder,
                             const CheckpointProgress& progress);

// Whether a checkpoint keeps a moving average made by a version that kept the weights in its place.
// Its manifest must be good.
bool averageIsVoid(const std::filesystem::path& checkpointFolder);
// Where a checkpoint keeps the moving average of its parameters; an Error that says so where it has
// none or where that is void.
std::filesystem::path averageFolder(const std::filesystem::path& checkpointFolder);

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
