#include "models/presets.h"

#include "core/base/error.h"
#include "embedded/presets.h"
#include "models/deepatt/config.h"
#include "models/densenmt/config.h"
#include "models/dhea/config.h"
#include "models/mlrf/config.h"

namespace strata {
namespace {

// What a family's folder provides without torch.
struct Family {
  const char* name;
  std::vector<ConfigKey> (*keys)();
  std::vector<ConfigProblem> (*complete)(Json& model);
  Json (*config)(const Json& config);  // checks config.json and makes every key explicit
  std::int64_t (*parameters)(const Json& config);
};

template <typename Config>
Json explicitConfig(const Json& config) {
  return Config::parse(config).json();
}
template <typename Config>
std::int64_t countOf(const Json& config) {
  return parameterCount(Config::parse(config));
}

constexpr Family kFamilies[] = {
    {"densenmt", densenmt::modelKeys, densenmt::completeModel,
     explicitConfig<densenmt::DenseConfig>, countOf<densenmt::DenseConfig>},
    {"deepatt", deepatt::modelKeys, deepatt::completeModel, explicitConfig<deepatt::DeepAttConfig>,
     countOf<deepatt::DeepAttConfig>},
    {"dhea", dhea::modelKeys, dhea::completeModel, explicitConfig<dhea::DheaConfig>,
     countOf<dhea::DheaConfig>},
    {"transformer", mlrf::modelKeys, mlrf::completeModel, explicitConfig<mlrf::MlrfConfig>,
     countOf<mlrf::MlrfConfig>},
};

const Family& familyOf(const Json& config) {
  const std::string name = config.is_object() ? config.value("family", "") : "";
  for (const Family& family : kFamilies) {
    if (name == family.name) return family;
  }
  throw usageError("unknown model family '{}'", name);
}

// The contents of a preset file, a mapping from names; entries without a description are parts.
struct AllPresets {
  std::vector<Preset> systems, parts;

  const Preset* find(const std::string& name) const {
    for (const auto* list : {&systems, &parts}) {
      for (const Preset& preset : *list) {
        if (preset.name == name) return &preset;
      }
    }
    return nullptr;
  }
};

AllPresets readPresets() {
  AllPresets all;
  for (const auto& [file, text] : embedded::presets()) {
    const YamlDocument document = parseYaml(text, file);
    for (const auto& [name, entry] : document.value.items()) {
      Json preset = entry;
      const std::string description = preset.value("description", "");
      preset.erase("description");
      (description.empty() ? all.parts : all.systems)
          .push_back({name, description, toYaml(preset)});
    }
  }
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
    for (const Family& family : kFamilies) names.emplace_back(family.name);
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

}  // namespace strata
