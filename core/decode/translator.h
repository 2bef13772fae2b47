#pragma once
#include <functional>
#include <string>
#include <vector>

#include "core/decode/beam_search.h"
#include "core/decode/sentence_lengths.h"
#include "core/text/pipeline.h"

namespace strata {

struct TranslateOptions {
  BeamOptions search;
  int batchSentences = 64;
  std::vector<std::string> begin;             // tokens that every translation begins with
  std::function<void(std::int64_t)> advance;  // receives the sentences done; may be empty
  // Receives each line that search.tooLong cuts or skips; may be empty.
  std::function<void(const LongSentence&)> tooLong = {};
};

// Ids of a translation's tokens as the model has them; a </s> at their end is left out. A usage
// error names a token that it does not have.
std::vector<TokenId> targetIds(TextPipeline& text, std::vector<std::string> tokens);

// Fills in a hypothesis's words and its text; `tokens`: those of the text, BPE joined.
void addWords(Hypothesis& hypothesis, TextPipeline& text, const std::string& tokens);

// The tokens of the best translation of each source, in their order, as `asText` writes ids;
// empty: the search found none. Neither casing nor tokenization is undone: this is what validation
// scores.
std::vector<std::string> bestTokens(
    TranslationModel& model, const BeamInput& input, const BeamOptions& search, int batchSentences,
    const std::function<std::string(const std::vector<TokenId>&)>& asText,
    const std::function<void(std::int64_t)>& advance = {});

// Translates lines of raw text: text pipeline, search over batches of similar length, detokenised
// output. Borrows model and pipeline; single-threaded.
class Translator {
 public:
  Translator(TranslationModel& model, TextPipeline& text) : model_(model), text_(text) {}

  // The best hypotheses of each line, in the order of the lines. A line without words has one
  // hypothesis, empty and of probability 1, and is not searched. `prefixes`: raw text that each
  // translation must begin with; empty list: none.
  std::vector<std::vector<Hypothesis>> translate(const std::vector<std::string>& lines,
                                                 const std::vector<std::string>& prefixes,
                                                 const TranslateOptions& options);

 private:
  TranslationModel& model_;
  TextPipeline& text_;
};

}  // namespace strata
