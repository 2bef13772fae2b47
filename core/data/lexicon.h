#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/progress.h"
#include "core/base/string_map.h"
#include "core/data/dataset.h"
#include "core/data/word_alignment.h"
#include "core/text/pipeline.h"

namespace strata {

// A translation of a word.
struct LexiconEntry {
  std::string source, target;
  double probability = 1;  // p(target | source), (0, 1]
};

// What IBM Model 1 says of a corpus, in order of the source words' first appearance, the most
// likely translation first.
struct LearntLexicon {
  // Few and reliable, for unknown words (models.md 2.10): p(target | source) by the links that both
  // directions agree on, the share of the source word's links; only entries linked often enough.
  std::vector<LexiconEntry> linked;
  // Many, for shortlists (models.md 6): the model's own p(target | source); of each source word the
  // most likely.
  std::vector<LexiconEntry> likely;
};
struct LexiconOptions {
  int iterations = 5;
  std::int64_t minimumLinks = 2;    // of `linked`
  std::int64_t mostLikely = 100;    // of `likely`, per source word
  double leastProbability = 0.001;  // of `likely`
};
LearntLexicon learnLexicon(const WordPairs& pairs, const LexiconOptions& options,
                           Progress& progress = noProgress());

// The words of a dataset's train set, before BPE and vocabulary.
WordPairs trainWords(const Dataset& dataset, Progress& progress = noProgress());

// The two dictionaries that belong to a dataset.
enum class LexiconKind { kLinked, kLikely };
std::filesystem::path lexiconFile(const Dataset& dataset, LexiconKind kind);
// What one of them says; a usage error that names the command where there is none.
std::vector<LexiconEntry> lexiconOf(const Dataset& dataset, LexiconKind kind);

// One "source<TAB>target<TAB>p" per line after a first line with format, version and digest of the
// rest; replaced atomically.
void writeLexicon(const std::filesystem::path& path, const std::vector<LexiconEntry>& entries);
// Reads such a file, verifying its digest, or a plain list of "source<TAB>target[<TAB>p]" (p = 1 if
// absent; a byte order mark is dropped with a warning). Errors name file and line.
std::vector<LexiconEntry> readLexicon(const std::filesystem::path& path);

// A dictionary that the user gives for this pipeline's texts, as readLexicon() reads it. A usage
// error: it leads from target to source, by the words that only one of the two vocabularies has, or
// it is empty (of which some uses only warn). Warnings: most of it seems to be reversed, or none of
// its source words is in the source vocabulary as a whole.
enum class IfEmpty { kRefuse, kWarn };
std::vector<LexiconEntry> readDictionary(const std::filesystem::path& path,
                                         const TextPipeline& text,
                                         IfEmpty ifEmpty = IfEmpty::kRefuse);

// The best translation of each word: the most likely one, ties by order.
class Lexicon {
 public:
  Lexicon() = default;
  explicit Lexicon(const std::vector<LexiconEntry>& entries);
  // The word itself if it has no translation.
  std::string_view translationOf(std::string_view source) const;
  std::size_t size() const { return best_.size(); }

 private:
  StringMap<LexiconEntry> best_;
};

}  // namespace strata
