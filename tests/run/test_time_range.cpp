#include <QTest>

#include "core/run/hypothesis_tree.h"
#include "core/run/time_range.h"
#include "tests/program.h"

using namespace strata;

// How long a run would take, and hypotheses as a tree.
class TestTimeRange : public QObject {
  Q_OBJECT
 private slots:
  void aRangeIsWrittenRoughly();
  void aloneTheRangeIsTheSpreadOfTheSteps();
  void otherWorkShortensOnlyTheFasterEnd();
  void threadsLimitWhatMoreCoresWouldHelp();
  void theBasisSaysWhatWasMeasured();
  void whatHypothesesBeginWithStandsOnce();
};

void TestTimeRange::aRangeIsWrittenRoughly() {
  QCOMPARE(textOf(TimeRange{14 * 60, 40 * 60}), std::string("14–40 min"));
  QCOMPARE(textOf(TimeRange{50, 125}), std::string("50 s – 2 min"));
  QCOMPARE(textOf(TimeRange{3 * 3600, 3 * 3600}), std::string("3 h"));
  QCOMPARE(textOf(TimeRange{5400, 9000}), std::string("1.5–2.5 h"));
  QCOMPARE(textOf(TimeRange{0, 0.4}), std::string("0 s"));
  QCOMPARE(textOf(TimeRange{86400, 3 * 86400}), std::string("24 h – 3 days"));
  QCOMPARE(textOf(TimeRange{1, 2}, {.seconds = "Sek."}), std::string("1–2 Sek."));
}

void TestTimeRange::aloneTheRangeIsTheSpreadOfTheSteps() {
  const SpeedMeasurement alone{.steps = {{1.0, 2, 0}, {1.2, 2, 0}, {0.9, 2, 0}}, .threads = 2};
  QCOMPARE(alone.medianSeconds(), 1.0);
  const TimeRange range = timeRange(alone, 3600);
  QCOMPARE(range.least, 3240.0);
  QCOMPARE(range.most, 4320.0);
  QVERIFY(timeRange({}, 60) == (TimeRange{60, 60}));  // nothing was measured
}

// A step that got a quarter of two cores would take a quarter of the time alone: with 54 minutes
// alone, 3.6 hours are measured.
void TestTimeRange::otherWorkShortensOnlyTheFasterEnd() {
  const SpeedMeasurement busy{.steps = {{4.0, 0.5, 1.5}}, .threads = 2, .cores = 2};
  const TimeRange range = timeRange(busy, 4 * 54 * 60);
  QCOMPARE(range.least, 54.0 * 60);
  QCOMPARE(range.most, 4 * 54.0 * 60);
}

void TestTimeRange::threadsLimitWhatMoreCoresWouldHelp() {
  // One thread had its core: seven busy neighbours cost it nothing.
  const SpeedMeasurement single{.steps = {{1.0, 1, 7}}, .threads = 1, .cores = 8};
  QVERIFY(timeRange(single, 100) == (TimeRange{100, 100}));
  // Four threads had two cores: alone they would have had four.
  const SpeedMeasurement four{.steps = {{1.0, 2, 6}}, .threads = 4, .cores = 8};
  QVERIFY(timeRange(four, 100) == (TimeRange{50, 100}));
}

void TestTimeRange::theBasisSaysWhatWasMeasured() {
  const SpeedMeasurement busy{
      .steps = {{1, 1, 1.5}, {1, 1, 0.5}}, .threads = 2, .cores = 4, .otherRuns = 1};
  const TimeBasis basis = basisOf(busy);
  QCOMPARE(textOf(basis),
           std::string("2 steps measured here on 2 threads; 1 other run in training; "
                       "other work uses 1.0 of 4 cores"));
  QVERIFY(TimeBasis::read(basis.json()) == basis);
  QCOMPARE(textOf(basisOf({.steps = {{1, 1, 0}}})),
           std::string("1 steps measured here on 1 thread"));
}

// a b </s>, a b c </s>, d </s>
void TestTimeRange::whatHypothesesBeginWithStandsOnce() {
  const auto make = [](std::vector<std::string> words, std::vector<double> values) {
    Hypothesis hypothesis;
    hypothesis.words = std::move(words);
    hypothesis.tokenLogProbabilities = std::move(values);
    return hypothesis;
  };
  const HypothesisNode root =
      treeOf({make({"a", "b", "</s>"}, {-1, -2, -3}), make({"d", "</s>"}, {-4, -5}),
              make({"a", "b", "c", "</s>"}, {-1, -2, -6, -7})});
  QVERIFY(root.words.empty());
  QCOMPARE(root.children.size(), std::size_t(2));
  const HypothesisNode& a = root.children[0];
  QCOMPARE(a.words, std::vector<std::string>({"a", "b"}));
  QCOMPARE(a.logProbability, -3.0);
  QCOMPARE(a.hypothesis, -1);
  QCOMPARE(a.children[0].words, std::vector<std::string>({"</s>"}));
  QCOMPARE(a.children[0].hypothesis, 0);
  QCOMPARE(a.children[1].words, std::vector<std::string>({"c", "</s>"}));
  QCOMPARE(a.children[1].logProbability, -13.0);
  QCOMPARE(a.children[1].hypothesis, 2);
  QCOMPARE(root.children[1].hypothesis, 1);
  QVERIFY(treeOf({}).children.empty());
}

STRATA_GUILESS_TEST(TestTimeRange)
#include "test_time_range.moc"
