#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/data/generator/generator.h"

namespace strata::generator {

enum class Gender { kMasculine, kFeminine, kNeuter };
enum class Case { kNominative, kGenitive, kDative, kAccusative };

struct Noun {
  Gender gender = Gender::kMasculine;
  bool weak = false;  // n-declension: the oblique singular is the plural's form
  std::string singular, plural;
  std::string english, englishPlural;
  char kind =
      'T';  // P person, A animal, T thing, F food, L place, V vehicle, D document, C clothing

  bool animate() const { return kind == 'P' || kind == 'A'; }
};

// A verb's arguments besides its subject.
enum class Frame { kTransitive, kDative, kDitransitive, kIntransitive, kMotion, kClausal };

struct Verb {
  std::string infinitive;  // with the particle: "anrufen"
  std::string particle;    // "an"; empty if the verb is not separable
  std::string third;       // third person singular without the particle: "ruft"
  std::string plural;      // third person plural without the particle: "rufen"
  std::string participle;  // "angerufen"
  bool withSein = false;   // perfect with sein
  std::string english, englishThird, englishPast;
  Frame frame = Frame::kTransitive;
  std::string subjects, objects;  // classes of nouns
};

struct Adjective {
  std::string stem, predicative, english;
  char kind = 'b';  // a: of persons and animals, i: of things, b: of both
};

struct Adverb {
  std::string german, english;
  char kind = 't';  // t with the present, p with the past, f with the future, m manner, x place
};

struct Preposition {
  std::string german, english;
  Case governs = Case::kDative;
  std::string kinds = {};        // classes of the nouns
  std::string contraction = {};  // with "dem": "im"; empty: none
  char use = 'w';                // w where, d direction, c companion, o other
};

struct Modifier {
  std::string german, english;  // "Garten", "garden"
  std::string kinds;            // classes of the heads
};

struct Name {
  std::string text;
  bool feminine = false;
};

// All words, read once from resources/generator; earlier ones are drawn more often.
struct Lexicon {
  std::vector<Noun> nouns;
  std::vector<Verb> verbs;
  std::vector<Adjective> adjectives;
  std::vector<Adverb> adverbs;
  std::vector<Preposition> prepositions;
  std::vector<Modifier> modifiers;
  std::vector<Name> names;
  std::vector<std::string> towns;

  static const Lexicon& get();

  Lexicon shortened(const WordCounts& counts) const;
};

// A word, which is not empty, with its first letter in the other case.
std::string lowerFirst(std::string_view word);
std::string upperFirst(std::string_view word);

}  // namespace strata::generator
