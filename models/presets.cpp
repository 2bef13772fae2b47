#include "models/presets.h"

#include <algorithm>

#include "core/base/error.h"
#include "embedded/presets.h"
#include "models/catalogue.h"

namespace strata {
namespace {

const ModelFamily& familyOf(const Json& config) {
  const std::string name = config.is_object() ? config.value("family", "") : "";
  for (const ModelFamily& family : modelFamilies()) {
    if (name == family.name) return family;
  }
  throw usageError("unknown model family '{}'", name);
}

// What files of presets hold: mappings from their names. An entry without a description is a part
// of presets; "NAME/" has the title of the presets NAME/....
struct AllPresets {
  std::vector<Preset> systems, parts;
  std::vector<PresetGroup> groups;

  const Preset* find(const std::string& name) const {
    for (const auto* list : {&systems, &parts}) {
      for (const Preset& preset : *list) {
        if (preset.name == name) return &preset;
      }
    }
    return nullptr;
  }

  void read(std::string_view file, std::string_view text) {
    const YamlDocument document = parseYaml(text, file);
    for (const auto& [name, entry] : document.value.items()) {
      if (name.ends_with('/')) {
        groups.push_back({.name = name.substr(0, name.size() - 1),
                          .title = entry.at("title").get<std::string>(),
                          .ofPaper = entry.value("paper", true)});
        continue;
      }
      Json preset = entry;
      const std::string description = preset.value("description", "");
      preset.erase("description");
      (description.empty() ? parts : systems).push_back({name, description, toYaml(preset)});
    }
  }
};

AllPresets readPresets() {
  AllPresets all;
  for (const auto& [file, text] : embedded::presets()) all.read(file, text);
  for (const std::string& text : addedPresets()) all.read("added presets", text);
  std::stable_partition(all.groups.begin(), all.groups.end(),
                        [](const PresetGroup& group) { return group.ofPaper; });
  return all;
}

const AllPresets& allPresets() {
  static const AllPresets all = readPresets();
  return all;
}

}  // namespace

const std::vector<Preset>& presets() {
  return allPresets().systems;
}

const std::vector<PresetGroup>& presetGroups() {
  return allPresets().groups;
}

bool isPreset(const std::string& name) {
  const Preset* preset = allPresets().find(name);
  return preset != nullptr && !preset->description.empty();
}

ConfigSources builtInSources() {
  ConfigSources sources;
  sources.presetText = [](const std::string& name) -> std::optional<std::string> {
    const Preset* preset = allPresets().find(name);
    return preset == nullptr ? std::nullopt : std::optional(preset->yaml);
  };
  sources.presetNames = [] {
    std::vector<std::string> names;
    for (const auto* list : {&allPresets().systems, &allPresets().parts}) {
      for (const Preset& preset : *list) names.push_back(preset.name);
    }
    return names;
  };
  sources.families = [] {
    std::vector<std::string> names;
    for (const ModelFamily& family : modelFamilies()) names.emplace_back(family.name);
    return names;
  };
  sources.modelKeys = [](const std::string& family) {
    return familyOf({{"family", family}}).keys();
  };
  sources.completeModel = [](const std::string& family, Json& model) {
    return familyOf({{"family", family}}).complete(model);
  };
  return sources;
}

Json modelConfig(const Json& effectiveModel, std::int64_t sourceVocabulary,
                 std::int64_t targetVocabulary) {
  Json config{{"format", 1}};
  config.update(effectiveModel);
  config["src_vocab"] = sourceVocabulary;
  config["tgt_vocab"] = targetVocabulary;
  return familyOf(config).config(config);
}

std::int64_t parameterCountOf(const Json& modelConfig) {
  return familyOf(modelConfig).parameters(modelConfig);
}

Network networkOf(const Json& modelConfig) {
  return familyOf(modelConfig).network(modelConfig);
}

}  // namespace strata
