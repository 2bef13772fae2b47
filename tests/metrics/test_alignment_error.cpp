// The alignment error rate and its readers against alignments a person can count and against the
// gold alignments of the references.
#include <QtTest>

#include "core/metrics/alignment_error.h"
#include "metrics/metrics_fixture.h"
#include "tests/program.h"
#include "tests/reference_rows.h"

using namespace strata;

namespace {

Alignments parse(std::string_view text, AlignmentFormat format = AlignmentFormat::kPharaoh) {
  return parseAlignments(text, "links.txt", {.format = format});
}

std::string errorIn(std::string_view text, const AlignmentReading& reading) {
  return errorOf([&] { parseAlignments(text, "links.txt", reading); });
}

// "0-0 1?2" for the links of a sentence.
std::string written(const SentenceAlignment& sentence) {
  std::string text;
  for (const AlignmentLink& link : sentence.possible) {
    const bool sure = std::binary_search(sentence.sure.begin(), sentence.sure.end(), link);
    text += fmt::format("{}{}{}{}", text.empty() ? "" : " ", link.source, sure ? '-' : '?',
                        link.target);
  }
  return text;
}

Alignments goldOf(const fs::path& folder) {
  return readAlignments(folder / "gold.mixed.txt", {.format = AlignmentFormat::kMixed});
}

// Compares with an entry of the JSON files and returns the largest difference of the ratios.
bool sameCounts(const AlignmentCounts& counts, const Json& expected, double& largest,
                int& compared) {
  const auto differs = [&](double value, const char* key) {
    const double difference = std::abs(value - expected[key].get<double>());
    largest = std::max(largest, difference);
    ++compared;
    return !(difference <= 1e-12);
  };
  const bool wrong[] = {differs(static_cast<double>(counts.links), "links"),
                        differs(static_cast<double>(counts.sure), "sure"),
                        differs(static_cast<double>(counts.possible), "possible"),
                        differs(static_cast<double>(counts.linksAndSure), "hyp_and_sure"),
                        differs(static_cast<double>(counts.linksAndPossible), "hyp_and_possible"),
                        differs(precision(counts), "precision"),
                        differs(recall(counts), "recall"),
                        differs(f1(counts), "f1"),
                        differs(aer(counts), "aer")};
  return std::none_of(std::begin(wrong), std::end(wrong), [](bool one) { return one; });
}

}  // namespace

class TestAlignmentError : public QObject {
  Q_OBJECT

 private slots:
  void ratesByHand();
  void countsAddUp();
  void nothingToDivideBy();
  void formatsSayTheSame();
  void linesKeepTheirPlace();
  void setsHoldALinkOnce();
  void errorsNameFileLineAndToken();
  void linksOutsideAreNamedAndKept();
  void lengthsMustFit();
  void marksOfTalp();
  void wordsCountFromOne();
  void goldOfTwoFiles();
  void goldFilesSayTheSame_data() { rowPerReference("align"); }
  void goldFilesSayTheSame();
  void equalsReferenceFigures_data() { rowPerReference("align"); }
  void equalsReferenceFigures();
  void equalsReferenceSentenceFigures_data() { rowPerReference("align"); }
  void equalsReferenceSentenceFigures();
  void namesTheLinkOfTheGoldThatIsOutside_data() { rowPerReference("align"); }
  void namesTheLinkOfTheGoldThatIsOutside();
};

void TestAlignmentError::ratesByHand() {
  // A = {0-0, 1-1, 2-2, 3-1}, S = {0-0, 1-1, 4-4}, P = S and {2-2}: A meets S twice, P three times.
  const SentenceAlignment gold =
      parse("0-0 1-1 2?2 4-4", AlignmentFormat::kMixed).sentences.front();
  const SentenceAlignment hypothesis = parse("3-1 0-0 1-1 2-2").sentences.front();
  const AlignmentCounts counts = compareAlignment(hypothesis, gold);
  QCOMPARE(counts, (AlignmentCounts{4, 3, 4, 2, 3}));
  QCOMPARE(precision(counts), 3.0 / 4);
  QCOMPARE(recall(counts), 2.0 / 3);
  QCOMPARE(f1(counts), 2 * (0.75 * 2 / 3) / (0.75 + 2.0 / 3));
  QCOMPARE(aer(counts), 1 - 5.0 / 7);
}

