#include <array>
#include <utility>

#include "core/data/generator/plan.h"

// German word order: verb-second in main clauses, verb-final in subordinate and relative ones;
// separable particles, participles and infinitives at the end of a main clause.
namespace strata::generator {
namespace {

constexpr std::array<const char*, 13> kGermanNumbers{"",     "",      "zwei",   "drei", "vier",
                                                     "fünf", "sechs", "sieben", "acht", "neun",
                                                     "zehn", "elf",   "zwölf"};
constexpr std::array<std::pair<const char*, const char*>, 5> kModals{
    {{"", ""}, {"kann", "können"}, {"muss", "müssen"}, {"will", "wollen"}, {"soll", "sollen"}}};
constexpr std::array<const char*, 6> kGermanConjunctions{"",       "weil",    "wenn",
                                                         "obwohl", "während", "dass"};

class GermanWriter {
 public:
  std::vector<Word> write(const Clause& sentence) {
    if (sentence.subordinate && sentence.subordinateFirst) {
      subordinate(sentence);
      add(",", -1, sentence.meaning, "punct", '.');
      mainClause(sentence, /*afterSubordinate=*/true);
    } else {
      mainClause(sentence, false);
      if (sentence.subordinate) {
        add(",", -1, sentence.meaning, "punct", '.');
        subordinate(sentence);
      }
    }
    add(sentence.first == FirstField::kQuestion ? "?" : ".", sentence.endMeaning, sentence.meaning,
        "punct", '.');
    dropDoubledCommas();
    words_.front().text = upperFirst(words_.front().text);
    return std::move(words_);
  }

 private:
  // The left and the right sentence bracket (Satzklammer).
  struct VerbGroup {
    Word finite;
    std::vector<Word> final;  // particle, participle or infinitive, in main-clause order
  };

  void add(std::string text, int meaning, int head, const char* relation, char kind,
           const NounPhrase* antecedent = nullptr) {
    if (!text.empty())
      words_.push_back({std::move(text), meaning, head, relation, kind, antecedent});
  }

  VerbGroup verbGroup(const Clause& clause, bool final) const {
    const bool plural = clause.pluralVerb();
    const auto word = [&](std::string text, int meaning, const char* relation) {
      return Word{std::move(text), meaning, clause.meaning, relation, 'v', nullptr};
    };
    VerbGroup group;
    if (clause.verb == nullptr) {
      const bool past = clause.tense == Tense::kPast;
      group.finite = word(past ? (plural ? "waren" : "war") : (plural ? "sind" : "ist"),
                          clause.meaning, "root");
      return group;
    }
    const Verb& verb = *clause.verb;
    if (clause.modal != Modal::kNone || clause.tense == Tense::kFuture) {
      const auto& modal = kModals[static_cast<std::size_t>(clause.modal)];
      const char* form = clause.modal == Modal::kNone ? (plural ? "werden" : "wird")
                                                      : (plural ? modal.second : modal.first);
      group.finite = word(form, clause.auxiliaryMeaning, "aux");
      group.final = {word(verb.infinitive, clause.meaning, "root")};
    } else if (clause.tense == Tense::kPast) {
      const char* form = verb.withSein ? (plural ? "sind" : "ist") : (plural ? "haben" : "hat");
      group.finite = word(form, clause.auxiliaryMeaning, "aux");
      group.final = {word(verb.participle, clause.meaning, "root")};
    } else {
      const std::string form = plural ? verb.plural : verb.third;
      const std::string& particle =
          clause.wrongParticle.empty() ? verb.particle : clause.wrongParticle;
      group.finite = word(final ? particle + form : form, clause.meaning, "root");
      if (!final && !particle.empty())
        group.final = {word(particle, clause.meaning, "compound:prt")};
    }
    return group;
  }

  void addVerb(Word word, int governor, const char* relation) {
    if (std::string_view(word.relation) == "root") {
      word.head = governor;
      word.relation = relation;
    }
    words_.push_back(std::move(word));
  }

