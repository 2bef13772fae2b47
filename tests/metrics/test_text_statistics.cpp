// Statistics of a system's text, counted by hand.
#include <QtTest>

#include "core/metrics/text_statistics.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

using Lines = std::vector<std::string>;

std::size_t repeating(const std::string& line) {
  return textStatistics(Lines{line}, {}).repeatingLines;
}

}  // namespace

class TestTextStatistics : public QObject {
  Q_OBJECT

 private slots:
  void countsWords();
  void lengthsOfTheClosestReference();
  void repetitions();
  void wordsOfTheSource();
  void nothingAtAll();
  void refusesUnequalLines();
};

void TestTextStatistics::countsWords() {
  const auto result = textStatistics(Lines{"a b a", "", "  ", "c  c"}, {});
  QCOMPARE(result.lines, std::size_t{4});
  QCOMPARE(result.emptyLines, std::size_t{2});
  QCOMPARE(result.emptyShare(), 0.5);
  QCOMPARE(result.words, std::int64_t{5});
  QCOMPARE(result.types, std::int64_t{3});
  QCOMPARE(result.typeTokenRatio(), 0.6);
  QCOMPARE(result.repeatedWords, std::int64_t{1});  // the second c; the second a follows a b
  QCOMPARE(result.repeatedWordShare(), 0.2);
  QCOMPARE(result.repeatingLines, std::size_t{1});
  QCOMPARE(result.repeatingShare(), 0.25);
  QVERIFY(!result.lengthRatio() && !result.source && !result.equalShare());
}

void TestTextStatistics::lengthsOfTheClosestReference() {
  QCOMPARE(*textStatistics(Lines{"a b", "c"}, {.references = {{"x y z", "z"}}}).lengthRatio(),
           0.75);
  // 2 words lie between 1 and 3: the shorter one; then 3 words are nearer to 4 than to 1.
  const auto result =
      textStatistics(Lines{"a b", "a b c"}, {.references = {{"x y z", "x"}, {"x", "x y z z"}}});
  QCOMPARE(result.referenceWords, std::int64_t{1 + 4});
  QCOMPARE(*result.lengthRatio(), 1.0);
  QVERIFY(!textStatistics(Lines{"a"}, {.references = {{""}}}).lengthRatio());
}

void TestTextStatistics::repetitions() {
  QCOMPARE(repeating("the the"), std::size_t{1});
  QCOMPARE(repeating("x of the of the y"), std::size_t{1});
  QCOMPARE(repeating("a b c a b c"), std::size_t{1});
  QCOMPARE(repeating("a b c d a b c d"), std::size_t{1});
  QCOMPARE(repeating("a b c d e a b c d e"), std::size_t{0});  // 5 words
  QCOMPARE(repeating("a b c a b d"), std::size_t{0});          // not whole
  QCOMPARE(repeating("of the x of the"), std::size_t{0});      // not at once
  QCOMPARE(repeating("a b a"), std::size_t{0});
  QCOMPARE(repeating("a"), std::size_t{0});
  QCOMPARE(repeating(""), std::size_t{0});
  QCOMPARE(textStatistics(Lines{"a a a"}, {}).repeatedWords, std::int64_t{2});
}

void TestTextStatistics::wordsOfTheSource() {
  const auto result = textStatistics(
      Lines{"Haus is big", "b  b", "", "w"},
      {.references = {{"house is big", "b", "", "w"}, {"the house is huge", "c", "", "v"}},
       .source = {"Haus ist groß", "b b", "", "v"}});
  QVERIFY(result.source.has_value());
  QCOMPARE(result.source->equalLines, std::size_t{1});  // spaces and empty lines do not count
  QCOMPARE(*result.equalShare(), 0.25);
  QCOMPARE(result.source->copiedWords, std::int64_t{1});  // Haus; b stands in a reference
  QCOMPARE(result.source->inventedWords, std::int64_t{0});
  const auto invented =
      textStatistics(Lines{"a q q c"}, {.references = {{"a"}}, .source = {"c d"}});
  QCOMPARE(*invented.copiedShare(), 0.25);
  QCOMPARE(*invented.inventedShare(), 0.5);  // q twice
  const auto bare = textStatistics(Lines{"c q"}, {.source = {"c d"}});
  QCOMPARE(bare.source->copiedWords, std::int64_t{1});
  QCOMPARE(bare.source->inventedWords, std::int64_t{1});
}

void TestTextStatistics::nothingAtAll() {
  const auto result = textStatistics(Lines{}, {.references = {{}}});
  QCOMPARE(result.emptyShare(), 0.0);
  QCOMPARE(result.typeTokenRatio(), 0.0);
  QVERIFY(!result.lengthRatio() && !result.copiedShare());
  const auto empty = textStatistics(Lines{""}, {.source = {"a"}});
  QCOMPARE(empty.emptyShare(), 1.0);
  QCOMPARE(*empty.copiedShare(), 0.0);
}

void TestTextStatistics::refusesUnequalLines() {
  QHOLDS(errorOf([] {
           textStatistics(Lines{"a"}, {.references = {{"a", "b"}}});
         }),
         "1 hypotheses and 2 reference lines");
  QHOLDS(errorOf([] { textStatistics(Lines{"a"}, {.source = {"a", "b"}}); }), "2 source lines");
}

STRATA_GUILESS_TEST(TestTextStatistics)
#include "test_text_statistics.moc"
