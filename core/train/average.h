#pragma once
#include <filesystem>
#include <vector>

namespace strata {

// Writes the model directory `output` whose parameters are the mean of those of `models`
// (checkpoints or model directories, at least one). Sums are taken in float64. Different names,
// shapes or configurations are Errors that name the folder; an output that exists and is not empty
// is refused.
void averageModels(const std::vector<std::filesystem::path>& models,
                   const std::filesystem::path& output);

}  // namespace strata
