#pragma once
#include <functional>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/data/batch.h"
#include "core/decode/sampling.h"
#include "core/nn/translation_model.h"
#include "core/run/experiment.h"
#include "core/run/hypothesis.h"
#include "core/run/length_rule.h"
#include "core/run/search_request.h"

namespace strata {

class Shortlist;

struct BeamOptions {
  int beam = 5;   // 1: greedy search; with sampling, the number of hypotheses to draw
  int nbest = 1;  // at most `beam` are returned; 0: all that completed
  LengthRule lengthRule;
  double maxLengthFactor = 1.2,
         maxLengthOffset = 10;  // at most floor(factor * S + offset) tokens, </s> included, >= 1,
                                // and no more than the model has positions for
  std::int64_t minLength = 1;   // tokens, </s> included; the maximum takes precedence
  // No word completes an n-gram of this size that its hypothesis already contains; 0: no limit.
  // Does not apply to words forced by a prefix.
  int noRepeat = 0;
  // >= 0: hypotheses are searched and ranked by the sum of log p minus this for each <unk>.
  double unknownPenalty = 0;
  // >= 0, the sibling penalty of Li, Monroe and Jurafsky (arXiv 1611.08562): among the
  // continuations of one hypothesis, the k-th most likely (k = 1, 2, ...) is penalised by gamma k
  // when a step chooses among all of them. Totals do not include it.
  double diversity = 0;
  std::optional<SamplingOptions> sampling;  // instead of beam search: `beam` independent draws
  std::vector<std::string> record;  // names of internals as Recorder takes them; empty: none
  Compute compute = Compute::kFloat32;
  // Of searchAll (core/decode/search_all.h). kCut does not apply to words forced by a prefix.
  TooLong tooLong = TooLong::kError;
  // The words of a batch's translations: models score no others, and probabilities sum to 1 over
  // them; null: all words. Outlives the search.
  Shortlist* shortlist = nullptr;
  const Interventions* interventions = nullptr;  // replacements; outlives the search
  std::stop_token stop;                          // Cancelled is thrown between steps
};

// The run's settings.
BeamOptions beamOptionsOf(const DecodingSpec& decoding);
// What a request asks for, the run's settings elsewhere; a usage error where nbest exceeds the
// beam.
BeamOptions beamOptionsOf(const SearchRequest& request, const DecodingSpec& decoding);

// Ids of source sentences, each ending in </s>.
struct BeamInput {
  std::vector<std::vector<TokenId>> sources;
  std::vector<std::vector<TokenId>>
      prefixes;  // words that each translation begins with, without </s>; empty list: none
  std::vector<std::uint64_t> numbers = {};  // keys of the random draws; empty list: 0, 1, ...
  // Of searchAll (core/decode/search_all.h): only every `of`-th batch is searched, from batch
  // `index` on. Each part waits for its own batches only.
  struct Part {
    std::size_t index = 0, of = 1;
  } part = {};
};

// How many sentences are searched at once; the others wait, and take the places of completed ones.
struct Places {
  std::size_t sentences = std::numeric_limits<std::size_t>::max();
  std::function<void(std::int64_t)> completed = {};  // sentences so far; may be empty
};

// The search of models.md 6 over a batch of sentences; the best hypotheses of each, best first. The
// model is in evaluation mode afterwards. Completed sentences leave the batch. A usage error names
// a sentence that the model has no positions for.
std::vector<std::vector<Hypothesis>> beamSearch(TranslationModel& model, const BeamInput& input,
                                                const BeamOptions& options,
                                                const Places& places = {});

}  // namespace strata
