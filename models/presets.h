// The parts of the papers' folders that do not need torch: families, their keys, and the built-in
// presets.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/run/config.h"

namespace strata {

// Presets and families' keys for resolveConfig.
ConfigSources builtInSources();

// One preset: "mlrf/base", a short description, and its YAML.
struct Preset {
  std::string name;
  std::string description;
  std::string yaml;
};
// The systems, grouped by paper, in the order of the papers' tables. Recipes and other parts
// ("recipe/cpu") are not included; the names of both can be resolved.
const std::vector<Preset>& presets();
bool isPreset(const std::string& name);  // of a system

// A model's config.json from the `model` object of an effective configuration and the vocabulary
// sizes (special tokens included). Usage errors name the invalid key.
Json modelConfig(const Json& effectiveModel, std::int64_t sourceVocabulary,
                 std::int64_t targetVocabulary);

// Exact number of trainable values of a model's config.json, without creating the model.
std::int64_t parameterCountOf(const Json& modelConfig);

}  // namespace strata
