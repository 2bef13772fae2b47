#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace strata::generator {

// The knobs of the controlled corpus.
struct GeneratorOptions {
  std::int64_t size = 20000;  // pairs of the training set; valid and test are made beside it
  std::uint64_t seed = 1;
  int minLength = 3, maxLength = 25;  // German words, punctuation counted
  int depth = 1;                      // clauses nested in one another below the main clause, 0 .. 4
  double ambiguity = 0.2;  // share, 0 .. 1, of chances taken to leave a pronoun or a role to
                           // meaning and agreement alone
};

// Throws a usage error that names the option.
void check(const GeneratorOptions& options);

enum class Split { kTrain, kValid, kTest };

// What the grammar knows of one word.
struct GoldToken {
  int head = -1;         // index of the governing word; -1: the root
  std::string relation;  // "nsubj", "obj", "acl:relcl", ... (Universal Dependencies' names)
  char kind = 'f';      // n noun, v verb, a adjective, b adverb, p pronoun, d determiner, m name, c
                        // number, f function word, . mark
  int antecedent = -1;  // of a pronoun: index of the word that it stands for
};

struct GeneratedPair {
  std::vector<std::string> german, english;
  std::vector<std::pair<int, int>> alignment;  // German index, English index; sorted
  std::vector<GoldToken> germanGold, englishGold;
};

// A pair of translations of which one is wrong in a single word.
struct ContrastivePair {
  std::string phenomenon;  // "agreement" or "particle"
  int distance = 0;  // words from the first part (subject, verb) to the second (verb, particle)
  std::string source, correct, wrong;
};

// An endless seeded stream of sentence pairs of one split. The splits share no clause frame, hence
// no sentence.
class SentenceGenerator {
 public:
  SentenceGenerator(const GeneratorOptions& options, Split split);
  ~SentenceGenerator();

  GeneratedPair next();

  // From German into English (intoGerman false: subject-verb agreement) or from English into German
  // (agreement and separable particles, in turn).
  ContrastivePair nextContrastive(bool intoGerman);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace strata::generator
