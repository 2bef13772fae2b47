// Real presets made small, and the pairs of sentences that are measured with them.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/decode/scorer.h"
#include "core/run/config.h"
#include "models/presets.h"
#include "tests/models/model_fixture.h"

namespace strata::testing {

// The three sentences of threeSentences(), as pairs.
inline const ScoredPairs kPairs{{{8, 9, 2}, {4, 5, 6, 7, 2}, {10, 2}},
                                {{7, 8, 9, 2}, {5, 6, 2}, {2}}};

inline const std::vector<std::string> kNarrowDense{
    "model.embed_dim=8", "model.token_embed_dim=8", "model.out_embed_dim=8",
    "model.hidden=10",   "model.growth=6",          "model.position_rows=12"};
inline const std::vector<std::string> kNarrowFused{
    "model.embed_dim=8", "model.ffn_dim=12", "model.fusion_attn_dim=6", "model.fusion_ffn_dim=10"};

// A preset's model in float64, all parameters drawn anew (shake), as a model that translates.
inline std::shared_ptr<TranslationModel> shakenModel(const std::string& preset,
                                                     std::vector<std::string> overrides) {
  registerModels();
  const Json config = resolveConfig(
      {.file = "", .preset = preset, .overrides = std::move(overrides)}, builtInSources());
  auto model = createModel(modelConfig(config["model"], kSourceWords, kTargetWords),
                           {.type = torch::kFloat64});
  model->initialise("default", 5);
  shake(*model);
  model->eval();
  return model;
}

}  // namespace strata::testing
