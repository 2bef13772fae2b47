#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/data/generator/generator.h"
#include "core/data/generator/plan.h"

namespace strata::generator {

// Draws the meaning of sentences. The hash of a clause frame (a verb or an adjective with its
// lexical heads) assigns it to one split, so that no frame of a test set occurs in train, however
// much is generated.
class Planner {
 public:
  // What it is given must outlive it and the sentences that it draws.
  Planner(const GeneratorOptions& options, const Lexicon& lexicon, Split split,
          RandomStream& random);

  Clause sentence();

 private:
  bool chance(double probability) { return random_.uniform() < probability; }
  template <typename T>
  const T* pick(const std::vector<const T*>& items);  // prefers the first ones
  const std::vector<const Noun*>& nounsOf(const std::string& kinds);
  const std::vector<const Adjective*>& adjectivesOf(bool animate);
  bool inSplit(const std::string& frame) const;
  int meaning() { return meanings_++; }

  Clause clause(int depth, const NounPhrase* head, Role gap);
  bool drawFrame(Clause& clause, const NounPhrase* head, Role gap, int depth);
  const Verb* drawVerb(const NounPhrase* head, Role gap, int depth);
  std::unique_ptr<NounPhrase> heads(const std::string& kinds, bool allowName);
  void decorate(NounPhrase& phrase, int depth, bool mayOwn);
  void chooseTense(Clause& clause);
  void addAdverbs(Clause& clause);
  std::unique_ptr<PlaceAdjunct> place(const Clause& clause);
  void addSubordinate(Clause& clause, int depth);
  bool pronounClause(Clause& main, Clause& inner);
  void chooseOrder(Clause& clause);
  bool rolesVisible(const NounPhrase& subject, const NounPhrase& object, bool dative) const;

  const GeneratorOptions& options_;
  const Lexicon& lexicon_;
  Split split_;
  RandomStream& random_;
  double richness_ = 0.5;  // of this sentence in optional parts, in [0, 1]
  int meanings_ = 0;
  std::map<std::string, std::vector<const Noun*>> nouns_;
  std::vector<const Adjective*> ofAnimate_, ofThings_;
};

}  // namespace strata::generator
