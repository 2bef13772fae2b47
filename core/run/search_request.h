#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/json.h"
#include "core/run/length_rule.h"
#include "core/run/request_params.h"

namespace strata {

inline constexpr int kLargestBeam = 1000;

// How a word is drawn (models.md 10): temperature first, then top-k, then top-p.
struct SamplingOptions {
  double temperature = 1;  // > 0; p^(1/temperature), renormalised: below 1 prefers likely words
  int topK = 0;            // only this many most likely words; 0: all
  double topP = 1;         // (0, 1]: only the fewest most likely words with this total probability
  std::uint64_t seed = 1;
};

// At most floor(factor * S + offset) tokens for a source of S tokens, </s> included.
struct MaximumLength {
  double factor = 1.2, offset = 10;
};

// What is asked of a search, on the command line, by serve's clients and by papers alike. What is
// absent is as the run's configuration (`decoding`) says.
struct SearchRequest {
  std::optional<int> beam = {};  // 1 is greedy
  int nbest = 1;                 // at most the beam
  std::optional<LengthRule> lengthPenalty = {};
  std::optional<MaximumLength> maximumLength = {};
  std::int64_t minimumLength = 1;  // tokens, </s> included
  int noRepeat = 0;                // no n-gram of so many tokens comes twice; 0: any may
  double unknownPenalty = 0;       // >= 0, per <unk>
  double diversity = 0;            // >= 0
  std::optional<SamplingOptions> sampling = {};  // instead of searching: `nbest` samples
};

// Members beam, nbest, lengthPenalty, maxLength (A,B or a number of tokens), minLength, noRepeat,
// unknownPenalty, diversity; those that say nothing new are left out.
Json toJson(const SearchRequest& request);
SearchRequest readSearch(RequestParams& params);

}  // namespace strata
