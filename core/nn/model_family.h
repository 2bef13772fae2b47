#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/nn/translation_model.h"
#include "core/run/model_config.h"
#include "core/run/sentence_limit.h"

namespace strata {

// A family of models, as its paper's folder offers it to the program.
struct ModelFamily {
  std::string name;                                     // config.json's `family`
  std::vector<ConfigKey> (*keys)();                     // paths start with "model."
  std::vector<ConfigProblem> (*complete)(Json& model);  // see ConfigSources::completeModel
  Json (*config)(const Json& config);  // checks a config.json and makes every key explicit
  std::int64_t (*parameters)(const Json& config);
  Network (*network)(const Json& config);  // of one part if the family does not describe its own
  // As TranslationModel::sentenceLimit() of that model.
  std::optional<SentenceLimit> (*sentenceLimit)(const Json& config);
  std::shared_ptr<TranslationModel> (*create)(const Json& config);
};

// The network of a config.json: that of its family, or one part with all parameters.
template <typename Config>
Network drawnNetwork(const Json& json) {
  const Config config = parseModelConfig<Config>(json);
  if constexpr (requires { networkOf(config); }) {
    return networkOf(config);
  } else {
    Network network{.columns = {"model"}, .parts = {}, .links = {}};
    network.add({.name = "model", .title = Config::kFamily, .parameters = parameterCount(config)});
    return network;
  }
}

// The limit of a config.json: that of its family's Config, or none if it has no sentenceLimit().
template <typename Config>
std::optional<SentenceLimit> configuredLimit([[maybe_unused]] const Json& json) {
  if constexpr (requires(const Config& config) { config.sentenceLimit(); }) {
    return parseModelConfig<Config>(json).sentenceLimit();
  } else {
    return std::nullopt;
  }
}

// A family with a Config as core/run/model_config.h describes it, and a function
// parameterCount(Config) in its folder.
template <typename Model, typename Config>
ModelFamily makeFamily() {
  return {.name = Config::kFamily,
          .keys = modelKeys<Config>,
          .complete = completeModel<Config>,
          .config = [](const Json& config) { return configJson(parseModelConfig<Config>(config)); },
          .parameters =
              [](const Json& config) { return parameterCount(parseModelConfig<Config>(config)); },
          .network = drawnNetwork<Config>,
          .sentenceLimit = configuredLimit<Config>,
          .create = [](const Json& config) -> std::shared_ptr<TranslationModel> {
            return std::make_shared<Model>(parseModelConfig<Config>(config));
          }};
}

// Makes a family known to createModel; one of the same name is replaced.
void registerFamily(ModelFamily family);

}  // namespace strata
