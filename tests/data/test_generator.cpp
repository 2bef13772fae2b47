#include <QtTest>
#include <map>
#include <set>
#include <sstream>

#include "core/base/error.h"
#include "core/data/generator/generator.h"
#include "core/data/generator/lexicon.h"
#include "core/data/generator/morphology.h"
#include "tests/program.h"

using namespace strata;
using namespace strata::generator;

namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string line;
  for (const auto& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

// Verb or predicate with its heads, read from the gold links of the German side: an oracle of the
// clause frames that knows nothing of how the generator keeps the splits apart.
std::set<std::string> framesOf(const GeneratedPair& pair) {
  std::set<std::string> frames;
  const auto& gold = pair.germanGold;
  for (std::size_t verb = 0; verb < gold.size(); ++verb) {
    std::map<std::string, std::string> parts;
    for (std::size_t i = 0; i < gold.size(); ++i) {
      if (gold[i].head != static_cast<int>(verb)) continue;
      const auto word = gold[i].kind == 'p' && gold[i].antecedent >= 0
                            ? static_cast<std::size_t>(gold[i].antecedent)
                            : i;
      for (const char* wanted : {"nsubj", "obj", "iobj", "xcomp", "compound:prt"}) {
        if (gold[i].relation == wanted) parts[wanted] = pair.german[word];
      }
    }
    if (parts.count("nsubj") == 0 || parts.size() < 2) continue;
    std::string frame = parts.count("xcomp") ? "" : pair.german[verb];
    for (const auto& [role, word] : parts) frame += "|" + role + "=" + word;
    frames.insert(frame);
  }
  return frames;
}

}  // namespace

class TestGenerator : public QObject {
  Q_OBJECT
 private slots:
  void sameSeedSameSentences() {
    SentenceGenerator a({.seed = 3}, Split::kTrain), b({.seed = 3}, Split::kTrain),
        c({.seed = 4}, Split::kTrain);
    bool differs = false;
    for (int i = 0; i < 200; ++i) {
      const auto first = a.next(), second = b.next(), other = c.next();
      QCOMPARE(first.german, second.german);
      QCOMPARE(first.english, second.english);
      differs = differs || first.german != other.german;
    }
    QVERIFY(differs);
  }

  void knobsHold() {
    SentenceGenerator narrow({.minLength = 8, .maxLength = 10, .depth = 0}, Split::kTrain);
    for (int i = 0; i < 200; ++i) {
      const auto pair = narrow.next();
      QVERIFY(pair.german.size() >= 8 && pair.german.size() <= 10);
      for (const auto& token : pair.germanGold) {
        QVERIFY2(
            token.relation != "acl:relcl" && token.relation != "advcl" && token.relation != "ccomp",
            "depth 0 has one clause");
      }
    }
    QVERIFY_EXCEPTION_THROWN(check({.size = 0}), Error);
    QVERIFY_EXCEPTION_THROWN(check({.minLength = 9, .maxLength = 8}), Error);
    QVERIFY_EXCEPTION_THROWN(check({.depth = 9}), Error);
    QVERIFY_EXCEPTION_THROWN(check({.ambiguity = 1.5}), Error);
  }

  // Counted by hand in the tables: with a quarter of the nouns every class keeps a quarter of its
  // own, the first ones.
  void fewerWordsAreTheFirstOfEachClass() {
    const auto& all = generator::Lexicon::get();
    const auto few = all.shortened({.nouns = 80, .verbs = 62, .adjectives = 42});
    QCOMPARE(few.nouns.size(), std::size_t(80));
    QCOMPARE(few.verbs.size(), std::size_t(62));
    QCOMPARE(few.adjectives.size(), std::size_t(42));
    QCOMPARE(few.towns.size(), all.towns.size());
    std::map<char, int> classes;
    for (const Noun& noun : few.nouns) ++classes[noun.kind];
    // Of 66, 35, 81, 29, 50, 15, 25 and 19.
    QCOMPARE(
        classes,
        (std::map<char, int>{
            {'P', 17}, {'A', 9}, {'T', 20}, {'F', 7}, {'L', 12}, {'V', 4}, {'D', 6}, {'C', 5}}));
    QCOMPARE(few.nouns.front().singular, std::string("Mann"));
    QCOMPARE(all.shortened({}).nouns.size(), all.nouns.size());
  }

  void fewerWordsMakeSmallerCorpora() {
    const WordCounts few{.nouns = 72, .verbs = 62, .adjectives = 42};
    const GeneratorOptions options{.maxLength = 12, .ambiguity = 0, .words = few};
    for (const Split split : {Split::kTrain, Split::kValid, Split::kTest}) {
      SentenceGenerator one(options, split), same(options, split);
      std::set<std::string> nouns;
      for (int i = 0; i < 500; ++i) {
        const auto pair = one.next();
        QCOMPARE(pair.german, same.next().german);
        for (std::size_t word = 0; word < pair.english.size(); ++word) {
          if (pair.englishGold[word].kind == 'n') nouns.insert(pair.english[word]);
        }
      }
      // Singular and plural, and up to 50 modifiers of compounds.
      QVERIFY2(nouns.size() <= 2 * 72 + 50, std::to_string(nouns.size()).c_str());
    }
    QVERIFY_EXCEPTION_THROWN(check({.words = {.nouns = 3}}), Error);
    QVERIFY_EXCEPTION_THROWN(check({.words = {.verbs = 145}}), Error);
    QVERIFY_EXCEPTION_THROWN(check({.words = {.adjectives = -1}}), Error);
    QVERIFY_EXCEPTION_THROWN(check({.merges = 0}), Error);
    SentenceGenerator fewest({.words = {.nouns = 24, .verbs = 24, .adjectives = 12}}, Split::kTest);
    QVERIFY(!fewest.next().german.empty());
  }

