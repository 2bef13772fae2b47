// What the papers' folders know: families, their keys, and the presets built into the program.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/run/config.h"
#include "core/run/network.h"
#include "core/run/sentence_limit.h"

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
// ("recipe/cpu") are not included, nor are the variants that rules give to every system of a paper
// ("densenmt/*-cpu"); the names of all can be resolved.
const std::vector<Preset>& presets();
bool isPreset(const std::string& name);  // of a system or its variant

// The presets "NAME/..." and what a reader calls them: papers first, then baselines and the demo.
struct PresetGroup {
  std::string name, title;
  bool ofPaper = true;
};
const std::vector<PresetGroup>& presetGroups();

// A model's config.json from the `model` object of an effective configuration and the vocabulary
// sizes (special tokens included). Usage errors name the invalid key.
Json modelConfig(const Json& effectiveModel, std::int64_t sourceVocabulary,
                 std::int64_t targetVocabulary);

// Exact number of trainable values of a model's config.json, without creating the model.
std::int64_t parameterCountOf(const Json& modelConfig);
// The longest sentence that it has positions for; none: there is no such limit.
std::optional<SentenceLimit> sentenceLimitOf(const Json& modelConfig);
// The same model as a drawing shows it; its parameters sum to that number.
Network networkOf(const Json& modelConfig);

}  // namespace strata
