#pragma once
#include <stop_token>
#include <string>
#include <vector>

#include "core/data/batch.h"
#include "core/nn/translation_model.h"
#include "core/run/length_rule.h"
#include "core/run/recording.h"

namespace strata {

struct BeamOptions {
  int beam = 5;   // 1 is the greedy search
  int nbest = 1;  // at most `beam` are returned; 0: all that finished
  LengthRule lengthRule;
  double maxLengthFactor = 1.2,
         maxLengthOffset = 10;  // at most floor(factor * S + offset) tokens, </s> included, >= 1
  std::int64_t minLength = 1;   // tokens at least, </s> included; the most goes before it
  std::vector<std::string> record;  // names of internals as Recorder takes them; empty: none
  std::stop_token stop;             // Cancelled is thrown between steps
};

// A finished translation.
struct Hypothesis {
  std::vector<TokenId> tokens;                // ends in </s>
  double score = 0;                           // by the length rule
  double logProbability = 0;                  // natural logarithm, </s> included
  std::vector<double> tokenLogProbabilities;  // one a token
  std::vector<Recording> recordings;  // cut to true lengths; row i of a decoder map is tokens[i]
};

// Ids of source sentences, each ending in </s>, and for each the words its translation must begin
// with (without </s>; empty list: no prefixes).
struct BeamInput {
  std::vector<std::vector<TokenId>> sources;
  std::vector<std::vector<TokenId>> prefixes;
};

// The search of models.md 6 over a batch of sentences; the best hypotheses of each, best first. The
// model is in evaluation mode afterwards. Sentences that are done leave the batch.
std::vector<std::vector<Hypothesis>> beamSearch(TranslationModel& model, const BeamInput& input,
                                                const BeamOptions& options);

}  // namespace strata
