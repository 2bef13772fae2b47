#pragma once
#include <functional>
#include <vector>

#include "core/data/batch.h"
#include "core/nn/translation_model.h"

namespace strata {

// Sentence pairs as ids; </s> ends each side.
struct ScoredPairs {
  std::vector<std::vector<TokenId>> sources, targets;
};

// Natural log-probabilities of every target's tokens, </s> included, in the order given. Pairs of
// like lengths are scored together, at most `batchSentences` at once; `advance` (may be empty) is
// told how many are done. The model is in evaluation mode afterwards.
std::vector<std::vector<double>> scorePairs(TranslationModel& model, const ScoredPairs& pairs,
                                            int batchSentences,
                                            const std::function<void(std::int64_t)>& advance = {});

}  // namespace strata
