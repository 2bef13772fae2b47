#pragma once
#include <torch/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/decode/scorer.h"

namespace strata {

// The levels of a side in what a model has published (core/nn/levels.h), oldest first; none if the
// model publishes none.
std::vector<const RecordedTensor*> levelsOf(const RecordedBatch& batch, const std::string& side);
// The names under which a recorder asks for them.
inline const std::vector<std::string> kLevelNames{"encoder.levels.*", "decoder.levels.*"};

// The levels of a side at all true positions of the batch [N, D_l], row by row.
std::vector<torch::Tensor> atPositions(const RecordedBatch& batch, const std::string& side);

// What the model's own output layer says of one level at the positions of one sentence, forced on
// its reference (docs/inside.md, "Lens").
struct LensRow {
  std::vector<std::int64_t> rank;      // of the reference's token, from 1; equal scores share one
  std::vector<double> logProbability;  // of that token, natural
  std::vector<double> divergence;      // KL of the model's distribution from the level's, nats
  std::vector<TokenId> top;            // the most probable token
};

// The decoder's levels through the lens, [row of the batch][level]; a level that the output layer
// cannot read has no positions. `means` of the decoder's levels by name, as internalMeans() gives
// them. The last level is the model itself.
std::vector<std::vector<LensRow>> lensOf(TranslationModel& model, const RecordedBatch& batch,
                                         const std::map<std::string, torch::Tensor>& means);

}  // namespace strata
