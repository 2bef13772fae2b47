#include <array>
#include <utility>

#include "core/data/generator/plan.h"

// English word order: subject, auxiliary, verb, object, "to" recipient, manner, place, time; the
// clause's order never changes.
namespace strata::generator {
namespace {

constexpr std::array<const char*, 13> kEnglishNumbers{"",     "",       "two",   "three", "four",
                                                      "five", "six",    "seven", "eight", "nine",
                                                      "ten",  "eleven", "twelve"};
constexpr std::array<const char*, 6> kEnglishConjunctions{"",         "because", "when",
                                                          "although", "while",   "that"};
// Singular and plural, by Determiner.
constexpr std::array<std::array<const char*, 2>, 5> kEnglishDeterminers{
    {{"", ""}, {"the", "the"}, {"a", ""}, {"this", "these"}, {"no", "no"}}};

bool startsWithVowelSound(const std::string& word) {
  for (const std::string_view silent : {"honest", "hour"}) {
    if (word.starts_with(silent)) return true;
  }
  for (const std::string_view consonant : {"useful", "uni", "euro", "one"}) {
    if (word.starts_with(consonant)) return false;
  }
  return !word.empty() && std::string_view("aeiou").find(word[0]) != std::string_view::npos;
}

class EnglishWriter {
 public:
  std::vector<Word> write(const Clause& sentence) {
    if (sentence.subordinate && sentence.subordinateFirst) {
      subordinate(sentence);
      add(",", -1, sentence.meaning, "punct", '.');
    }
    clause(sentence, -1, "root", sentence.first == FirstField::kQuestion);
    if (sentence.subordinate && !sentence.subordinateFirst) subordinate(sentence);
    add(sentence.first == FirstField::kQuestion ? "?" : ".", sentence.endMeaning, sentence.meaning,
        "punct", '.');
    words_.front().text = upperFirst(words_.front().text);
    return std::move(words_);
  }

 private:
  void add(std::string text, int meaning, int head, const char* relation, char kind,
           const NounPhrase* antecedent = nullptr) {
    if (!text.empty())
      words_.push_back({std::move(text), meaning, head, relation, kind, antecedent});
  }

  // The words before the main verb, auxiliary first, and the main verb's form.
  struct VerbGroup {
    std::vector<const char*> before;
    std::string main;
  };

  static VerbGroup verbGroup(const Clause& clause, bool plural, bool question) {
    VerbGroup group;
    const auto aux = [&](const char* text) { group.before.push_back(text); };
    const bool past = clause.tense == Tense::kPast;
    if (clause.verb == nullptr) {
      group.main = past ? (plural ? "were" : "was") : (plural ? "are" : "is");
      return group;
    }
    group.main = clause.verb->english;
    const bool helped = clause.negated || question;  // by "do"
    if (clause.modal == Modal::kWant) {
      if (helped) aux(plural ? "do" : "does");
      aux(helped || plural ? "want" : "wants");
      aux("to");
    } else if (clause.modal != Modal::kNone) {
      aux(clause.modal == Modal::kCan ? "can" : clause.modal == Modal::kMust ? "must" : "should");
    } else if (clause.tense == Tense::kFuture) {
      aux("will");
    } else if (helped) {
      aux(past ? "did" : plural ? "do" : "does");
    } else if (past) {
      group.main = clause.verb->englishPast;
    } else if (!plural) {
      group.main = clause.verb->englishThird;
    }
    return group;
  }

  void clause(const Clause& clause, int governor, const char* relation, bool question) {
    const bool plural = clause.pluralVerb();
    const VerbGroup group = verbGroup(clause, plural, question);
    const bool copula = clause.verb == nullptr;
    const auto mainVerb = [&] { add(group.main, clause.meaning, governor, relation, 'v'); };
    std::size_t next = 0;
    const auto auxiliary = [&] {
      if (next < group.before.size())
        add(group.before[next++], clause.auxiliaryMeaning, clause.meaning, "aux", 'v');
    };
    const auto finiteVerb = [&] { copula ? mainVerb() : auxiliary(); };
    if (question) finiteVerb();
    if (clause.gap != Role::kSubject) phrase(*clause.subject, clause.meaning, "nsubj", false);
    if (!question) finiteVerb();
    if (clause.negated) add("not", clause.negationMeaning, clause.meaning, "advmod", 'f');
    while (next < group.before.size()) auxiliary();
    if (!copula) mainVerb();
    rest(clause);
  }

  void rest(const Clause& clause) {
    if (clause.predicate != nullptr)
      add(clause.predicate->english, clause.predicateMeaning, clause.meaning, "xcomp", 'a');
    if (clause.object && clause.gap != Role::kObject)
      phrase(*clause.object, clause.meaning, "obj", true);
    if (clause.recipient) {
      add("to", -1, clause.recipient->meaning, "case", 'f');
      phrase(*clause.recipient, clause.meaning, "obl", true);
    }
    if (clause.manner != nullptr)
      add(clause.manner->english, clause.mannerMeaning, clause.meaning, "advmod", 'b');
    if (clause.place) place(clause);
    if (clause.time != nullptr)
      add(clause.time->english, clause.timeMeaning, clause.meaning, "advmod", 'b');
  }

