#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "core/base/progress.h"
#include "core/data/generator/generator.h"
#include "core/data/prepare.h"

namespace strata::generator {

// Creates a prepared dataset of generated sentences: train, valid and test with disjoint clause
// frames, and gold annotations. Indices count from 0.
//   gold/SET.align: word alignment of each pair, German-English, "i-j i-j ..."
//   gold/SET.{de,en}.links: per word head:relation:kind, and :antecedent for a pronoun; the root
//     has head -1
//   gold/lexicon.tsv: German word, the English words it is most often aligned to in train, count
//   contrastive/{de-en,en-de}.tsv (with `contrastive`): phenomenon, distance, source, correct,
//     wrong
// Valid and test have a twentieth of options.size each, at least 50 and at most 1,000 pairs.
PreparedDataset generateDataset(const std::filesystem::path& datasets, const std::string& name,
                                const GeneratorOptions& options, bool contrastive,
                                Progress& progress = noProgress());

// Translates a German sentence word by word with a dataset's gold lexicon; unknown words are
// copied. A baseline for translation models.
class WordForWord {
 public:
  explicit WordForWord(const std::filesystem::path& lexicon);
  std::string translate(const std::string& german) const;

 private:
  std::map<std::string, std::string> english_;
};

}  // namespace strata::generator
