#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/data/lexicon.h"
#include "core/decode/beam_search.h"
#include "core/text/pipeline.h"

namespace strata {

// Which attention decides which source word a word was translated from.
struct AlignmentOptions {
  std::string attention;  // a name or "PREFIX*"; empty: the last decoder layer of each model
  int head = -1;          // -1: the mean of all
};

// The internals to record for it: attention from target words to source words, with or without the
// history. If the model has none, or none of that name, the usage error lists those that it has.
std::vector<std::string> alignmentNames(const TranslationModel& model,
                                        const AlignmentOptions& options);

// The source position that each word of a hypothesis attends to most, </s> excluded, by the mean of
// the named recordings and of their heads.
std::vector<std::int64_t> alignedPositions(const Hypothesis& hypothesis,
                                           const std::vector<std::string>& names, int head);

// Replaces each <unk> (models.md 2.10, after Luong et al., ACL 2015) by the dictionary's
// translation of the most attended source word, else by that word itself.
class UnknownWords {
 public:
  // Borrows model (to check the names of its internals) and pipeline.
  UnknownWords(const TranslationModel& model, TextPipeline& text, Lexicon lexicon,
               AlignmentOptions options);

  // The internals that a search must record.
  const std::vector<std::string>& names() const { return names_; }

  // A hypothesis's units without special tokens, with every <unk> replaced; `source` is the line
  // that it translates.
  std::vector<std::string> units(const Hypothesis& hypothesis, std::string_view source);
  // The same as tokens, BPE joined.
  std::string tokens(const Hypothesis& hypothesis, std::string_view source);

 private:
  std::vector<std::string> wordOfEachPosition(std::string_view source);

  TextPipeline& text_;
  Lexicon lexicon_;
  AlignmentOptions options_;
  std::vector<std::string> names_;
};

}  // namespace strata