void TestAlignmentError::countsAddUp() {
  // The rate of a corpus is that of the summed counts, not the mean of 1 and 0.
  const Alignments gold = parse("0-0\n0-0 1-1 2-2\n");
  const auto counts = compareAlignments(parse("0-1\n0-0 1-1 2-2\n"), gold);
  QCOMPARE(aer(counts[0]), 1.0);
  QCOMPARE(aer(counts[1]), 0.0);
  QCOMPARE(aer(sum(counts)), 1 - 6.0 / 8);
  QHOLDS(errorOf([&] { compareAlignments(parse("0-0\n"), gold); }), "1 hypotheses and 2 gold");
}

void TestAlignmentError::nothingToDivideBy() {
  const AlignmentCounts emptyHypothesis = compareAlignment({}, parse("0-0 1-1").sentences.front());
  QCOMPARE(precision(emptyHypothesis), 0.0);
  QCOMPARE(recall(emptyHypothesis), 0.0);
  QCOMPARE(f1(emptyHypothesis), 0.0);
  QCOMPARE(aer(emptyHypothesis), 1.0);
  QCOMPARE(aer(AlignmentCounts{}), 1.0);
  // Only possible links: a hypothesis of one of them is right.
  const AlignmentCounts nothingSure = compareAlignment(
      parse("0-0").sentences.front(), parse("0?0", AlignmentFormat::kMixed).sentences.front());
  QCOMPARE(recall(nothingSure), 0.0);
  QCOMPARE(precision(nothingSure), 1.0);
  QCOMPARE(aer(nothingSure), 0.0);
}

void TestAlignmentError::formatsSayTheSame() {
  const Alignments mixed = parse("0-0 1?2\n\n3-1", AlignmentFormat::kMixed);
  const Alignments naacl = parse("1 1 1 S\n1 2 3 P\n0003 4 2\n", AlignmentFormat::kNaacl);
  QCOMPARE(mixed.sentences.size(), std::size_t{3});
  QCOMPARE(written(mixed.sentences[0]), std::string("0-0 1?2"));
  QCOMPARE(written(mixed.sentences[2]), std::string("3-1"));
  QVERIFY(mixed.sentences == naacl.sentences);
  QVERIFY(parse("0-0 1-2\n").sentences == parse("0-0 1-2\n", AlignmentFormat::kMixed).sentences);
}

void TestAlignmentError::linesKeepTheirPlace() {
  QCOMPARE(parse("").sentences.size(), std::size_t{0});
  QCOMPARE(parse("\n").sentences.size(), std::size_t{1});
  const Alignments lines = parse("0-0\r\n \t\r\n1-1\t2-2 \n\n3-3");
  QCOMPARE(lines.sentences.size(), std::size_t{5});
  QCOMPARE(written(lines.sentences[1]), std::string());
  QCOMPARE(written(lines.sentences[2]), std::string("1-1 2-2"));
  QCOMPARE(written(lines.sentences[4]), std::string("3-3"));
  QVERIFY(lines.warnings.empty());

  const Alignments marked = parse(
      "\xEF\xBB\xBF"
      "0-0\n");
  QCOMPARE(written(marked.sentences.front()), std::string("0-0"));
  QCOMPARE(marked.warnings.size(), std::size_t{1});
  QHOLDS(marked.warnings.front(), "byte order mark");

  // A NAACL file cannot say that its last sentences have no link; the reader can be told.
  const AlignmentReading five{.format = AlignmentFormat::kNaacl, .sentences = 5};
  QCOMPARE(parseAlignments("2 1 1 S\n", "g", five).sentences.size(), std::size_t{5});
  QCOMPARE(parse("2 1 1 S\n\n", AlignmentFormat::kNaacl).sentences.size(), std::size_t{2});
}

void TestAlignmentError::setsHoldALinkOnce() {
  QCOMPARE(written(parse("2-2 0-0 2-2").sentences.front()), std::string("0-0 2-2"));
  const Alignments both = parse("1?1 1-1 0?0", AlignmentFormat::kMixed);
  QCOMPARE(written(both.sentences.front()), std::string("0?0 1-1"));
  QCOMPARE(both.sentences.front().possible.size(), std::size_t{2});
}

