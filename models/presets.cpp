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

std::string starReplaced(std::string text, const std::string& by) {
  const auto star = text.find('*');
  return star == std::string::npos ? text : text.replace(star, 1, by);
}

// What the star of a pattern stands for in a name; none if the name is not of the pattern.
std::optional<std::string> starOf(const std::string& pattern, const std::string& name) {
  const auto star = pattern.find('*');
  const std::string before = pattern.substr(0, star), after = pattern.substr(star + 1);
  if (name.size() + 1 < pattern.size() || !name.starts_with(before) || !name.ends_with(after))
    return {};
  return name.substr(before.size(), name.size() + 1 - pattern.size());
}

// "dhea/*-cpu" with "preset: dhea/*, recipe/cpu": a variant of every system dhea/*.
struct VariantRule {
  std::string name;
  Json entry;

  std::optional<Preset> variantOf(const Preset& system) const {
    if (starOf(name, system.name)) return {};  // is one already
    const auto preset = entry.at("preset").get<std::string>();
    const auto star = starOf(preset.substr(0, preset.find(',')), system.name);
    if (!star) return {};
    Json written = entry;
    written.erase("description");
    written["preset"] = starReplaced(preset, *star);
    return Preset{starReplaced(name, *star),
                  starReplaced(entry.at("description").get<std::string>(), system.description),
                  toYaml(written)};
  }
};

// What files of presets hold: mappings from their names. An entry without a description is a part
// of presets; "NAME/" has the title of the presets NAME/...; one with a star is a rule, of which
// earlier ones and entries of the same name take precedence.
struct AllPresets {
  std::vector<Preset> systems, parts, variants;
  std::vector<PresetGroup> groups;
  std::vector<VariantRule> rules;

  const Preset* find(const std::string& name) const {
    for (const auto* list : {&systems, &parts, &variants}) {
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
      if (name.find('*') != std::string::npos) {
        rules.push_back({name, entry});
        continue;
      }
      Json preset = entry;
      const std::string description = preset.value("description", "");
      preset.erase("description");
      (description.empty() ? parts : systems).push_back({name, description, toYaml(preset)});
    }
  }

  void addVariants() {
    for (const VariantRule& rule : rules) {
      for (const Preset& system : systems) {
        auto variant = rule.variantOf(system);
        if (variant && find(variant->name) == nullptr) variants.push_back(std::move(*variant));
      }
    }
  }
};

AllPresets readPresets() {
  AllPresets all;
  for (const auto& [file, text] : embedded::presets()) all.read(file, text);
  for (const std::string& text : addedPresets()) all.read("added presets", text);
  all.addVariants();
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
    for (const auto* list : {&allPresets().systems, &allPresets().parts, &allPresets().variants}) {
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

std::optional<SentenceLimit> sentenceLimitOf(const Json& modelConfig) {
  return familyOf(modelConfig).sentenceLimit(modelConfig);
}

Network networkOf(const Json& modelConfig) {
  return familyOf(modelConfig).network(modelConfig);
}

}  // namespace strata
