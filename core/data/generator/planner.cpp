#include "core/data/generator/planner.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/digest.h"
#include "core/base/error.h"

namespace strata::generator {
namespace {

constexpr int kPlanTries =
    3000;  // frames to try until one belongs to the split; one in thirty is a test frame

std::string lemma(const NounPhrase& phrase) {
  return phrase.name != nullptr ? phrase.name->text : phrase.noun->singular;
}

bool hasKind(const std::string& kinds, char kind) {
  return kinds.find(kind) != std::string::npos;
}

}  // namespace

Gender NounPhrase::gender() const {
  if (antecedent != nullptr) return antecedent->gender();
  if (name != nullptr) return name->feminine ? Gender::kFeminine : Gender::kMasculine;
  return noun->gender;
}

bool NounPhrase::feminine() const {
  if (name != nullptr) return name->feminine;
  return noun->gender == Gender::kFeminine || noun->english == "girl";
}

Planner::Planner(const GeneratorOptions& options, const Lexicon& lexicon, Split split,
                 RandomStream& random)
    : options_(options), lexicon_(lexicon), split_(split), random_(random) {
  for (const auto& adjective : lexicon_.adjectives) {
    if (adjective.kind != 'i') ofAnimate_.push_back(&adjective);
    if (adjective.kind != 'a') ofThings_.push_back(&adjective);
  }
}

template <typename T>
const T* Planner::pick(const std::vector<const T*>& items) {
  const double u = random_.uniform();
  return items[static_cast<std::size_t>(static_cast<double>(items.size()) * u * (0.4 + 0.6 * u))];
}

const std::vector<const Noun*>& Planner::nounsOf(const std::string& kinds) {
  auto& found = nouns_[kinds];
  if (found.empty()) {
    for (const auto& noun : lexicon_.nouns) {
      if (hasKind(kinds, noun.kind)) found.push_back(&noun);
    }
    // The table is sorted by class; a fixed shuffle spreads the frequent words over all classes.
    RandomStream order(7, 7);
    order.shuffle(std::span(found));
  }
  return found;
}

const std::vector<const Adjective*>& Planner::adjectivesOf(bool animate) {
  return animate ? ofAnimate_ : ofThings_;
}

bool Planner::inSplit(const std::string& frame) const {
  const auto bucket = checksum64(frame) % 1000;
  const Split split = bucket < 33 ? Split::kTest : bucket < 66 ? Split::kValid : Split::kTrain;
  return split == split_;
}

std::unique_ptr<NounPhrase> Planner::heads(const std::string& kinds, bool allowName) {
  auto phrase = std::make_unique<NounPhrase>();
  if (allowName && hasKind(kinds, 'P') && chance(0.12)) {
    phrase->name = &lexicon_.names[random_.below(lexicon_.names.size())];
    phrase->determiner = Determiner::kNone;
  } else {
    phrase->noun = pick(nounsOf(kinds));
  }
  return phrase;
}

const Verb* Planner::drawVerb(const NounPhrase* head, Role gap, int depth) {
  const auto& verbs = lexicon_.verbs;
  for (int tries = 0; tries < kPlanTries; ++tries) {
    const double u = random_.uniform();
    const Verb& verb = verbs[static_cast<std::size_t>(static_cast<double>(verbs.size()) * u)];
    const bool clausal = verb.frame == Frame::kClausal;
    if (clausal && (depth < 1 || gap != Role::kNone || !chance(0.6))) continue;
    if (gap == Role::kSubject &&
        (!hasKind(verb.subjects, head->noun->kind) || verb.frame == Frame::kDitransitive))
      continue;
    if (gap == Role::kObject) {
      if (verb.frame != Frame::kTransitive && verb.frame != Frame::kDative) continue;
      if (!hasKind(verb.objects, head->noun->kind)) continue;
    }
    return &verb;
  }
  return nullptr;
}

// Draws verb and heads until the frame belongs to the split.
bool Planner::drawFrame(Clause& clause, const NounPhrase* head, Role gap, int depth) {
  for (int tries = 0; tries < kPlanTries; ++tries) {
    if (gap == Role::kNone && tries % 8 == 0)
      clause.verb = chance(0.15) ? nullptr : drawVerb(head, gap, depth);
    if (gap != Role::kNone) clause.verb = drawVerb(head, gap, depth);
    clause.predicate = nullptr;
    clause.subject.reset();
    clause.object.reset();
    clause.recipient.reset();
    std::string frame;
    if (clause.verb == nullptr) {
      if (gap != Role::kNone) return false;
      clause.subject = heads("PATFLVDC", true);
      clause.predicate = pick(adjectivesOf(clause.subject->animate()));
      frame = clause.predicate->stem + "|" + lemma(*clause.subject);
    } else {
      const Verb& verb = *clause.verb;
      frame = verb.infinitive;
      if (gap != Role::kSubject) clause.subject = heads(verb.subjects, gap == Role::kNone);
      frame += "|" + lemma(gap == Role::kSubject ? *head : *clause.subject);
      if (verb.objects != "-") {
        if (gap != Role::kObject) clause.object = heads(verb.objects, gap == Role::kNone);
        frame += "|" + lemma(gap == Role::kObject ? *head : *clause.object);
      }
      if (verb.frame == Frame::kDitransitive) {
        clause.recipient = heads("P", true);
        frame += "|" + lemma(*clause.recipient);
      }
    }
    if (inSplit(frame)) return true;
  }
  return false;
}

void Planner::decorate(NounPhrase& phrase, int depth, bool mayOwn) {
  phrase.meaning = meaning();
  if (phrase.name != nullptr) return;
  phrase.determinerMeaning = meaning();
  phrase.plural = chance(0.3);
  const double u = random_.uniform();
  phrase.determiner = u < 0.62   ? Determiner::kDefinite
                      : u < 0.85 ? Determiner::kIndefinite
                      : u < 0.96 ? Determiner::kDemonstrative
                                 : Determiner::kNegative;
  if (phrase.plural && phrase.determiner == Determiner::kIndefinite && chance(0.5)) {
    phrase.number = 2 + static_cast<int>(random_.below(chance(0.8) ? 11 : 97));
    phrase.numberMeaning = meaning();
  }
  const auto& adjectives = adjectivesOf(phrase.animate());
  while (chance(0.35 * richness_) && phrase.adjectives.size() < 2) {
    const Adjective* adjective = pick(adjectives);
    if (!phrase.adjectives.empty() && phrase.adjectives[0] == adjective) continue;
    phrase.adjectives.push_back(adjective);
    phrase.adjectiveMeanings.push_back(meaning());
  }
  if (chance(0.15 * richness_)) {
    const auto& modifiers = lexicon_.modifiers;
    const auto& modifier = modifiers[random_.below(modifiers.size())];
    if (hasKind(modifier.kinds, phrase.noun->kind)) phrase.modifier = &modifier;
  }
  if (mayOwn && !phrase.animate() && phrase.number == 0 &&
      phrase.determiner == Determiner::kDefinite && chance(0.3 * richness_)) {
    phrase.owner = heads("P", true);
    if (phrase.owner->name != nullptr && phrase.owner->name->text.ends_with('s'))
      phrase.owner = heads("P", false);
    decorate(*phrase.owner, 0, false);
    if (phrase.owner->noun != nullptr) phrase.owner->determiner = Determiner::kDefinite;
    phrase.owner->number = 0;
  }
  if (depth > 0 && phrase.determiner != Determiner::kNegative && chance(0.3 * richness_)) {
    const Role gap = phrase.animate() && chance(0.6) ? Role::kSubject : Role::kObject;
    auto relative = std::make_unique<Clause>(clause(depth - 1, &phrase, gap));
    if (relative->meaning >= 0) phrase.relative = std::move(relative);
  }
}

void Planner::chooseTense(Clause& clause) {
  const double u = random_.uniform();
  clause.tense = u < 0.45 ? Tense::kPresent : u < 0.83 ? Tense::kPast : Tense::kFuture;
  if (clause.verb == nullptr && clause.tense == Tense::kFuture) clause.tense = Tense::kPresent;
  if (clause.verb != nullptr && clause.tense == Tense::kPresent && chance(0.4)) {
    clause.modal = static_cast<Modal>(1 + random_.below(4));
  }
  const bool negative = (clause.subject && clause.subject->determiner == Determiner::kNegative) ||
                        (clause.object && (clause.object->determiner == Determiner::kNegative ||
                                           clause.object->determiner == Determiner::kIndefinite));
  clause.negated = !negative && chance(0.12);
}

void Planner::addAdverbs(Clause& clause) {
  if (clause.verb == nullptr) return;
  const char wanted = clause.tense == Tense::kPast     ? 'p'
                      : clause.tense == Tense::kFuture ? 'f'
                                                       : 't';
  const auto draw = [&](auto accepts) {
    std::vector<const Adverb*> fitting;
    for (const auto& adverb : lexicon_.adverbs) {
      if (accepts(adverb.kind)) fitting.push_back(&adverb);
    }
    return fitting[random_.below(fitting.size())];
  };
  if (chance(0.45 * richness_)) clause.time = draw([&](char kind) { return kind == wanted; });
  if (chance(0.35 * richness_))
    clause.manner = draw([](char kind) { return kind == 'm' || kind == 'x'; });
  if (clause.verb->frame == Frame::kMotion || chance(0.4 * richness_)) clause.place = place(clause);
}

std::unique_ptr<PlaceAdjunct> Planner::place(const Clause& clause) {
  auto adjunct = std::make_unique<PlaceAdjunct>();
  adjunct->meaning = meaning();
  const bool motion = clause.verb->frame == Frame::kMotion;
  static const Preposition kIn{.german = "in", .english = "in"};
  static const Preposition kNach{.german = "nach", .english = "to", .use = 'd'};
  if (clause.tense == Tense::kPast && clause.time == nullptr && !motion && chance(0.25)) {
    adjunct->year = 1800 + static_cast<int>(random_.below(200));
    adjunct->townMeaning = meaning();
    meaning();  // for the year
    return adjunct;
  }
  if (chance(0.25)) {
    adjunct->preposition = motion ? &kNach : &kIn;
    adjunct->town = lexicon_.towns[random_.below(lexicon_.towns.size())];
    adjunct->townMeaning = meaning();
    return adjunct;
  }
  do {
    adjunct->preposition = &lexicon_.prepositions[random_.below(lexicon_.prepositions.size())];
  } while ((adjunct->preposition->use == 'd') != motion);
  adjunct->phrase = heads(adjunct->preposition->kinds, false);
  decorate(*adjunct->phrase, 0, false);
  if (adjunct->phrase->determiner == Determiner::kNegative)
    adjunct->phrase->determiner = Determiner::kDefinite;
  return adjunct;
}

// Whether case or number shows which of two phrases is the subject, independent of their order.
bool Planner::rolesVisible(const NounPhrase& subject, const NounPhrase& object, bool dative) const {
  const auto masculine = [](const NounPhrase& phrase) {
    return phrase.name == nullptr && !phrase.plural && phrase.gender() == Gender::kMasculine;
  };
  return dative || masculine(subject) || masculine(object) || subject.plural != object.plural;
}

Clause Planner::clause(int depth, const NounPhrase* head, Role gap) {
  Clause result;
  for (int tries = 0; tries < 20; ++tries) {
    Clause candidate;
    candidate.head = head;
    candidate.gap = gap;
    if (!drawFrame(candidate, head, gap, depth)) return result;
    const bool clausal = candidate.verb != nullptr && candidate.verb->frame == Frame::kClausal;
    const int below = gap == Role::kNone && !clausal ? depth : 0;
    if (candidate.subject) decorate(*candidate.subject, below, true);
    if (candidate.object) decorate(*candidate.object, below, true);
    if (candidate.recipient) decorate(*candidate.recipient, 0, true);
    if (gap != Role::kNone && candidate.verb->objects != "-") {
      const NounPhrase& subject = candidate.subjectPhrase();
      const NounPhrase& object = gap == Role::kObject ? *head : *candidate.object;
      if (!rolesVisible(subject, object, candidate.verb->frame == Frame::kDative)) continue;
    }
    result = std::move(candidate);
    break;
  }
  if (result.verb == nullptr && result.predicate == nullptr) return result;
  for (int Clause::*each :
       {&Clause::meaning, &Clause::auxiliaryMeaning, &Clause::negationMeaning, &Clause::timeMeaning,
        &Clause::mannerMeaning, &Clause::relativeMeaning, &Clause::predicateMeaning,
        &Clause::conjunctionMeaning, &Clause::endMeaning})
    result.*each = meaning();
  chooseTense(result);
  addAdverbs(result);
  return result;
}

// "..., weil er müde ist": a pronoun for the subject or the object of the main clause. If both have
// the same pronoun, only the meaning of the predicate disambiguates; options_.ambiguity is the
// probability of allowing that.
bool Planner::pronounClause(Clause& main, Clause& inner) {
  const bool toObject = main.object && chance(0.5);
  const NounPhrase& antecedent = toObject ? *main.object : *main.subject;
  const NounPhrase* rival = toObject ? main.subject.get() : main.object.get();
  if (antecedent.determiner == Determiner::kNegative) return false;
  const auto sameForm = [](const NounPhrase& a, const NounPhrase& b) {
    return (a.plural && b.plural) || (!a.plural && !b.plural && a.gender() == b.gender());
  };
  const bool ambiguous = rival != nullptr && sameForm(antecedent, *rival);
  if (ambiguous && (rival->animate() == antecedent.animate() || !chance(options_.ambiguity)))
    return false;
  for (int tries = 0; tries < kPlanTries; ++tries) {
    const Adjective* predicate = pick(adjectivesOf(antecedent.animate()));
    if (ambiguous && predicate->kind == 'b') continue;
    if (!inSplit(predicate->stem + "|" + lemma(antecedent))) continue;
    inner.verb = nullptr;
    inner.predicate = predicate;
    inner.object.reset();
    inner.recipient.reset();
    inner.time = inner.manner = nullptr;
    inner.place = nullptr;
    inner.modal = Modal::kNone;
    inner.subject = std::make_unique<NounPhrase>();
    inner.subject->antecedent = &antecedent;
    inner.subject->plural = antecedent.plural;
    inner.subject->meaning = meaning();
    return true;
  }
  return false;
}

void Planner::addSubordinate(Clause& main, int depth) {
  const bool clausal = main.verb != nullptr && main.verb->frame == Frame::kClausal;
  if (depth < 1 || (!clausal && !chance(0.5 * richness_))) return;
  auto inner = std::make_unique<Clause>(clause(depth - 1, nullptr, Role::kNone));
  if (inner->meaning < 0) return;
  if (!clausal && main.verb != nullptr && chance(0.6)) pronounClause(main, *inner);
  main.conjunction = clausal ? Conjunction::kThat : static_cast<Conjunction>(1 + random_.below(4));
  if (inner->verb != nullptr && inner->verb->frame == Frame::kClausal)
    addSubordinate(*inner, depth - 1);
  if (!clausal && !inner->subordinate && !inner->subject->pronoun())
    main.subordinateFirst = chance(0.35);
  main.subordinate = std::move(inner);
}

void Planner::chooseOrder(Clause& clause) {
  if (!clause.subordinate && chance(0.06)) {
    clause.first = FirstField::kQuestion;
    return;
  }
  if (clause.subordinateFirst || clause.verb == nullptr) return;
  if (clause.time != nullptr && chance(0.5)) {
    clause.first = FirstField::kTime;
  } else if (clause.place && chance(0.3)) {
    clause.first = FirstField::kPlace;
  } else if (clause.object && chance(0.3) && clause.object->determiner != Determiner::kNone) {
    const bool dative = clause.verb->frame == Frame::kDative;
    const bool byCase =
        dative || (!clause.object->plural && clause.object->gender() == Gender::kMasculine);
    const bool byNumber = clause.subject->plural != clause.object->plural;
    if (byCase || (byNumber && chance(options_.ambiguity))) clause.first = FirstField::kObject;
  }
}

Clause Planner::sentence() {
  for (int tries = 0; tries < kPlanTries; ++tries) {
    meanings_ = 0;
    richness_ = std::sqrt(random_.uniform());
    // Fewer optional parts for short sentences.
    if (options_.maxLength < 12) richness_ *= static_cast<double>(options_.maxLength) / 24.0;
    Clause result = clause(options_.depth, nullptr, Role::kNone);
    if (result.meaning < 0) continue;
    addSubordinate(result, options_.depth);
    if (result.verb != nullptr && result.verb->frame == Frame::kClausal && !result.subordinate)
      continue;
    chooseOrder(result);
    return result;
  }
  throw Error("no sentence was found for these settings; widen --length or increase --depth");
}

}  // namespace strata::generator
