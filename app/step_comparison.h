#pragma once
#include <torch/types.h>

#include "core/base/json.h"
#include "core/data/corpus.h"
#include "core/nn/translation_model.h"

namespace strata {

struct StepComparisonOptions {
  int sentences = 8,
      tokens = 26;  // per target, </s> included; approximate, depending on the corpus
  int runs = 3;
};

// The speedup of a decoder over given targets with all positions at once, compared with incremental
// decoding (cached keys and values of the source and of earlier steps). Both compute the
// log-probabilities of every position; the encoder is not counted. The two alternate.
// {sentences, tokens, at_once_seconds, by_steps_seconds, ratio: {minimum, median, maximum},
//  difference: the largest between the two results}.
Json compareSteps(TranslationModel& model, const Corpus& corpus,
                  const StepComparisonOptions& options, const torch::Device& device);

}  // namespace strata
