#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/data/generator/morphology.h"

// The meaning of a sentence, from which both languages are generated. Every meaning-bearing part
// has a number, its meaning; words of both sides with the same meaning are aligned.
namespace strata::generator {

struct Clause;

struct NounPhrase {
  const Noun* noun = nullptr;  // null: a name or a pronoun
  const Name* name = nullptr;
  Determiner determiner = Determiner::kDefinite;
  bool plural = false;
  int number = 0;  // a numeral before the noun ("drei Hunde"); 0: none
  std::vector<const Adjective*> adjectives;
  const Modifier* modifier = nullptr;      // a compound: "Gartentür", "garden door"
  std::unique_ptr<NounPhrase> owner;       // genitive: "das Buch des Mannes", "the man 's book"
  std::unique_ptr<Clause> relative;        // relative clause; its subject or object is this phrase
  const NounPhrase* antecedent = nullptr;  // of a pronoun

  int meaning = -1, determinerMeaning = -1, numberMeaning = -1, modifierMeaning = -1;
  std::vector<int> adjectiveMeanings;

  bool pronoun() const { return antecedent != nullptr; }
  bool person() const { return name != nullptr || (noun != nullptr && noun->kind == 'P'); }
  bool animate() const { return name != nullptr || (noun != nullptr && noun->animate()); }
  Gender gender() const;
  bool feminine() const;  // "she" in English
};

enum class Tense { kPresent, kPast, kFuture };
enum class Modal { kNone, kCan, kMust, kWant, kShould };
enum class Conjunction { kNone, kBecause, kWhen, kAlthough, kWhile, kThat };
enum class Role { kNone, kSubject, kObject };
enum class FirstField { kSubject, kTime, kObject, kPlace, kQuestion };

struct PlaceAdjunct {
  const Preposition* preposition = nullptr;
  std::unique_ptr<NounPhrase> phrase;  // or a town
  std::string town;
  int year = 0;  // "im Jahr 1987" instead of a phrase
  int meaning = -1, townMeaning = -1;
};

// A clause: a verb with its phrases, or "to be" with an adjective (verb null).
struct Clause {
  const Verb* verb = nullptr;
  const Adjective* predicate = nullptr;
  Tense tense = Tense::kPresent;
  Modal modal = Modal::kNone;
  bool negated = false;
  std::unique_ptr<NounPhrase> subject, object, recipient;
  Role gap = Role::kNone;            // in a relative clause: the role of the phrase it modifies
  const NounPhrase* head = nullptr;  // that phrase
  const Adverb* time = nullptr;
  const Adverb* manner = nullptr;
  std::unique_ptr<PlaceAdjunct> place;
  FirstField first = FirstField::kSubject;
  Conjunction conjunction = Conjunction::kNone;  // of `subordinate`
  std::unique_ptr<Clause> subordinate;
  bool subordinateFirst = false;

  // For contrastive pairs: the finite verb with the wrong number; a wrong particle.
  bool wrongAgreement = false;
  std::string wrongParticle;

  int meaning = -1, auxiliaryMeaning = -1, negationMeaning = -1, timeMeaning = -1,
      mannerMeaning = -1;
  int conjunctionMeaning = -1, relativeMeaning = -1, predicateMeaning = -1, endMeaning = -1;

  const NounPhrase& subjectPhrase() const { return gap == Role::kSubject ? *head : *subject; }
  bool pluralVerb() const { return subjectPhrase().plural != wrongAgreement; }
};

// One generated word: its meaning, the meaning of its head (-1: the root), the relation, and a
// coarse word class.
struct Word {
  std::string text;
  int meaning = -1;
  int head = -1;
  const char* relation = "";
  char kind = 'f';  // n noun, v verb, a adjective, b adverb, p pronoun, d determiner, m name, c
                    // number, f other function word, . punctuation
  const NounPhrase* antecedent = nullptr;
};

std::vector<Word> writeGerman(const Clause& sentence);
std::vector<Word> writeEnglish(const Clause& sentence);

}  // namespace strata::generator