  void mainClause(const Clause& clause, bool afterSubordinate) {
    const VerbGroup group = verbGroup(clause, false);
    const bool question = clause.first == FirstField::kQuestion;
    FirstField first = clause.first;
    if (afterSubordinate || question) first = FirstField::kQuestion;  // the verb comes next
    firstField(clause, first);
    addVerb(group.finite, -1, "root");
    middle(clause, first);
    for (const auto& word : group.final) addVerb(word, -1, "root");
  }

  void firstField(const Clause& clause, FirstField first) {
    switch (first) {
      case FirstField::kSubject:
        phrase(*clause.subject, Case::kNominative, clause.meaning, "nsubj");
        break;
      case FirstField::kObject:
        object(clause);
        break;
      case FirstField::kTime:
        add(clause.time->german, clause.timeMeaning, clause.meaning, "advmod", 'b');
        break;
      case FirstField::kPlace:
        place(clause);
        break;
      case FirstField::kQuestion:
        break;
    }
  }

  void object(const Clause& clause) {
    const bool dative = clause.verb->frame == Frame::kDative;
    phrase(*clause.object, dative ? Case::kDative : Case::kAccusative, clause.meaning,
           dative ? "iobj" : "obj");
  }

  // Everything between the finite verb (or the conjunction) and the end of the clause.
  void middle(const Clause& clause, FirstField first) {
    if (clause.gap != Role::kSubject && first != FirstField::kSubject) {
      phrase(*clause.subject, Case::kNominative, clause.meaning, "nsubj");
    }
    if (clause.recipient) phrase(*clause.recipient, Case::kDative, clause.meaning, "iobj");
    if (clause.time != nullptr && first != FirstField::kTime) {
      add(clause.time->german, clause.timeMeaning, clause.meaning, "advmod", 'b');
    }
    if (clause.object && clause.gap != Role::kObject && first != FirstField::kObject)
      object(clause);
    if (clause.negated) add("nicht", clause.negationMeaning, clause.meaning, "advmod", 'f');
    if (clause.manner != nullptr)
      add(clause.manner->german, clause.mannerMeaning, clause.meaning, "advmod", 'b');
    if (clause.place && first != FirstField::kPlace) place(clause);
    if (clause.predicate != nullptr)
      add(clause.predicate->predicative, clause.predicateMeaning, clause.meaning, "xcomp", 'a');
  }

  // Verb-final: the finite verb closes the clause.
  void finalClause(const Clause& clause, int governor, const char* relation) {
    middle(clause, FirstField::kQuestion);
    const VerbGroup group = verbGroup(clause, true);
    for (const auto& word : group.final) addVerb(word, governor, relation);
    addVerb(group.finite, governor, relation);
  }

  void subordinate(const Clause& main) {
    const Clause& clause = *main.subordinate;
    add(kGermanConjunctions[static_cast<std::size_t>(main.conjunction)], main.conjunctionMeaning,
        clause.meaning, "mark", 'f');
    finalClause(clause, main.meaning, main.conjunction == Conjunction::kThat ? "ccomp" : "advcl");
    if (clause.subordinate) {
      add(",", -1, clause.meaning, "punct", '.');
      subordinate(clause);
    }
  }