  void goldIsWellFormed() {
    SentenceGenerator generator({.depth = 2}, Split::kTrain);
    for (int i = 0; i < 2000; ++i) {
      const auto pair = generator.next();
      for (const auto& [side, gold] : {std::pair(&pair.german, &pair.germanGold),
                                       std::pair(&pair.english, &pair.englishGold)}) {
        const int size = static_cast<int>(side->size());
        QCOMPARE(static_cast<int>(gold->size()), size);
        QCOMPARE(std::count_if(gold->begin(), gold->end(),
                               [](const GoldToken& token) { return token.head == -1; }),
                 1);
        for (int word = 0; word < size; ++word) {
          int at = word, steps = 0;
          while ((*gold)[static_cast<std::size_t>(at)].head >= 0 && steps++ <= size)
            at = (*gold)[static_cast<std::size_t>(at)].head;
          QVERIFY2(steps <= size, "the links form a tree");
        }
      }
      for (const auto& [german, english] : pair.alignment) {
        QVERIFY(german >= 0 && german < static_cast<int>(pair.german.size()));
        QVERIFY(english >= 0 && english < static_cast<int>(pair.english.size()));
      }
    }
  }

  void pronounsHaveAntecedentsThatAgree() {
    SentenceGenerator generator({.ambiguity = 1}, Split::kTrain);
    int pronouns = 0;
    for (int i = 0; i < 3000; ++i) {
      const auto pair = generator.next();
      for (std::size_t word = 0; word < pair.english.size(); ++word) {
        const auto& text = pair.english[word];
        if (text != "it" && text != "he" && text != "she" && text != "they") continue;
        ++pronouns;
        QVERIFY2(pair.englishGold[word].antecedent >= 0, joined(pair.english).c_str());
      }
    }
    QVERIFY(pronouns > 100);
  }

  void splitsShareNoFrameAndNoSentence() {
    const GeneratorOptions options{.size = 20000};
    SentenceGenerator train(options, Split::kTrain), test(options, Split::kTest);
    std::set<std::string> frames, sentences, germanTypes, englishTypes;
    for (int i = 0; i < 20000; ++i) {
      const auto pair = train.next();
      frames.merge(framesOf(pair));
      sentences.insert(joined(pair.german));
      germanTypes.insert(pair.german.begin(), pair.german.end());
      englishTypes.insert(pair.english.begin(), pair.english.end());
    }
    QVERIFY(germanTypes.size() >= 2000);
    QVERIFY(englishTypes.size() >= 2000);
    QVERIFY(frames.size() > 10000);
    int seen = 0;
    for (int i = 0; i < 1000; ++i) {
      const auto pair = test.next();
      QVERIFY2(sentences.count(joined(pair.german)) == 0, joined(pair.german).c_str());
      for (const auto& frame : framesOf(pair)) {
        ++seen;
        QVERIFY2(frames.count(frame) == 0, frame.c_str());
      }
    }
    QVERIFY(seen > 800);
  }

  void germanFormsAreRight() {
    const auto& lexicon = generator::Lexicon::get();
    const auto noun = [&](const char* singular) -> const Noun& {
      return *std::find_if(lexicon.nouns.begin(), lexicon.nouns.end(),
                           [&](const Noun& n) { return n.singular == singular; });
    };
    QCOMPARE(nounForm(noun("Hund"), Case::kGenitive, false), std::string("Hundes"));
    QCOMPARE(nounForm(noun("Lehrer"), Case::kGenitive, false), std::string("Lehrers"));
    QCOMPARE(nounForm(noun("Bus"), Case::kGenitive, false), std::string("Busses"));
    QCOMPARE(nounForm(noun("Gefängnis"), Case::kGenitive, false), std::string("Gefängnisses"));
    QCOMPARE(nounForm(noun("Student"), Case::kAccusative, false), std::string("Studenten"));
    QCOMPARE(nounForm(noun("Kind"), Case::kDative, true), std::string("Kindern"));
    QCOMPARE(nounForm(noun("Auto"), Case::kDative, true), std::string("Autos"));
    QCOMPARE(adjectiveForm("klein", Determiner::kIndefinite,
                           {Case::kNominative, Gender::kNeuter, false}),
             std::string("kleines"));
    QCOMPARE(
        adjectiveForm("klein", Determiner::kDefinite, {Case::kNominative, Gender::kNeuter, false}),
        std::string("kleine"));
    QCOMPARE(adjectiveForm("klein", Determiner::kNone, {Case::kDative, Gender::kFeminine, true}),
             std::string("kleinen"));
    QCOMPARE(determinerForm(Determiner::kNegative, {Case::kAccusative, Gender::kMasculine, false}),
             std::string("keinen"));
  }

  void contrastivePairsDifferInOneWord() {
    SentenceGenerator generator({.depth = 2}, Split::kTest);
    std::set<std::string> phenomena;
    int longest = 0;
    for (int i = 0; i < 500; ++i) {
      const auto pair = generator.nextContrastive(i % 2 == 0);
      phenomena.insert(pair.phenomenon);
      longest = std::max(longest, pair.distance);
      QVERIFY(pair.distance >= 1);
      std::istringstream correct(pair.correct), wrong(pair.wrong);
      int differences = 0;
      for (std::string a, b; correct >> a && wrong >> b;) differences += a != b;
      QCOMPARE(differences, 1);
    }
    QCOMPARE(phenomena, (std::set<std::string>{"agreement", "particle"}));
    QVERIFY(longest >= 6);
  }
};

STRATA_GUILESS_TEST(TestGenerator)
#include "test_generator.moc"