void TestAlignmentError::errorsNameFileLineAndToken() {
  for (const std::string token :
       {"1", "1-", "-1", "1-2-3", "1--2", "a-1", "1-b", "+1-2", "1.0-2", "1?2", "99999999999-0"}) {
    const std::string message = errorIn("0-0\n1-1 " + token + "\n", {});
    QHOLDS(message, "links.txt:2: '" + token + "'");
  }
  QHOLDS(errorIn("0?0 1:1", {.format = AlignmentFormat::kMixed}), "links.txt:1: '1:1'");
  const AlignmentReading naacl{.format = AlignmentFormat::kNaacl};
  QHOLDS(errorIn("1 1 1 S\n1 0 1 S\n", naacl), "links.txt:2: '0'");  // words count from 1
  QHOLDS(errorIn("1 1 x S\n", naacl), "links.txt:1: 'x'");
  QHOLDS(errorIn("1 1 1 s\n", naacl), "links.txt:1: 's'");
  QHOLDS(errorIn("1 1\n", naacl), "links.txt:1: '1 1'");
  QHOLDS(errorIn("1 1 1 S 0.5\n", naacl), "links.txt:1: '1 1 1 S 0.5'");
  QHOLDS(errorIn("1999999999 1 1 S\n", naacl), "links.txt:1: '1999999999'");
  QHOLDS(errorIn("3 1 1 S\n", {.format = AlignmentFormat::kNaacl, .sentences = 2}), "at most 2");
  QHOLDS(errorOf([] { readAlignments("no/such/file.txt"); }), "no/such/file.txt");
}

void TestAlignmentError::linksOutsideAreNamedAndKept() {
  const std::vector<std::string> source{"a b", "c"}, target{"x", " y  z "};
  const AlignmentLengths lengths = alignmentLengths(source, target);
  QCOMPARE(lengths.source, (std::vector<std::int32_t>{2, 1}));
  QCOMPARE(lengths.target, (std::vector<std::int32_t>{1, 2}));
  const Alignments links = parseAlignments("1-0 1-1\n0-1 1-0\n", "g", {.lengths = lengths});
  QCOMPARE(links.warnings.size(), std::size_t{2});
  QHOLDS(links.warnings[0], "g:1: '1-1'");
  QHOLDS(links.warnings[0], "2 source and 1 target");
  QHOLDS(links.warnings[1], "g:2: '1-0'");
  QCOMPARE(written(links.sentences[0]), std::string("1-0 1-1"));
  const Alignments naacl =
      parseAlignments("2 1 3 P\n", "g", {.format = AlignmentFormat::kNaacl, .lengths = lengths});
  QCOMPARE(naacl.warnings.size(), std::size_t{1});
  QHOLDS(naacl.warnings[0], "g:1: '2 1 3 P' is outside sentence pair 2");
  QCOMPARE(written(naacl.sentences[1]), std::string("0?2"));
}

void TestAlignmentError::lengthsMustFit() {
  const AlignmentLengths two{{1, 1}, {1, 1}};
  QHOLDS(errorIn("0-0\n", {.lengths = two}), "links.txt has 1 lines but there are 2");
  QHOLDS(errorIn("0-0\n0-0\n0-0\n", {.lengths = two}), "links.txt has 3 lines");
  QHOLDS(errorIn("0-0\n", {.lengths = AlignmentLengths{{1}, {1, 1}}}), "1 source and 2 target");
  QHOLDS(errorIn("", {.format = AlignmentFormat::kNaacl, .lengths = two, .sentences = 3}), "3");
  const std::vector<std::string> one{"a"}, none;
  QHOLDS(errorOf([&] { alignmentLengths(one, none); }), "1 source lines and 0 target lines");
}

void TestAlignmentError::marksOfTalp() {
  const Alignments talp = parse("1-1 2p2 3P3 4s4 5S5 6?6", AlignmentFormat::kMixed);
  QCOMPARE(written(talp.sentences.front()), std::string("1-1 2?2 3?3 4-4 5-5 6?6"));
  for (const std::string token : {"2p2", "2P2", "2s2"}) QHOLDS(errorIn(token, {}), token);
  for (const std::string token : {"2pp2", "p2", "2p", "2x2", "2p-2"})
    QHOLDS(errorIn("0-0\n" + token, {.format = AlignmentFormat::kMixed}),
           "links.txt:2: '" + token + "'");
}

