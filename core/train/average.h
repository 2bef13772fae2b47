#pragma once
#include <filesystem>
#include <vector>

namespace strata {

// Checkpoint averaging: writes the model directory `output` whose parameters are the mean of those
// of `models` (checkpoints or model directories, at least one). Sums are computed in float64.
// Different names, shapes or configurations are Errors that name the folder; an existing output
// that is not empty is an Error too.
void averageModels(const std::vector<std::filesystem::path>& models,
                   const std::filesystem::path& output);

}  // namespace strata