  void subordinate(const Clause& main) {
    const Clause& inner = *main.subordinate;
    add(kEnglishConjunctions[static_cast<std::size_t>(main.conjunction)], main.conjunctionMeaning,
        inner.meaning, "mark", 'f');
    clause(inner, main.meaning, main.conjunction == Conjunction::kThat ? "ccomp" : "advcl", false);
    if (inner.subordinate) subordinate(inner);
  }

  void place(const Clause& clause) {
    const PlaceAdjunct& adjunct = *clause.place;
    if (adjunct.year != 0) {
      add("in", adjunct.meaning, adjunct.townMeaning, "case", 'f');
      add("the", adjunct.meaning, adjunct.townMeaning, "det", 'd');
      add("year", adjunct.townMeaning, clause.meaning, "obl", 'n');
      add(std::to_string(adjunct.year), adjunct.townMeaning + 1, adjunct.townMeaning, "nummod",
          'c');
      return;
    }
    const int head = adjunct.town.empty() ? adjunct.phrase->meaning : adjunct.townMeaning;
    prepositionWords(*adjunct.preposition, adjunct, head);
    if (adjunct.town.empty()) {
      phrase(*adjunct.phrase, clause.meaning, "obl", true);
    } else {
      add(adjunct.town, adjunct.townMeaning, clause.meaning, "obl", 'm');
    }
  }

  void prepositionWords(const Preposition& preposition, const PlaceAdjunct& adjunct, int head) {
    const auto space = preposition.english.find(' ');
    add(preposition.english.substr(0, space), adjunct.meaning, head, "case", 'f');
    if (space != std::string::npos)
      add(preposition.english.substr(space + 1), adjunct.meaning, head, "fixed", 'f');
  }

  static const char* pronounForm(const NounPhrase& pronoun, bool object) {
    const NounPhrase& antecedent = *pronoun.antecedent;
    if (antecedent.plural) return object ? "them" : "they";
    if (!antecedent.person()) return "it";
    if (antecedent.feminine()) return object ? "her" : "she";
    if (antecedent.gender() == Gender::kMasculine) return object ? "him" : "he";
    return "it";
  }

  void phrase(const NounPhrase& noun, int head, const char* relation, bool object) {
    if (noun.pronoun()) {
      add(pronounForm(noun, object), noun.meaning, head, relation, 'p', noun.antecedent);
      return;
    }
    if (noun.name != nullptr) {
      add(noun.name->text, noun.meaning, head, relation, 'm');
      return;
    }
    const std::string& headWord = noun.plural ? noun.noun->englishPlural : noun.noun->english;
    if (noun.owner) {
      owner(noun);
    } else {
      determiner(noun, !noun.adjectives.empty()   ? noun.adjectives.front()->english
                       : noun.modifier != nullptr ? noun.modifier->english
                                                  : headWord);
    }
    if (noun.number > 0) {
      const auto number = static_cast<std::size_t>(noun.number);
      add(number < kEnglishNumbers.size() ? kEnglishNumbers[number] : std::to_string(noun.number),
          noun.numberMeaning, noun.meaning, "nummod", 'c');
    }
    for (std::size_t i = 0; i < noun.adjectives.size(); ++i) {
      add(noun.adjectives[i]->english, noun.adjectiveMeanings[i], noun.meaning, "amod", 'a');
    }
    // A compound is one word in German: its modifier carries the noun's meaning.
    if (noun.modifier != nullptr)
      add(noun.modifier->english, noun.meaning, noun.meaning, "compound", 'n');
    add(headWord, noun.meaning, head, relation, 'n');
    if (noun.relative) relative(*noun.relative, noun);
  }

  void owner(const NounPhrase& noun) {
    phrase(*noun.owner, noun.meaning, "nmod:poss", false);
    const bool bare = words_.back().text.ends_with('s') && noun.owner->plural;
    add(bare ? "'" : "'s",
        noun.owner->name != nullptr ? noun.owner->meaning : noun.owner->determinerMeaning,
        noun.owner->meaning, "case", 'f');
  }

  void determiner(const NounPhrase& noun, const std::string& next) {
    std::string text =
        kEnglishDeterminers[static_cast<std::size_t>(noun.determiner)][noun.plural ? 1 : 0];
    if (text == "a" && startsWithVowelSound(next)) text = "an";
    add(std::move(text), noun.determinerMeaning, noun.meaning, "det", 'd');
  }

  void relative(const Clause& inner, const NounPhrase& head) {
    const bool subject = inner.gap == Role::kSubject;
    add(head.person() ? "who" : "that", inner.relativeMeaning, inner.meaning,
        subject ? "nsubj" : "obj", 'p', &head);
    clause(inner, head.meaning, "acl:relcl", false);
  }

  std::vector<Word> words_;
};

}  // namespace

std::vector<Word> writeEnglish(const Clause& sentence) {
  return EnglishWriter().write(sentence);
}

}  // namespace strata::generator
