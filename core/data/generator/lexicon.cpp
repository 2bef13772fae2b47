#include "core/data/generator/lexicon.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/base/utf8.h"
#include "core/data/generator/word_table.h"
#include "core/text/casing.h"
#include "embedded/wordTables.h"

namespace strata::generator {
namespace {

constexpr std::string_view kClasses = "PATFLVDC";  // of nouns; see Noun::kind

// Reads a word table built into the program.
std::vector<WordRow> tableOf(std::string_view file, const std::vector<std::string_view>& columns) {
  for (const auto& [name, text] : embedded::wordTables()) {
    if (name == file) return readWordTable(file, text, columns);
  }
  throw Error("{}: the program was built without this word table", file);
}

template <typename Parse>
auto parseTable(std::string_view file, const std::vector<std::string_view>& columns, Parse parse) {
  std::vector<decltype(parse(std::declval<const WordRow&>()))> words;
  for (const WordRow& row : tableOf(file, columns)) words.push_back(parse(row));
  return words;
}

std::string regularPlural(const std::string& singular) {
  for (const std::string_view ending : {"s", "x", "z", "ch", "sh"}) {
    if (singular.ends_with(ending)) return singular + "es";
  }
  return singular + "s";
}

// The value of an enumeration whose values these letters stand for, in order.
template <typename Value>
Value valueOf(std::string_view letters, char letter) {
  return static_cast<Value>(letters.find(letter));
}

Noun parseNoun(const WordRow& row) {
  Noun noun;
  const std::string& gender = row.oneOf("gender", {"m", "m*", "f", "n"});
  noun.gender = valueOf<Gender>("mfn", gender.front());
  noun.weak = gender.ends_with('*');
  noun.singular = row.text("singular");
  noun.plural = row.text("plural");
  noun.english = row.text("english");
  noun.englishPlural = row.textOrNothing("english plural");
  if (noun.englishPlural.empty()) noun.englishPlural = regularPlural(noun.english);
  noun.kind = row.letter("class", kClasses);
  return noun;
}

Verb parseVerb(const WordRow& row) {
  Verb verb;
  verb.infinitive = row.text("infinitive");
  verb.particle = row.textOrNothing("particle");
  if (!verb.infinitive.starts_with(verb.particle))
    row.refuse("infinitive", "an infinitive that begins with its particle");
  verb.third = row.text("third person");
  verb.plural = verb.infinitive.substr(verb.particle.size());
  verb.participle = row.text("participle");
  verb.withSein = row.letter("auxiliary", "hs") == 's';
  verb.english = row.text("english");
  verb.englishThird = row.text("english third");
  verb.englishPast = row.text("english past");
  verb.frame = valueOf<Frame>("THDIMC", row.letter("frame", "THDIMC"));
  verb.subjects = row.letters("subjects", kClasses);
  verb.objects = row.text("objects") == "-" ? "-" : row.letters("objects", kClasses);
  return verb;
}

Adjective parseAdjective(const WordRow& row) {
  Adjective adjective{.stem = row.text("stem"),
                      .predicative = row.textOrNothing("predicative"),
                      .english = row.text("english"),
                      .kind = row.letter("use", "aib")};
  if (adjective.predicative.empty()) adjective.predicative = adjective.stem;
  // "müde": the e belongs to the ending.
  if (adjective.stem.ends_with('e')) adjective.stem.pop_back();
  return adjective;
}

Adverb parseAdverb(const WordRow& row) {
  return {row.text("german"), row.text("english"), row.letter("use", "tpfmx")};
}

Preposition parsePreposition(const WordRow& row) {
  return {.german = row.text("german"),
          .english = row.text("english"),
          .governs = valueOf<Case>("ngda", row.letter("case", "adg")),
          .kinds = row.letters("classes", kClasses),
          .contraction = row.textOrNothing("contraction"),
          .use = row.letter("use", "wdco")};
}

Modifier parseModifier(const WordRow& row) {
  return {row.text("german"), row.text("english"), row.letters("classes", kClasses)};
}

Name parseName(const WordRow& row) {
  return {.text = row.text("name"), .feminine = row.letter("gender", "mf") == 'f'};
}

// Combines every first part with every second part.
std::vector<std::string> parseTowns() {
  std::vector<std::string> firsts, seconds, towns;
  for (const WordRow& row : tableOf("towns.tsv", {"part", "text"}))
    (row.oneOf("part", {"first", "second"}) == "first" ? firsts : seconds)
        .push_back(row.text("text"));
  for (const auto& first : firsts) {
    for (const auto& second : seconds) towns.push_back(first + second);
  }
  return towns;
}

// The words that come first in their class, in the table's order. `classOf` gives a word's class.
template <typename Word, typename ClassOf>
std::vector<Word> firstOfEach(const std::vector<Word>& words, std::int64_t count, ClassOf classOf) {
  if (count == 0) return words;
  std::map<decltype(classOf(words.front())), double> sizes, before;
  for (const Word& word : words) ++sizes[classOf(word)];
  std::vector<std::pair<double, std::size_t>> places;  // in the class, as a share of it; row
  for (std::size_t row = 0; row < words.size(); ++row) {
    const auto wordClass = classOf(words[row]);
    places.emplace_back((before[wordClass]++ + 0.5) / sizes[wordClass], row);
  }
  std::sort(places.begin(), places.end());
  places.resize(std::min(places.size(), static_cast<std::size_t>(count)));
  std::sort(places.begin(), places.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; });
  std::vector<Word> kept;
  for (const auto& [place, row] : places) kept.push_back(words[row]);
  return kept;
}

Lexicon build() {
  return {.nouns = parseTable(
              "nouns.tsv", {"gender", "singular", "plural", "english", "english plural", "class"},
              parseNoun),
          .verbs = parseTable(
              "verbs.tsv",
              {"infinitive", "particle", "third person", "participle", "auxiliary", "english",
               "english third", "english past", "frame", "subjects", "objects"},
              parseVerb),
          .adjectives = parseTable("adjectives.tsv", {"stem", "predicative", "english", "use"},
                                   parseAdjective),
          .adverbs = parseTable("adverbs.tsv", {"german", "english", "use"}, parseAdverb),
          .prepositions = parseTable("prepositions.tsv",
                                     {"german", "case", "english", "classes", "contraction", "use"},
                                     parsePreposition),
          .modifiers = parseTable("modifiers.tsv", {"german", "english", "classes"}, parseModifier),
          .names = parseTable("names.tsv", {"gender", "name"}, parseName),
          .towns = parseTowns()};
}

}  // namespace

const Lexicon& Lexicon::get() {
  static const Lexicon lexicon = build();
  return lexicon;
}

Lexicon Lexicon::shortened(const WordCounts& counts) const {
  Lexicon kept = *this;
  kept.nouns = firstOfEach(nouns, counts.nouns, [](const Noun& noun) { return noun.kind; });
  kept.verbs = firstOfEach(verbs, counts.verbs, [](const Verb& verb) { return verb.frame; });
  kept.adjectives = firstOfEach(adjectives, counts.adjectives,
                                [](const Adjective& adjective) { return adjective.kind; });
  return kept;
}

std::string lowerFirst(std::string_view word) {
  std::size_t rest = 0;
  decodeUtf8(word, rest);
  return lowercased(word.substr(0, rest)).append(word.substr(rest));
}

std::string upperFirst(std::string_view word) {
  std::string result;
  appendUppercasedFirst(word, result);
  return result;
}

}  // namespace strata::generator
