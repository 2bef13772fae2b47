#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/nn/translation_model.h"
#include "core/run/config.h"

namespace strata {

// A family of models, as its paper's folder offers it to the program.
struct ModelFamily {
  std::string name;                                     // config.json's `family`
  std::vector<ConfigKey> (*keys)();                     // paths start with "model."
  std::vector<ConfigProblem> (*complete)(Json& model);  // see ConfigSources::completeModel
  Json (*config)(const Json& config);  // checks a config.json and makes every key explicit
  std::int64_t (*parameters)(const Json& config);
  std::shared_ptr<TranslationModel> (*create)(const Json& config);
};

// A family whose configuration is read by Config::parse and whose folder has
// parameterCount(Config).
template <typename Model, typename Config>
ModelFamily makeFamily(const char* name, std::vector<ConfigKey> (*keys)(),
                       std::vector<ConfigProblem> (*complete)(Json& model)) {
  return {.name = name,
          .keys = keys,
          .complete = complete,
          .config = [](const Json& config) { return Config::parse(config).json(); },
          .parameters = [](const Json& config) { return parameterCount(Config::parse(config)); },
          .create = [](const Json& config) -> std::shared_ptr<TranslationModel> {
            return std::make_shared<Model>(Config::parse(config));
          }};
}

// Makes a family known to createModel; one of the same name is replaced.
void registerFamily(ModelFamily family);

}  // namespace strata
