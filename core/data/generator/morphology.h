#pragma once
#include <string>

#include "core/data/generator/lexicon.h"

// German forms: articles, adjective endings, nouns and pronouns by case, gender and number.
namespace strata::generator {

// The features that article, adjectives and noun of a phrase agree in.
struct Agreement {
  Case grammaticalCase = Case::kNominative;
  Gender gender = Gender::kMasculine;
  bool plural = false;
};

enum class Determiner { kNone, kDefinite, kIndefinite, kDemonstrative, kNegative };

std::string determinerForm(Determiner determiner,
                           const Agreement& agreement);  // empty if there is none
std::string adjectiveForm(const std::string& stem, Determiner determiner,
                          const Agreement& agreement);
std::string nounForm(const Noun& noun, Case grammaticalCase, bool plural);
std::string relativePronoun(const Agreement& agreement);
std::string personalPronoun(const Agreement& agreement);

}  // namespace strata::generator
