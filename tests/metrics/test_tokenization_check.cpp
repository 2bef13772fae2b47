// Texts that are tokenized and references that are not: what is warned of, and what is not.
#include <QTest>

#include "core/metrics/tokenization_check.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

using Lines = std::vector<std::string>;

// So many lines that end in `end`, and others up to `lines`.
Lines endingIn(const std::string& end, std::size_t count, std::size_t lines) {
  Lines text(lines, "no end");
  for (std::size_t i = 0; i < count; ++i) text[i] = "a house" + end;
  return text;
}

std::string warningsOf(const Lines& translations, const std::vector<Lines>& references) {
  std::string all;
  for (const std::string& warning : tokenizationWarnings("hyp", translations, references))
    all += warning + "\n";
  return all;
}

}  // namespace

class TestTokenizationCheck : public QObject {
  Q_OBJECT

 private slots:
  void tokenizedPeriods();
  void subwordMarks();
  void capitalLetters();
};

void TestTokenizationCheck::capitalLetters() {
  const Lines lower{"das haus", "ölig"}, cased{"Das Haus", "\u00d6lig"}, none{"123 .", ""};
  QVERIFY(lackCapitals(lower, std::vector<Lines>{cased}));
  QVERIFY(lackCapitals(lower, std::vector<Lines>{lower, cased}));
  QVERIFY(!lackCapitals(lower, std::vector<Lines>{lower, none}));
  QVERIFY(!lackCapitals(cased, std::vector<Lines>{cased}));
  QVERIFY(!lackCapitals(lower, {}));
}

void TestTokenizationCheck::tokenizedPeriods() {
  const auto raw = [](std::size_t lines) { return std::vector<Lines>{Lines(lines, "a house.")}; };
  QHOLDS(warningsOf(endingIn(" .", 100, 3000), raw(3000)),
         "hyp: 100 of 3000 translations and 0 of their references end in a tokenized period "
         "(' .'): detokenize the translations");
  QCOMPARE(warningsOf(endingIn(" .", 99, 3000), raw(3000)), std::string());
  QHOLDS(warningsOf(endingIn(" .", 10, 20), raw(20)), "10 of 20 translations");
  QCOMPARE(warningsOf(endingIn(" .", 9, 20), raw(20)), std::string());
  QCOMPARE(warningsOf(endingIn(" .", 19, 19), raw(19)), std::string());  // too few to say
  QHOLDS(warningsOf(endingIn(" \u3002 ", 20, 20), raw(20)), "20 of 20");
  QCOMPARE(warningsOf(endingIn(" !", 20, 20), raw(20)), std::string());  // as French is written
  QCOMPARE(warningsOf(endingIn(".", 20, 20), raw(20)), std::string());
  // Tokens against tokens are scored by multi-bleu; one of several references may have them.
  const std::vector<Lines> tokens{Lines(3000, "a house ."), Lines(3000, "a house.")};
  QCOMPARE(warningsOf(endingIn(" .", 200, 3000), {tokens[1], endingIn(" .", 100, 3000)}),
           std::string());
  QHOLDS(warningsOf(endingIn(".", 3000, 3000), tokens),
         "0 of 3000 translations and 3000 of their references end in a tokenized period (' .'): "
         "give references that are not tokenized");
}

void TestTokenizationCheck::subwordMarks() {
  QHOLDS(warningsOf({"a house", "a hou@@ se", "hou@@ se"}, {{"a house", "a house", "house"}}),
         "hyp: 2 translations contain subword marks (first line 2)");
  QHOLDS(warningsOf({"\u2581a \u2581house"}, {{"a house"}}),
         "1 translations contain subword marks");
  QHOLDS(warningsOf({"a house"}, {{"a hou@@ se"}}), "1 references contain subword marks");
  QCOMPARE(warningsOf({"a hou@@ se"}, {{"a hou@@ se"}}), std::string());
  QCOMPARE(warningsOf({"me@example.org @@ a@@b"}, {{"a house"}}), std::string());
}

STRATA_GUILESS_TEST(TestTokenizationCheck)
#include "test_tokenization_check.moc"
