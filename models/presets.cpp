#include "models/presets.h"

#include <algorithm>

#include "core/base/error.h"
#include "embedded/presets.h"
#include "models/deepatt/config.h"
#include "models/densenmt/config.h"
#include "models/dhea/config.h"
#include "models/mlrf/config.h"

namespace strata {
namespace {

// What a family's folder offers without torch.
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
  throw usageError("there is no family of models '{}'", name);
}

// One file holds a paper's presets as a mapping from their names.
std::vector<Preset> readPresets() {
  std::vector<Preset> all;
  for (const auto& [file, text] : embedded::presets()) {
    const YamlDocument document = parseYaml(text, file);
    for (const auto& [name, entry] : document.value.items()) {
      Json preset = entry;
      const std::string description = preset.value("description", "");
      preset.erase("description");
      all.push_back({name, description, toYaml(preset)});
    }
  }
  return all;
}

}  // namespace

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all = readPresets();
  return all;
}

ConfigSources builtInSources() {
  ConfigSources sources;
  sources.presetText = [](const std::string& name) -> std::optional<std::string> {
    const auto at = std::find_if(presets().begin(), presets().end(),
                                 [&](const Preset& preset) { return preset.name == name; });
    return at == presets().end() ? std::nullopt : std::optional(at->yaml);
  };
  sources.presetNames = [] {
    std::vector<std::string> names;
    for (const Preset& preset : presets()) names.push_back(preset.name);
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
