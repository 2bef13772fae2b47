// The units of a model whose effects can be measured.
#pragma once
#include <string>
#include <vector>

#include "core/decode/scorer.h"
#include "core/inside/effects.h"

namespace strata {

// A unit before anything is measured.
struct EffectUnit {
  // How its weight is found in the model's internals.
  enum class Weigh {
    kNothing,
    kMap,        // hop weights of a level (mean over hops) or cell
    kRms,        // root mean square of what a projection makes of it, a share
    kDensePart,  // the same for a part of DenseAtt-2, over all decoder layers
    kContext,    // share of the source's norm, or the rest
    kReaders     // mean share that the layers read of it
  };

  std::string name, intervention, group, layer, part;
  Weigh weigh = Weigh::kNothing;
  std::string recording = {};         // the internal that the weight is computed from
  std::int64_t hop = -1, index = -1;  // hop: -1: the mean of all; index of level, head, hop or part
  std::string projection = {};        // a parameter [out, parts x width]
};

struct EffectUnits {
  std::vector<EffectUnit> units;
  std::string weight, contribution;  // what they are; empty: there is none
};

// The units of a kind; none if the model has none. `pairs` has at least one pair, whose forward
// pass gives the sizes. Usage errors: the kind or this model cannot be replaced in this mode.
EffectUnits effectUnits(TranslationModel& model, const ScoredPairs& pairs, EffectKind kind,
                        EffectMode mode);
// The kinds of which the model has units.
std::vector<EffectKind> offeredKinds(TranslationModel& model, const ScoredPairs& pairs);

}  // namespace strata