  void place(const Clause& clause) {
    const PlaceAdjunct& adjunct = *clause.place;
    if (adjunct.year != 0) {
      add("im", adjunct.meaning, adjunct.townMeaning, "case", 'f');
      add("Jahr", adjunct.townMeaning, clause.meaning, "obl", 'n');
      add(std::to_string(adjunct.year), adjunct.townMeaning + 1, adjunct.townMeaning, "nummod",
          'c');
    } else if (!adjunct.town.empty()) {
      add(adjunct.preposition->german, adjunct.meaning, adjunct.townMeaning, "case", 'f');
      add(adjunct.town, adjunct.townMeaning, clause.meaning, "obl", 'm');
    } else {
      const NounPhrase& noun = *adjunct.phrase;
      const bool contracted = !adjunct.preposition->contraction.empty() &&
                              noun.determiner == Determiner::kDefinite && !noun.plural &&
                              noun.gender() != Gender::kFeminine && noun.number == 0;
      add(contracted ? adjunct.preposition->contraction : adjunct.preposition->german,
          adjunct.meaning, noun.meaning, "case", 'f');
      phrase(noun, adjunct.preposition->governs, clause.meaning, "obl", contracted);
    }
  }

  void phrase(const NounPhrase& noun, Case grammaticalCase, int head, const char* relation,
              bool contracted = false) {
    const Agreement agreement{grammaticalCase, noun.gender(), noun.plural};
    if (noun.pronoun()) {
      add(personalPronoun(agreement), noun.meaning, head, relation, 'p', noun.antecedent);
      return;
    }
    if (noun.name != nullptr) {
      add(grammaticalCase == Case::kGenitive ? noun.name->text + "s" : noun.name->text,
          noun.meaning, head, relation, 'm');
      return;
    }
    const bool nameOwner = noun.owner && noun.owner->name != nullptr;
    if (nameOwner) phrase(*noun.owner, Case::kGenitive, noun.meaning, "nmod:poss");
    const Determiner determiner = nameOwner ? Determiner::kNone : noun.determiner;
    if (!contracted)
      add(determinerForm(determiner, agreement), noun.determinerMeaning, noun.meaning, "det", 'd');
    if (noun.number > 0) {
      const auto number = static_cast<std::size_t>(noun.number);
      add(number < kGermanNumbers.size() ? kGermanNumbers[number] : std::to_string(noun.number),
          noun.numberMeaning, noun.meaning, "nummod", 'c');
    }
    for (std::size_t i = 0; i < noun.adjectives.size(); ++i) {
      add(adjectiveForm(noun.adjectives[i]->stem, determiner, agreement), noun.adjectiveMeanings[i],
          noun.meaning, "amod", 'a');
    }
    std::string text = nounForm(*noun.noun, grammaticalCase, noun.plural);
    if (noun.modifier != nullptr) text = noun.modifier->german + lowerFirst(text);
    add(std::move(text), noun.meaning, head, relation, 'n');
    if (noun.owner && !nameOwner) phrase(*noun.owner, Case::kGenitive, noun.meaning, "nmod:poss");
    if (noun.relative) relative(*noun.relative, noun);
  }

  void relative(const Clause& clause, const NounPhrase& head) {
    const bool subject = clause.gap == Role::kSubject;
    const bool dative = !subject && clause.verb->frame == Frame::kDative;
    const Case grammaticalCase = subject  ? Case::kNominative
                                 : dative ? Case::kDative
                                          : Case::kAccusative;
    add(",", -1, clause.meaning, "punct", '.');
    add(relativePronoun({grammaticalCase, head.gender(), head.plural}), clause.relativeMeaning,
        clause.meaning, subject ? "nsubj" : "obj", 'p', &head);
    finalClause(clause, head.meaning, "acl:relcl");
    add(",", -1, clause.meaning, "punct", '.');
  }

  // A comma that ends a relative clause merges with a following punctuation mark.
  void dropDoubledCommas() {
    std::vector<Word> kept;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const bool beforeMark =
          i + 1 < words_.size() &&
          (words_[i + 1].text == "," || words_[i + 1].text == "." || words_[i + 1].text == "?");
      if (words_[i].text == "," && beforeMark) continue;
      kept.push_back(std::move(words_[i]));
    }
    words_ = std::move(kept);
  }

  std::vector<Word> words_;
};

}  // namespace

std::vector<Word> writeGerman(const Clause& sentence) {
  return GermanWriter().write(sentence);
}

}  // namespace strata::generator
