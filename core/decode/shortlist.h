#pragma once
#include <string>
#include <vector>

#include "core/base/string_map.h"
#include "core/data/batch.h"
#include "core/data/lexicon.h"
#include "core/text/pipeline.h"

namespace strata {

struct ShortlistOptions {
  int translations = 50;  // of each source word, the most likely ones
  int frequent = 1000;    // the most frequent words of the target vocabulary
};

// The words of the target vocabulary that the translations of some sentences are made of (models.md
// 6): special and frequent ones, and what a dictionary says of the sentences' words. A word that it
// does not have is its own translation, unless a unit of it is <unk>. Not thread-safe.
class Shortlist {
 public:
  // Borrows the pipeline, whose vocabularies are the model's. The dictionary is one of words,
  // before BPE.
  Shortlist(TextPipeline& text, std::vector<LexiconEntry> dictionary,
            const ShortlistOptions& options);

  // Ids, ascending, for sources given as ids; prefixes: words to be allowed in any case.
  std::vector<TokenId> wordsFor(const std::vector<std::vector<TokenId>>& sources,
                                const std::vector<std::vector<TokenId>>& prefixes);

 private:
  // Of the units of a source word's translations.
  const std::vector<TokenId>& unitsFor(const std::string& word);

  TextPipeline& text_;
  std::vector<TokenId> always_;
  StringMap<std::vector<std::string>> translations_;  // by source word
  StringMap<std::vector<TokenId>> units_;             // the same, of the words asked for
};

}  // namespace strata
