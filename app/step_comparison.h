#pragma once
#include <torch/torch.h>

#include "core/base/json.h"
#include "core/data/corpus.h"
#include "core/nn/translation_model.h"

namespace strata {

struct StepComparisonOptions {
  int sentences = 8,
      tokens = 26;  // of each target, </s> included, as nearly as the corpus has them
  int runs = 3;
};

// How much sooner a decoder reads given targets when it takes all positions at once than when it
// goes step by step with what incremental decoding keeps (keys and values of the source and of the
// steps before). Both give log-probabilities of every position; reading the source is not counted.
// {sentences, tokens, at_once_seconds, by_steps_seconds, ratio: {minimum, median, maximum},
//  difference: the largest between the two results}. The two alternate.
Json compareSteps(TranslationModel& model, const Corpus& corpus,
                  const StepComparisonOptions& options, const torch::Device& device);

}  // namespace strata
