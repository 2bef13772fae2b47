#pragma once
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/data/batch.h"
#include "core/nn/translation_model.h"

namespace strata {

// Sentence pairs as ids; </s> ends each side.
struct ScoredPairs {
  std::vector<std::vector<TokenId>> sources, targets;
};

struct ScoreOptions {
  int batchSentences = 64;  // maximum batch size; pairs of similar length are batched
  std::function<void(std::int64_t)> advance = {};  // receives the pairs done; may be empty
  const Interventions* interventions = nullptr;    // replacements; outlives the call
  Compute compute = Compute::kFloat32;
};

// Natural log-probabilities of every target's tokens, </s> included, in the order given. The model
// is in evaluation mode afterwards.
std::vector<std::vector<double>> scorePairs(TranslationModel& model, const ScoredPairs& pairs,
                                            const ScoreOptions& options = {});

// The internals of one batch, as computed, and the pairs of its rows.
struct RecordedBatch {
  const std::vector<RecordedTensor>& tensors;
  std::span<const std::size_t> pairs;
  const ScoredPairs& all;
  torch::Tensor features_BTD;  // what project() makes the scores of
};
// Calls `use` with the named internals of every batch. The model is in evaluation mode afterwards.
void recordPairs(TranslationModel& model, const ScoredPairs& pairs,
                 const std::vector<std::string>& names, const ScoreOptions& options,
                 const std::function<void(const RecordedBatch&)>& use);

// The mean of each named internal over all sentences and positions of the pairs, float64 on the
// CPU, in the shape that Interventions::setMean takes. Names that the model does not publish are
// missing from the result.
std::map<std::string, torch::Tensor> internalMeans(TranslationModel& model,
                                                   const ScoredPairs& pairs,
                                                   const std::vector<std::string>& names,
                                                   const ScoreOptions& options = {});

}  // namespace strata
