#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace strata::generator {

// How many words of a table are used: the first ones of each class of words, in proportion to the
// class's size. 0: all.
struct WordCounts {
  std::int64_t nouns = 0, verbs = 0, adjectives = 0;

  bool operator==(const WordCounts&) const = default;
};

// Options of the generated corpus.
struct GeneratorOptions {
  std::int64_t size = 20000;  // training pairs; valid and test are created in addition
  std::uint64_t seed = 1;
  int minLength = 3, maxLength = 25;  // German words, including punctuation
  int depth = 1;                      // nesting depth of clauses below the main clause, 0 .. 4
  double ambiguity = 0.2;  // probability, 0 .. 1, of making a pronoun or a role ambiguous (resolved
                           // only by meaning or agreement) where possible
  WordCounts words = {};
  std::int64_t merges = 4000;  // of the BPE of its dataset; splits compounds and names into parts
};

// Throws a usage error that names the option.
void check(const GeneratorOptions& options);

enum class Split { kTrain, kValid, kTest };

// Gold annotation of one word.
struct GoldToken {
  int head = -1;         // index of the governing word; -1: the root
  std::string relation;  // "nsubj", "obj", "acl:relcl", ... (Universal Dependencies' names)
  char kind = 'f';      // n noun, v verb, a adjective, b adverb, p pronoun, d determiner, m name, c
                        // number, f function word, . mark
  int antecedent = -1;  // of a pronoun: index of the word it refers to
};

struct GeneratedPair {
  std::vector<std::string> german, english;
  std::vector<std::pair<int, int>> alignment;  // German index, English index; sorted
  std::vector<GoldToken> germanGold, englishGold;
};

// Two translations of a sentence; one has a single wrong word.
struct ContrastivePair {
  std::string phenomenon;  // "agreement" or "particle"
  int distance = 0;  // words from the first part (subject, verb) to the second (verb, particle)
  std::string source, correct, wrong;
};

// An endless seeded stream of sentence pairs of one split. Splits have no clause frame, and so no
// sentence, in common.
class SentenceGenerator {
 public:
  SentenceGenerator(const GeneratorOptions& options, Split split);
  ~SentenceGenerator();

  GeneratedPair next();

  // From German into English (intoGerman false: subject-verb agreement) or from English into German
  // (alternating agreement and separable particles).
  ContrastivePair nextContrastive(bool intoGerman);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace strata::generator
