#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "core/base/progress.h"
#include "core/data/generator/generator.h"
#include "core/data/prepare.h"

namespace strata::generator {

// Makes a prepared dataset of generated sentences: train, valid and test of disjoint clause frames,
// with the gold truth beside them:
//   gold/SET.align          German-English word links of each pair, "i-j i-j ...", from 0
//   gold/SET.{de,en}.links  per word head:relation:kind, and :antecedent of a pronoun, from 0; head
//   -1 is the root gold/lexicon.tsv        German word, the English words it is most often linked
//   with in train, how often contrastive/{de-en,en-de}.tsv  phenomenon, distance, source, correct,
//   wrong (with `contrastive`)
// Valid and test hold a twentieth of options.size each, at least 50 and at most 1,000 pairs.
PreparedDataset generateDataset(const std::filesystem::path& datasets, const std::string& name,
                                const GeneratorOptions& options, bool contrastive,
                                Progress& progress = noProgress());

// The English of a German sentence, word by word, by a dataset's gold lexicon (words that it lacks
// stay). What a translation model has to beat.
class WordForWord {
 public:
  explicit WordForWord(const std::filesystem::path& lexicon);
  std::string translate(const std::string& german) const;

 private:
  std::map<std::string, std::string> english_;
};

}  // namespace strata::generator
