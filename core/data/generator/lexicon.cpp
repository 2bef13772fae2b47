#include "core/data/generator/lexicon.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "core/data/generator/tables.h"

namespace strata::generator {
namespace {

using Fields = std::vector<std::string>;

std::vector<Fields> rowsOf(const char* table) {
  std::vector<Fields> rows;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    Fields fields;
    for (std::string word; words >> word;) fields.push_back(std::move(word));
    if (!fields.empty()) rows.push_back(std::move(fields));
  }
  return rows;
}

Fields split(const std::string& text, char separator) {
  Fields parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(std::move(part));
  return parts;
}

bool endsInAny(std::string_view word, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](auto ending) { return word.ends_with(ending); });
}

std::string englishPlural(const std::string& singular) {
  if (endsInAny(singular, {"s", "x", "z", "ch", "sh"})) return singular + "es";
  return singular + "s";
}

Noun parseNoun(const Fields& row) {
  Noun noun;
  noun.gender = row[0][0] == 'm'   ? Gender::kMasculine
                : row[0][0] == 'f' ? Gender::kFeminine
                                   : Gender::kNeuter;
  noun.weak = row[0].ends_with('*');
  noun.singular = row[1];
  noun.plural = row[2];
  const auto english = split(row[3], '/');
  noun.english = english[0];
  noun.englishPlural = english.size() > 1 ? english[1] : englishPlural(english[0]);
  noun.kind = row[4][0];
  return noun;
}

Frame frameOf(char letter) {
  switch (letter) {
    case 'T':
      return Frame::kTransitive;
    case 'H':
      return Frame::kDative;
    case 'D':
      return Frame::kDitransitive;
    case 'M':
      return Frame::kMotion;
    case 'C':
      return Frame::kClausal;
    default:
      return Frame::kIntransitive;
  }
}

Verb parseVerb(const Fields& row) {
  Verb verb;
  const auto parts = split(row[0], '+');
  verb.infinitive = parts[0];
  if (parts.size() > 1) verb.particle = parts[1];
  verb.plural = verb.infinitive.substr(verb.particle.size());
  verb.third = row[1];
  verb.participle = row[2];
  verb.withSein = row[3] == "s";
  const auto english = split(row[4], '/');
  verb.english = english[0];
  verb.englishThird = english[1];
  verb.englishPast = english[2];
  verb.frame = frameOf(row[5][0]);
  verb.subjects = row[6];
  verb.objects = row[7];
  return verb;
}

Adjective parseAdjective(const Fields& row) {
  Adjective adjective{.stem = row[0],
                      .predicative = row.size() > 3 ? row[3] : row[0],
                      .english = row[1],
                      .kind = row[2][0]};
  // "müde": the e belongs to the ending.
  if (adjective.stem.ends_with('e')) adjective.stem.pop_back();
  return adjective;
}

Preposition parsePreposition(const Fields& row) {
  Preposition preposition;
  preposition.german = row[0];
  preposition.governs = row[1] == "a"   ? Case::kAccusative
                        : row[1] == "g" ? Case::kGenitive
                                        : Case::kDative;
  preposition.english = row[2];
  std::replace(preposition.english.begin(), preposition.english.end(), '_', ' ');
  preposition.kinds = row[3];
  if (row[4] != "-") preposition.contraction = row[4];
  preposition.use = row[5][0];
  return preposition;
}

std::vector<Name> parseNames() {
  std::vector<Name> names;
  for (const auto& row : rowsOf(kNameTable)) {
    for (std::size_t i = 0; i + 1 < row.size(); i += 2)
      names.push_back({.text = row[i + 1], .feminine = row[i] == "f"});
  }
  return names;
}

// Every first part with every second part.
std::vector<std::string> parseTowns() {
  std::vector<std::string> towns;
  const auto rows = rowsOf(kTownTable);
  for (const auto& first : rows[0]) {
    for (auto second = rows[1].begin() + 1; second != rows[1].end(); ++second)
      towns.push_back(first + *second);
  }
  return towns;
}

Lexicon build() {
  Lexicon lexicon;
  for (const auto& row : rowsOf(kNounTable)) lexicon.nouns.push_back(parseNoun(row));
  for (const auto& row : rowsOf(kVerbTable)) lexicon.verbs.push_back(parseVerb(row));
  for (const auto& row : rowsOf(kAdjectiveTable)) lexicon.adjectives.push_back(parseAdjective(row));
  for (const auto& row : rowsOf(kAdverbTable))
    lexicon.adverbs.push_back({row[0], row[1], row[2][0]});
  for (const auto& row : rowsOf(kPrepositionTable))
    lexicon.prepositions.push_back(parsePreposition(row));
  for (const auto& row : rowsOf(kModifierTable))
    lexicon.modifiers.push_back({row[0], row[1], row[2]});
  lexicon.names = parseNames();
  lexicon.towns = parseTowns();
  return lexicon;
}

// The umlauts are the only letters outside ASCII that begin a word of the tables.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kUmlauts{
    {{"Ä", "ä"}, {"Ö", "ö"}, {"Ü", "ü"}}};

}  // namespace

const Lexicon& Lexicon::get() {
  static const Lexicon lexicon = build();
  return lexicon;
}

std::string lowerFirst(std::string_view word) {
  for (const auto& [upper, lower] : kUmlauts) {
    if (word.starts_with(upper)) return std::string(lower) + std::string(word.substr(upper.size()));
  }
  std::string result(word);
  if (result[0] >= 'A' && result[0] <= 'Z') result[0] = static_cast<char>(result[0] - 'A' + 'a');
  return result;
}

std::string upperFirst(std::string_view word) {
  for (const auto& [upper, lower] : kUmlauts) {
    if (word.starts_with(lower)) return std::string(upper) + std::string(word.substr(lower.size()));
  }
  std::string result(word);
  if (result[0] >= 'a' && result[0] <= 'z') result[0] = static_cast<char>(result[0] - 'a' + 'A');
  return result;
}

}  // namespace strata::generator
