#include <QtTest>

#include <cmath>
#include <map>

#include "core/data/lexicon.h"
#include "core/data/prepare.h"
#include "tests/fixture.h"
#include "tests/program.h"
#include "tests/warnings.h"

namespace strata {
namespace {

using Sentence = std::vector<std::string>;
using Table = std::map<std::pair<std::string, std::string>, double>;  // p(second | first)

const std::vector<std::pair<std::string, std::string>> kCorpus{
    {"das Haus", "the house"}, {"das kleine Buch", "the small book"}, {"ein Buch Buch", "a book"}};

Sentence sentenceOf(const std::string& line) {
  Sentence words;
  for (std::size_t begin = 0; begin < line.size();) {
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

// One step of expectation maximisation as it is defined: every alignment of every pair is written
// out with its probability. The empty word is "".
Table stepByAlignments(const Table& old, bool reversed) {
  Table counts;
  for (const auto& [first, second] : kCorpus) {
    Sentence causes = sentenceOf(reversed ? second : first);
    causes.insert(causes.begin(), "");
    const Sentence words = sentenceOf(reversed ? first : second);
    std::vector<std::size_t> alignment(words.size(), 0);
    std::vector<std::pair<std::vector<std::size_t>, double>> all;
    double sum = 0;
    for (bool more = true; more;) {
      double p = 1;
      for (std::size_t j = 0; j < words.size(); ++j) p *= old.at({causes[alignment[j]], words[j]});
      all.emplace_back(alignment, p);
      sum += p;
      more = false;
      for (std::size_t j = 0; j < words.size() && !more; ++j) {
        more = ++alignment[j] < causes.size();
        if (!more) alignment[j] = 0;
      }
    }
    for (const auto& [places, p] : all) {
      for (std::size_t j = 0; j < words.size(); ++j)
        counts[{causes[places[j]], words[j]}] += p / sum;
    }
  }
  std::map<std::string, double> sums;
  for (const auto& [pair, count] : counts) sums[pair.first] += count;
  for (auto& [pair, count] : counts) count /= sums[pair.first];
  return counts;
}

Table uniform(bool reversed) {
  Table table;
  for (const auto& [first, second] : kCorpus) {
    Sentence causes = sentenceOf(reversed ? second : first);
    causes.insert(causes.begin(), "");
    for (const auto& cause : causes) {
      for (const auto& word : sentenceOf(reversed ? first : second)) table[{cause, word}] = 0.25;
    }
  }
  return table;
}

WordPairs corpus() {
  WordPairs pairs;
  for (const auto& [source, target] : kCorpus) pairs.add(source, target);
  return pairs;
}

std::int32_t numberOf(const std::vector<std::string>& words, const std::string& word) {
  if (word.empty()) return IbmModel1::kEmpty;
  return std::int32_t(std::find(words.begin(), words.end(), word) - words.begin());
}

}  // namespace

class TestLexicon : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void equalsEveryAlignmentWrittenOut();
  void linksAgreeInBothDirections();
  void entriesAreSharesOfLinks();
  void likelyEntriesAreTheModels();
  void emptySidesAreNoTrouble();
  void filesAreReadBack();
  void damagedAndWrongFilesAreRefused();
  void dictionariesOfOtherDirectionsAreNamed();
  void trainKeepsTheWordsItsIdsLack();
};

void TestLexicon::equalsEveryAlignmentWrittenOut() {
  const WordPairs pairs = corpus();
  IbmModel1 model(pairs);
  Table forward = uniform(false), backward = uniform(true);
  for (int iteration = 1; iteration <= 5; ++iteration) {
    model.iterate();
    forward = stepByAlignments(forward, false);
    backward = stepByAlignments(backward, true);
    for (const auto& [words, p] : forward) {
      const double found = model.targetGivenSource(numberOf(pairs.targetWords(), words.second),
                                                   numberOf(pairs.sourceWords(), words.first));
      QVERIFY2(std::abs(found - p) < 1e-6, (words.first + " " + words.second).c_str());
    }
    for (const auto& [words, p] : backward) {
      const double found = model.sourceGivenTarget(numberOf(pairs.sourceWords(), words.second),
                                                   numberOf(pairs.targetWords(), words.first));
      QVERIFY2(std::abs(found - p) < 1e-6, (words.first + " " + words.second).c_str());
    }
  }
  QCOMPARE(model.targetGivenSource(numberOf(pairs.targetWords(), "a"),
                                   numberOf(pairs.sourceWords(), "Haus")),
           0.0);  // they never meet
  QVERIFY(model.targetGivenSource(numberOf(pairs.targetWords(), "the"),
                                  numberOf(pairs.sourceWords(), "das")) > 0.5);
}

void TestLexicon::linksAgreeInBothDirections() {
  WordPairs pairs;  // the words can only be distinguished together
  for (const char* line : {"a b", "b c", "c a", "a", "b", "c"}) pairs.add(line, line);
  IbmModel1 model(pairs);
  for (int i = 0; i < 5; ++i) model.iterate();
  for (std::int64_t pair = 0; pair < pairs.size(); ++pair) {
    const auto links = model.links(pair);
    QCOMPARE(links.size(), pairs.source(pair).size());
    for (const auto& link : links) {
      QCOMPARE(link.source, link.target);
      const std::int32_t word = pairs.source(pair)[std::size_t(link.source)];
      QVERIFY(link.entry >= model.firstOf(word) && link.entry < model.endOf(word));
      QCOMPARE(model.targetOf(link.entry), pairs.target(pair)[std::size_t(link.target)]);
    }
  }
}

// x is linked three times to X and once to Y, whose single link is not enough; y always to Y.
void TestLexicon::entriesAreSharesOfLinks() {
  WordPairs pairs;
  for (const char* target : {"X", "X", "X", "Y"}) pairs.add("x", target);
  for (int i = 0; i < 20; ++i) pairs.add("y", "Y");
  const auto lexicon = learnLexicon(pairs, {}).linked;
  QCOMPARE(lexicon.size(), std::size_t(2));
  QCOMPARE(lexicon[0].source + lexicon[0].target, std::string("xX"));
  QCOMPARE(lexicon[1].source + lexicon[1].target, std::string("yY"));
  QCOMPARE(lexicon[1].probability, 1.0);
  const auto all = learnLexicon(pairs, {.minimumLinks = 1}).linked;
  double ofX = 0;
  for (const auto& entry : all) ofX += entry.source == "x" ? entry.probability : 0;
  QCOMPARE(ofX, 1.0);
}

// All of the words that "das" meets, and of those the two most likely, as the alignments say.
void TestLexicon::likelyEntriesAreTheModels() {
  Table p = uniform(false);
  for (int i = 0; i < 5; ++i) p = stepByAlignments(p, false);
  std::map<std::string, double> found;
  double last = 1;
  for (const auto& entry : learnLexicon(corpus(), {.leastProbability = 0}).likely) {
    if (entry.source != "das") continue;
    found[entry.target] = entry.probability;
    QVERIFY(entry.probability <= last);
    last = entry.probability;
  }
  QCOMPARE(found.size(), std::size_t(4));  // the, house, small, book
  for (const auto& [target, probability] : found)
    QVERIFY(std::abs(p.at({"das", target}) - probability) < 1e-6);
  const auto two = learnLexicon(corpus(), {.mostLikely = 2, .leastProbability = 0}).likely;
  QCOMPARE(std::ranges::count(two, "das", &LexiconEntry::source), 2);
  QCOMPARE(two.front().source + " " + two.front().target, std::string("das the"));
  for (const auto& entry : learnLexicon(corpus(), {.leastProbability = 0.3}).likely)
    QVERIFY(entry.probability >= 0.3);
}

void TestLexicon::emptySidesAreNoTrouble() {
  WordPairs pairs;
  pairs.add("", "");
  pairs.add("a", "");
  pairs.add("", "A");
  for (int i = 0; i < 3; ++i) pairs.add("a", "A");
  const auto lexicon = learnLexicon(pairs, {}).linked;
  QCOMPARE(lexicon.size(), std::size_t(1));
  const LearntLexicon none = learnLexicon(WordPairs(), {});
  QVERIFY(none.linked.empty() && none.likely.empty());
}

void TestLexicon::filesAreReadBack() {
  const TemporaryFolder folder;
  const std::vector<LexiconEntry> entries{
      {"Haus", "house", 0.75}, {"Haus", "home", 0.25}, {"Bücher", "books", 1.0 / 3}};
  writeLexicon(folder / "lexicon.tsv", entries);
  const auto found = readLexicon(folder / "lexicon.tsv");
  QCOMPARE(found.size(), entries.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    QCOMPARE(found[i].source, entries[i].source);
    QCOMPARE(found[i].target, entries[i].target);
    QCOMPARE(found[i].probability, entries[i].probability);
  }
  put(folder / "plain.tsv", "Haus\tcottage\nHaus\tshed\r\n\nBuch\tvolume\t0.2\nBuch\tbook\t0.7\n");
  const Lexicon lexicon(readLexicon(folder / "plain.tsv"));
  QCOMPARE(lexicon.size(), std::size_t(2));
  QCOMPARE(lexicon.translationOf("Haus"), std::string_view("cottage"));
  QCOMPARE(lexicon.translationOf("Buch"), std::string_view("book"));
  QCOMPARE(lexicon.translationOf("Hund"), std::string_view("Hund"));
}

void TestLexicon::damagedAndWrongFilesAreRefused() {
  const TemporaryFolder folder;
  const auto messageOf = [&](const std::string& content) {
    put(folder / "d.tsv", content);
    return errorOf([&] { readLexicon(folder / "d.tsv"); });
  };
  QVERIFY(holds(messageOf("a\tb\nHaus house\n"), "d.tsv:2"));
  QVERIFY(holds(messageOf("a\t\n"), "d.tsv:1"));
  QVERIFY(holds(messageOf("a\tb\t0\n"), "'0'"));
  QVERIFY(holds(messageOf("a\tb\tx\n"), "'x'"));
  // Tables of other tools.
  QVERIFY(holds(messageOf("house Haus 0.75\n"),
                "d.tsv:1: expected source<TAB>target[<TAB>p] on each line "
                "of a dictionary; this one is a lexical table of Moses"));
  QVERIFY(!holds(messageOf("a house 1st\n"), "Moses"));
  QVERIFY(
      holds(messageOf("Haus\thouse\t-0.25\n"), "this one is a logarithm, as fast_align writes it"));
  QVERIFY(!holds(messageOf("Haus\thouse\t-x\n"), "fast_align"));
  writeLexicon(folder / "lexicon.tsv", {{"Haus", "house", 1}});
  std::string content = readFile(folder / "lexicon.tsv");
  content.replace(content.find("house"), 5, "mouse");
  QVERIFY(holds(messageOf(content), "d.tsv"));
}

// "the" and "dog" are English words, "der" and "Hund" German ones; "in" is both, "xy" neither.
void TestLexicon::dictionariesOfOtherDirectionsAreNamed() {
  const TemporaryFolder folder;
  PipelineSide source, target;
  for (const char* word : {"der", "Hund", "in"}) source.vocabulary.add(word, 1);
  for (const char* word : {"the", "dog", "in"}) target.vocabulary.add(word, 1);
  const TextPipeline text(std::move(source), std::move(target));
  const auto messageOf = [&](const std::string& content) {
    put(folder / "given.lex", content);
    return errorOf([&] { readDictionary(folder / "given.lex", text); });
  };
  QCOMPARE(messageOf("Hund\tdog\t0.9\n"), std::string());
  QVERIFY(holds(messageOf("dog\tHund\t0.9\n"), "given.lex: is reversed: 1 of its 1 entries"));
  QVERIFY(holds(messageOf("in\tin\nxy\txy\ndog\txy\nxy\tder\n"), "2 of its 4 entries"));
  QVERIFY(holds(usageErrorOf([&] {
                  put(folder / "empty.lex", "\n");
                  readDictionary(folder / "empty.lex", text);
                }),
                "empty.lex: is an empty dictionary"));
  QVERIFY(readDictionary(folder / "empty.lex", text, IfEmpty::kWarn).empty());

  // What is not certain is said, and read.
  const auto warningOf = [&](const std::string& content) {
    const Warnings warnings;
    return messageOf(content).empty() ? warnings.text() : "refused";
  };
  QCOMPARE(warningOf("Hund\tdog\nxy\tdog\nder\tHund\n"), std::string());
  QVERIFY(holds(warningOf("Hund\tdog\ndog\tHund\nthe\tder\n"), "is it reversed? 2 of its 3"));
  QVERIFY(holds(warningOf("xy\tyx\n"), "none of its 1 source words is in the source vocabulary"));
  QVERIFY(holds(warningOf("\xEF\xBB\xBFHund\tdog\n"), "dropped the byte order mark"));
  QCOMPARE(readLexicon(folder / "given.lex").front().source, std::string("Hund"));
}

void TestLexicon::trainKeepsTheWordsItsIdsLack() {
  const TemporaryFolder folder;
  put(folder / "train.de", "ein Haus\nein Hund\nein Haus\nein Hund\nein Esel\n");
  put(folder / "train.en", "a house\na dog\na house\na dog\na donkey\n");
  const auto wordsFor = [&](std::int64_t size) {
    PrepareOptions options;
    options.name = fmt::format("of{}", size);
    options.sourceLanguage = "de";
    options.targetLanguage = "en";
    options.sourceVocabularySize = options.targetVocabularySize = size;
    PairInput files;
    files.source.location = (folder / "train.de").string();
    files.targets.push_back({.location = (folder / "train.en").string()});
    options.train.push_back(files);
    const Dataset dataset = prepareDataset(folder / "datasets", options).dataset;
    return std::pair(fs::exists(dataset.trainTokens(0)), trainWords(dataset));
  };
  const auto [keptWhole, whole] = wordsFor(0);
  const auto [keptCut, cut] = wordsFor(2);
  QVERIFY(!keptWhole && keptCut);
  QCOMPARE(cut.sourceWords(), (std::vector<std::string>{"ein", "Haus", "Hund", "Esel"}));
  QCOMPARE(cut.sourceWords(), whole.sourceWords());
  QCOMPARE(cut.targetWords(), whole.targetWords());
  QCOMPARE(cut.size(), std::int64_t(5));
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestLexicon)
#include "test_lexicon.moc"
