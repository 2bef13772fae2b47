#include "core/data/generator/morphology.h"

#include <cstddef>

namespace strata::generator {
namespace {

// Columns: masculine, feminine, neuter, plural. Rows: nominative, genitive, dative, accusative.
using Paradigm = const char* const[4][4];

std::size_t row(const Agreement& agreement) {
  return static_cast<std::size_t>(agreement.grammaticalCase);
}
std::size_t column(const Agreement& agreement) {
  return agreement.plural ? 3 : static_cast<std::size_t>(agreement.gender);
}

constexpr Paradigm kDefinite = {{"der", "die", "das", "die"},
                                {"des", "der", "des", "der"},
                                {"dem", "der", "dem", "den"},
                                {"den", "die", "das", "die"}};
constexpr Paradigm kRelative = {{"der", "die", "das", "die"},
                                {"dessen", "deren", "dessen", "deren"},
                                {"dem", "der", "dem", "denen"},
                                {"den", "die", "das", "die"}};
constexpr Paradigm kPersonal = {{"er", "sie", "es", "sie"},
                                {"seiner", "ihrer", "seiner", "ihrer"},
                                {"ihm", "ihr", "ihm", "ihnen"},
                                {"ihn", "sie", "es", "sie"}};
constexpr Paradigm kDemonstrativeEndings = {{"er", "e", "es", "e"},
                                            {"es", "er", "es", "er"},
                                            {"em", "er", "em", "en"},
                                            {"en", "e", "es", "e"}};
constexpr Paradigm kEinEndings = {
    {"", "e", "", "e"}, {"es", "er", "es", "er"}, {"em", "er", "em", "en"}, {"en", "e", "", "e"}};
constexpr Paradigm kStrongEndings = {{"er", "e", "es", "e"},
                                     {"en", "er", "en", "er"},
                                     {"em", "er", "em", "en"},
                                     {"en", "e", "es", "e"}};
constexpr Paradigm kWeakEndings = {{"e", "e", "e", "en"},
                                   {"en", "en", "en", "en"},
                                   {"en", "en", "en", "en"},
                                   {"en", "e", "e", "en"}};
constexpr Paradigm kMixedEndings = {{"er", "e", "es", "en"},
                                    {"en", "en", "en", "en"},
                                    {"en", "en", "en", "en"},
                                    {"en", "e", "es", "en"}};

struct Inflected {
  const char* stem;
  const Paradigm* endings;
};
// By Determiner.
constexpr Inflected kDeterminers[] = {{"", nullptr},
                                      {"", &kDefinite},
                                      {"ein", &kEinEndings},
                                      {"dies", &kDemonstrativeEndings},
                                      {"kein", &kEinEndings}};

// Whether the phrase has no article; the indefinite one has no plural.
bool isBare(Determiner determiner, const Agreement& agreement) {
  return determiner == Determiner::kNone ||
         (determiner == Determiner::kIndefinite && agreement.plural);
}

bool isVowel(char c) {
  return std::string_view("aeiouyAEIOUY").find(c) != std::string_view::npos;
}

// Counts groups of vowels; the second byte of an umlaut counts as a vowel.
int syllables(const std::string& word) {
  int count = 0;
  bool inside = false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const auto byte = static_cast<unsigned char>(word[i]);
    const bool umlaut =
        byte == 0xC3 && i + 1 < word.size() && static_cast<unsigned char>(word[i + 1]) != 0x9F;
    const bool vowel = umlaut || isVowel(word[i]);
    if (vowel && !inside) ++count;
    inside = vowel;
    if (byte == 0xC3) ++i;
  }
  return count;
}

std::string genitiveSingular(const std::string& word) {
  if (word.ends_with("nis") || word.ends_with("Bus") || word.ends_with("bus")) return word + "ses";
  for (const std::string_view ending : {"s", "ß", "x", "z", "sch"}) {
    if (word.ends_with(ending)) return word + "es";
  }
  const bool longForm = syllables(word) == 1 && !isVowel(word.back());
  return word + (longForm ? "es" : "s");
}

}  // namespace

std::string determinerForm(Determiner determiner, const Agreement& agreement) {
  if (isBare(determiner, agreement)) return "";
  const auto& [stem, endings] = kDeterminers[static_cast<std::size_t>(determiner)];
  return std::string(stem) + (*endings)[row(agreement)][column(agreement)];
}

std::string adjectiveForm(const std::string& stem, Determiner determiner,
                          const Agreement& agreement) {
  const auto r = row(agreement), c = column(agreement);
  if (isBare(determiner, agreement)) return stem + kStrongEndings[r][c];
  const bool weak = determiner == Determiner::kDefinite || determiner == Determiner::kDemonstrative;
  return stem + (weak ? kWeakEndings : kMixedEndings)[r][c];
}

std::string nounForm(const Noun& noun, Case grammaticalCase, bool plural) {
  if (plural) {
    const bool takesN = grammaticalCase == Case::kDative && !noun.plural.ends_with('n') &&
                        !noun.plural.ends_with('s');
    return takesN ? noun.plural + "n" : noun.plural;
  }
  if (grammaticalCase == Case::kNominative || noun.gender == Gender::kFeminine)
    return noun.singular;
  if (noun.weak) return noun.plural;
  return grammaticalCase == Case::kGenitive ? genitiveSingular(noun.singular) : noun.singular;
}

std::string relativePronoun(const Agreement& agreement) {
  return kRelative[row(agreement)][column(agreement)];
}

std::string personalPronoun(const Agreement& agreement) {
  return kPersonal[row(agreement)][column(agreement)];
}

}  // namespace strata::generator