void TestAlignmentError::wordsCountFromOne() {
  const AlignmentReading fromOne{.format = AlignmentFormat::kMixed, .fromOne = true};
  const Alignments gold = parseAlignments("1-1 2p2\n\n2-1\n", "g", fromOne);
  QVERIFY(gold.sentences == parse("0-0 1?1\n\n1-0\n", AlignmentFormat::kMixed).sentences);
  QHOLDS(errorIn("1-1\n2-0\n", fromOne), "links.txt:2: '2-0' has a word 0");
  QHOLDS(errorIn("0p1\n", fromOne), "links.txt:1: '0p1' has a word 0");
  // By the links alone it can be said only that nothing is aligned to a first word.
  QVERIFY(seemsToCountFromOne(parse("1-1 2-2\n\n1-2\n")));
  QVERIFY(!seemsToCountFromOne(parse("1-1 2-2\n1-0\n")));
  QVERIFY(!seemsToCountFromOne(parse("0-1\n")));
  QVERIFY(!seemsToCountFromOne(parse("\n")));

  const AlignmentReading naacl{.format = AlignmentFormat::kNaacl};
  QHOLDS(errorIn("0 0 0 S\n", naacl), "links.txt:1: '0'");
  QHOLDS(errorIn("1 0 1 S\n", naacl), "this one seems to count from 0");
  QHOLDS(errorIn("1 1 1 S\n", {.format = AlignmentFormat::kMixed}), "looks like one of a NAACL");
}

void TestAlignmentError::goldOfTwoFiles() {
  // The possible file need not hold the sure links again.
  const Alignments gold = goldAlignments(parse("0-0\n1-1\n"), parse("0-1\n1-1 2-2\n"));
  QCOMPARE(written(gold.sentences[0]), std::string("0-0 0?1"));
  QCOMPARE(written(gold.sentences[1]), std::string("1-1 2?2"));
  QHOLDS(errorOf([] { goldAlignments(parse("0-0\n"), parse("")); }), "1 lines of sure links and 0");
}

void TestAlignmentError::goldFilesSayTheSame() {
  const fs::path folder = referenceOfRow();
  const Alignments mixed = goldOf(folder);
  const Alignments naacl = readAlignments(folder / "gold.naacl.txt",
                                          {.format = AlignmentFormat::kNaacl, .sentences = 100});
  const Alignments two = goldAlignments(readAlignments(folder / "gold.sure.txt"),
                                        readAlignments(folder / "gold.possible.txt"));
  QCOMPARE(mixed.sentences.size(), std::size_t{100});
  QVERIFY(naacl.sentences == mixed.sentences);
  QVERIFY(two.sentences == mixed.sentences);
}

void TestAlignmentError::equalsReferenceFigures() {
  const fs::path folder = referenceOfRow();
  const Alignments gold = goldOf(folder);
  const Alignments allSure = readAlignments(folder / "gold.all-sure.txt");
  const Json figures = figuresOf(folder, "aer.json");
  double largest = 0;
  int compared = 0;
  for (const auto& [name, golds] : figures.items()) {
    const Alignments hypotheses = readAlignments(folder / ("hyp." + name + ".txt"));
    for (const auto& [which, expected] : golds.items()) {
      const Alignments& right = which == "all-sure" ? allSure : gold;
      QVERIFY2(sameCounts(sum(compareAlignments(hypotheses, right)), expected, largest, compared),
               (name + " " + which).c_str());
    }
  }
  qInfo("%d figures equal, largest difference %.3g", compared, largest);
  QCOMPARE(compared, 9 * 2 * 9);
}

void TestAlignmentError::equalsReferenceSentenceFigures() {
  const fs::path folder = referenceOfRow();
  const Alignments gold = goldOf(folder);
  double largest = 0;
  int compared = 0;
  const Json figures = figuresOf(folder, "aer.first-10-sentences.json");
  for (const auto& [name, sentences] : figures.items()) {
    const auto counts = compareAlignments(readAlignments(folder / ("hyp." + name + ".txt")), gold);
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      QVERIFY2(sameCounts(counts[i], sentences[i], largest, compared),
               (name + " sentence " + std::to_string(i + 1)).c_str());
    }
  }
  qInfo("%d figures equal, largest difference %.3g", compared, largest);
  QCOMPARE(compared, 2 * 10 * 9);
}

void TestAlignmentError::namesTheLinkOfTheGoldThatIsOutside() {
  const fs::path folder = referenceOfRow();
  const AlignmentLengths lengths =
      alignmentLengths(linesOf(folder / "source.txt"), linesOf(folder / "target.txt"));
  const Alignments gold =
      readAlignments(folder / "gold.all-sure.txt", AlignmentReading{.lengths = lengths});
  QCOMPARE(gold.warnings.size(), std::size_t{1});
  QHOLDS(gold.warnings.front(), "gold.all-sure.txt:63: '12-16'");
  QHOLDS(gold.warnings.front(), "13 source and 13 target");
  QVERIFY(gold.sentences == readAlignments(folder / "gold.all-sure.txt").sentences);
}

STRATA_GUILESS_TEST(TestAlignmentError)
#include "test_alignment_error.moc"
