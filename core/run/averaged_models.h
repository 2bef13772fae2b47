// Models that are the mean of several checkpoints of a run, kept in the run's folder.
#pragma once
#include <cstdint>
#include <filesystem>
#include <vector>

namespace strata {

// RUN/averages/NAME: config.json and model.safetensors as in a checkpoint, and average.json, which
// says of what it is the mean.
struct AveragedModel {
  std::filesystem::path folder = {};
  std::vector<std::int64_t> steps = {};  // ascending

  bool operator==(const AveragedModel&) const = default;
};

// Where the mean of these checkpoints (ascending steps, at least one) belongs. Names are the same
// for the same steps.
std::filesystem::path averagedModelFolder(const std::filesystem::path& runFolder,
                                          const std::vector<std::int64_t>& steps);
// Writes average.json, after all other files.
void writeAverageSteps(const std::filesystem::path& folder, const std::vector<std::int64_t>& steps);
// All of a run that are complete, by their steps.
std::vector<AveragedModel> listAverages(const std::filesystem::path& runFolder);
// Removes one, an Error if the folder is not of an average.
void removeAverage(const std::filesystem::path& folder);

}  // namespace strata
