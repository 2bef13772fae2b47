#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/data/lexicon.h"
#include "core/decode/beam_search.h"
#include "core/text/pipeline.h"

namespace strata {

// Which attention says what a word was translated from.
struct AlignmentOptions {
  std::string attention;  // a name or "PREFIX*"; empty: the last decoder layer of each model
  int head = -1;          // -1: the mean of all
};

// The internals to record for it: attention of target words to source words, alone or beside the
// history. A usage error where
// the model has none, or none of that name, lists those that it has.
std::vector<std::string> alignmentNames(const TranslationModel& model,
                                        const AlignmentOptions& options);

// The source position that each word of a hypothesis attends to most, </s> excluded: by the mean of
// the named recordings and of their heads.
std::vector<std::int64_t> alignedPositions(const Hypothesis& hypothesis,
                                           const std::vector<std::string>& names, int head);

// Puts a word in the place of each <unk> (models.md 2.10, after Luong et al., ACL 2015): the
// dictionary's translation of the source word that was attended to most, else that word itself.
class UnknownWords {
 public:
  // Borrows model (for the names of its internals, which it checks) and pipeline.
  UnknownWords(const TranslationModel& model, TextPipeline& text, Lexicon lexicon,
               AlignmentOptions options);

  // What a search must record.
  const std::vector<std::string>& names() const { return names_; }

  // A hypothesis's units, special ones left out, with every <unk> replaced; `source` is the line
  // that it translates.
  std::vector<std::string> units(const Hypothesis& hypothesis, std::string_view source);
  // Those as tokens, BPE joined.
  std::string tokens(const Hypothesis& hypothesis, std::string_view source);

 private:
  std::vector<std::string> wordOfEachPosition(std::string_view source);

  TextPipeline& text_;
  Lexicon lexicon_;
  AlignmentOptions options_;
  std::vector<std::string> names_;
};

}  // namespace strata
