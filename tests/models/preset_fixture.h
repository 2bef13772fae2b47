#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/run/config.h"
#include "models/catalogue.h"
#include "models/presets.h"

namespace strata {

// Parameters of a preset's model with vocabularies of these sizes.
inline std::int64_t countOf(const std::string& preset, std::int64_t source, std::int64_t target,
                            std::vector<std::string> overrides = {}) {
  const Json config = resolveConfig(
      {.file = "", .preset = preset, .overrides = std::move(overrides)}, builtInSources());
  return parameterCountOf(modelConfig(config["model"], source, target));
}

// A preset's model as training begins with it, with vocabularies of these sizes.
inline std::shared_ptr<TranslationModel> untrainedModel(const std::string& preset,
                                                        std::int64_t source, std::int64_t target) {
  registerModels();
  const Json config =
      resolveConfig({.file = "", .preset = preset, .overrides = {}}, builtInSources());
  auto model = createModel(modelConfig(config["model"], source, target));
  model->initialise("default", 5);
  return model;
}

}  // namespace strata
