#pragma once
#include <string_view>
#include <vector>

#include "core/nn/model_family.h"

namespace strata {

// Every family of models.
const std::vector<ModelFamily>& modelFamilies();

// Makes them known to createModel. Call once at the start of a program or test; more calls do
// nothing.
void registerModels();

// Adds a paper that is not built in: its family, and its presets as YAML. Call it before presets
// are asked for.
void addPaper(const ModelFamily& family, std::string_view presets);
// What was added.
const std::vector<std::string>& addedPresets();

}  // namespace strata
