// The weights that a model gives the units whose effects are measured (inside.md 3).
#pragma once
#include <vector>

#include "app/engine/effect_units.h"

namespace strata {

// Fills in the weights of measured units, which are in the order of `units`, by sentence.
void addWeights(TranslationModel& model, const ScoredPairs& pairs,
                const std::vector<EffectUnit>& units, const ScoreOptions& options,
                MeasuredEffects& measured);

}  // namespace strata
