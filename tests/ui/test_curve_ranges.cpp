#include <QtTest>
#include <cmath>

#include "tests/program.h"
#include "ui/plots/curve_ranges.h"

using namespace strata;
using namespace strata::ui;

class TestCurveRanges : public QObject {
  Q_OBJECT
 private slots:
  void withoutPointsThereIsARange();
  void fittedRangesGrowWithTheCurves();
  void onlyAViewAtTheTailMoves();
  void yFitsWhatIsVisible();
  void aTakenOrFixedYStays();
  void logarithmicAxesFitWhatTheyCanShow();
  void aConstantCurveIsCentred();
  void timesCountFromEachStartOrTheClock();
};

// Points at steps and, a thousand seconds later, wall times 0, 1, 2, ...
static Series seriesOf(const std::vector<double>& values, double start = 1000) {
  std::vector<ScalarPoint> points;
  for (std::size_t i = 0; i < values.size(); ++i)
    points.push_back({std::int64_t(i), start + double(i), values[i]});
  Series series;
  series.append(points);
  return series;
}

static Series lineTo(int last) {
  std::vector<double> values;
  for (int i = 0; i <= last; ++i) values.push_back(i);
  return seriesOf(values);
}

// Compares to nine digits: margins are computed.
static bool near(const AxisRange& range, double lower, double upper) {
  return std::abs(range.lower - lower) < 1e-9 && std::abs(range.upper - upper) < 1e-9;
}

void TestCurveRanges::withoutPointsThereIsARange() {
  const Series empty;
  for (const CurveRanges::Curves& curves : {CurveRanges::Curves{}, CurveRanges::Curves{&empty}}) {
    CurveRanges ranges;
    QVERIFY(near(ranges.nextX(curves, {}).value(), -0.01, 1.02));
    QVERIFY(near(ranges.nextY(curves, {}).value(), -0.05, 1.05));
    ranges.setLogarithmicX(true);
    ranges.setLogarithmicY(true);
    QVERIFY(ranges.nextX(curves, {}).value().lower > 0);
    QVERIFY(ranges.nextY(curves, {}).value().lower > 0);
  }
}

void TestCurveRanges::fittedRangesGrowWithTheCurves() {
  const Series some = lineTo(100), more = lineTo(200);
  CurveRanges ranges;
  QVERIFY(near(ranges.nextX({&some}, {}).value(), -1, 102));
  QVERIFY(near(ranges.nextX({&some, &more}, {}).value(), -2, 204));
  QVERIFY(near(ranges.nextY({&some, &more}, {-2, 204}).value(), -10, 210));
}

void TestCurveRanges::onlyAViewAtTheTailMoves() {
  const Series some = lineTo(100), more = lineTo(150);
  for (const AxisRange& shown : {AxisRange{90, 110}, AxisRange{10, 20}, AxisRange{200, 300}}) {
    CurveRanges ranges;
    ranges.takeX();
    QVERIFY(!ranges.xIsFitted());
    QVERIFY(!ranges.nextX({&some}, shown).has_value());
    const auto next = ranges.nextX({&more}, shown);
    QCOMPARE(next.has_value(), shown.lower == 90);
    if (next) QCOMPARE(*next, (AxisRange{140, 160}));
    QVERIFY(!ranges.nextX({&more}, next.value_or(shown)).has_value());  // nothing has come since
    ranges.fit();
    QVERIFY(ranges.nextX({&more}, shown).has_value());
  }
}

void TestCurveRanges::yFitsWhatIsVisible() {
  const Series line = lineTo(1000);
  const CurveRanges ranges;
  QVERIFY(near(ranges.nextY({&line}, {100, 200}).value(), 95, 205));
  QVERIFY(near(ranges.nextY({&line}, {2000, 3000}).value(), -0.05, 1.05));  // no point
}

void TestCurveRanges::aTakenOrFixedYStays() {
  const Series line = lineTo(10);
  CurveRanges ranges;
  ranges.takeY();
  QVERIFY(!ranges.nextY({&line}, {0, 10}).has_value());
  ranges.fit();
  QVERIFY(ranges.nextY({&line}, {0, 10}).has_value());
  ranges.fixY();
  ranges.fit();
  QVERIFY(!ranges.nextY({&line}, {0, 10}).has_value());
  ranges.takeY();
  ranges.fitY();
  QVERIFY(ranges.nextY({&line}, {0, 10}).has_value());
}

void TestCurveRanges::logarithmicAxesFitWhatTheyCanShow() {
  const Series line = seriesOf({-5, 0, 1, 100, NAN});  // steps 0 to 4
  CurveRanges ranges;
  ranges.setLogarithmicX(true);
  ranges.setLogarithmicY(true);
  QVERIFY(near(ranges.nextX({&line}, {}).value(), 0.9, 4.4));
  const double factor = std::pow(100, 0.05);
  QVERIFY(near(ranges.nextY({&line}, {0.9, 4.4}).value(), 1 / factor, 100 * factor));
  ranges.setXAxis(CurveRanges::XAxis::kRelativeTime);
  QVERIFY(!ranges.logarithmicX());
  QVERIFY(near(ranges.nextX({&line}, {}).value(), -0.04, 4.08));
}

void TestCurveRanges::aConstantCurveIsCentred() {
  const Series zero = seriesOf({0, 0}), fifty = seriesOf({50, 50});
  CurveRanges ranges;
  QVERIFY(near(ranges.nextY({&zero}, {0, 1}).value(), -1, 1));
  QVERIFY(near(ranges.nextY({&fifty}, {0, 1}).value(), 45, 55));
  ranges.setLogarithmicY(true);
  QVERIFY(near(ranges.nextY({&fifty}, {0, 1}).value(), 50 / 1.5, 75));
}

void TestCurveRanges::timesCountFromEachStartOrTheClock() {
  const Series first = seriesOf({1, 2, 3}, 1000), second = seriesOf({1, 2, 3, 4, 5}, 5000);
  CurveRanges ranges;
  ranges.setXAxis(CurveRanges::XAxis::kRelativeTime);
  QCOMPARE(ranges.xOf(second).at(3), 3.0);
  QCOMPARE(ranges.xOf(second).lowerBound(2.5), std::size_t(3));
  QCOMPARE(ranges.xOf(second).upperBound(3), std::size_t(4));
  QVERIFY(near(ranges.nextX({&first, &second}, {}).value(), -0.04, 4.08));
  ranges.setXAxis(CurveRanges::XAxis::kWallTime);
  QVERIFY(near(ranges.nextX({&first, &second}, {}).value(), 1000 - 40.04, 5004 + 80.08));
}

STRATA_GUILESS_TEST(TestCurveRanges)
#include "test_curve_ranges.moc"
