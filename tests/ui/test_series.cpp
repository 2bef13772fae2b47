#include <QtTest>
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/program.h"
#include "ui/plots/series.h"

using namespace strata;
using namespace strata::ui;

class TestSeries : public QObject {
  Q_OBJECT
 private slots:
  void keepsEveryPointAndListsWhatIsNotFinite();
  void smoothsWithBiasCorrection();
  void longSeriesAreSmoothedByTheFormula();
  void replacesStepsThatARunDoesAgain();
  void extremesEqualAPlainLoop();
  void decimationKeepsTheExtremesOfEachColumn();
  void decimationBreaksTheLineAtNaN();
  void logarithmicViewLeavesOutWhatIsNotPositive();
  void fewPointsAreDrawnAsTheyAre();
};

static const double kNaN = std::numeric_limits<double>::quiet_NaN();

static std::vector<ScalarPoint> seriesPoints(const std::vector<double>& values) {
  std::vector<ScalarPoint> made;
  for (std::size_t i = 0; i < values.size(); ++i)
    made.push_back({std::int64_t(i), 100.0 + double(i), values[i]});
  return made;
}

void TestSeries::keepsEveryPointAndListsWhatIsNotFinite() {
  Series series;
  series.append(seriesPoints({1, kNaN, -2, INFINITY, 0, 3}));
  QCOMPARE(series.size(), std::size_t(6));
  QCOMPARE(series.values()[2], -2.0);
  QCOMPARE(series.nonFinite().size(), std::size_t(2));
  QCOMPARE(series.nonFinite()[1], std::size_t(3));
  QCOMPARE(series.notPositive(), std::size_t(2));  // -2 and 0
}

void TestSeries::smoothsWithBiasCorrection() {
  Series series;
  series.setSmoothing(0.5);
  series.append(seriesPoints({4, 2}));
  series.append(std::vector<ScalarPoint>{{2, 102, kNaN}, {3, 103, 8}});
  QCOMPARE(series.smoothed()[0], 4.0);  // the first value is itself
  QCOMPARE(series.smoothed()[1], (2 + 0.5 * 4) / (1 + 0.5));
  QVERIFY(std::isnan(series.smoothed()[2]));  // and counts for nothing
  QCOMPARE(series.smoothed()[3], (8 + 0.5 * 2 + 0.25 * 4) / 1.75);
  series.setSmoothing(0);
  QCOMPARE(series.smoothed()[3], 8.0);
}

// Far beyond the values after which the denominator does not change any more, with gaps, and in
// parts as they arrive.
void TestSeries::longSeriesAreSmoothedByTheFormula() {
  std::vector<double> values;
  for (int i = 0; i < 20001; ++i)
    values.push_back(i % 5003 == 17 ? kNaN : 100 + 50 * std::sin(0.37 * i));
  const auto all = seriesPoints(values);
  for (const double weight : {0.3, 0.9, 0.99}) {
    Series series;
    series.setSmoothing(weight);
    for (const auto& [begin, end] : {std::pair{0, 3}, {3, 7000}, {7000, 7001}, {7001, 20001}})
      series.append(std::vector(all.begin() + begin, all.begin() + end));
    double sum = 0, mass = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isnan(values[i])) {
        QVERIFY(std::isnan(series.smoothed()[i]));
        continue;
      }
      sum = weight * sum + values[i];
      mass = weight * mass + 1;
      QVERIFY(std::abs(series.smoothed()[i] - sum / mass) < 1e-10);
    }
    const auto [least, most] = std::minmax_element(
        values.begin(), values.begin() + 17);  // before the first gap, raw against smoothed
    const Extremes::Range range = series.smoothedExtremes().of(series.smoothed(), 0, 17);
    QVERIFY(range.minimum >= *least && range.maximum <= *most);
  }
}

void TestSeries::replacesStepsThatARunDoesAgain() {
  Series series;
  series.append(seriesPoints({0, 1, 2, 3, 4, -5}));
  series.append(std::vector<ScalarPoint>{{3, 200, 30},
                                         {4, 201, 40}});  // resumed from the checkpoint at step 2
  QCOMPARE(series.size(), std::size_t(5));
  QCOMPARE(series.values()[2], 2.0);
  QCOMPARE(series.values()[3], 30.0);
  QCOMPARE(series.notPositive(), std::size_t(1));
}

void TestSeries::extremesEqualAPlainLoop() {
  std::vector<double> values;
  unsigned state = 7;
  for (int i = 0; i < 5000; ++i) {
    state = state * 1664525u + 1013904223u;
    values.push_back(i % 997 == 5 ? kNaN : double(state >> 16) - 30000);
  }
  Extremes extremes;
  extremes.grow(std::span(values).first(1000));
  extremes.grow(values);
  for (const auto& [begin, end] : {std::pair<std::size_t, std::size_t>{0, 5000},
                                   {1, 4999},
                                   {250, 260},
                                   {255, 1025},
                                   {300, 300}}) {
    double lowest = INFINITY, highest = -INFINITY;
    bool broken = false;
    for (std::size_t i = begin; i < end; ++i) {
      broken = broken || std::isnan(values[i]);
      lowest = std::fmin(lowest, values[i]);
      highest = std::fmax(highest, values[i]);
    }
    const Extremes::Range range = extremes.of(values, begin, end);
    QCOMPARE(range.minimum, lowest);
    QCOMPARE(range.maximum, highest);
    QCOMPARE(range.broken, broken);
  }
}

static CurveView viewOf(const Series& series, bool positive = false) {
  return {series.steps(), series.values(), &series.extremes(), positive};
}

void TestSeries::decimationKeepsTheExtremesOfEachColumn() {
  std::vector<double> values(100000, 1.0);
  values[54321] = 50;  // one spike and one dip that no sampling would find
  values[54322] = -50;
  Series series;
  series.append(seriesPoints(values));
  std::vector<double> edges;
  for (int i = 0; i <= 800; ++i) edges.push_back(i * 125.0);
  std::vector<PlotPoint> out;
  decimate(viewOf(series), edges, out);
  QVERIFY(out.size() <= 4 * 800 + 2);
  double lowest = 0, highest = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    lowest = std::min(lowest, out[i].y);
    highest = std::max(highest, out[i].y);
    if (i > 0) QVERIFY(out[i].x >= out[i - 1].x);
    if (std::abs(out[i].y) > 1) QVERIFY(std::abs(out[i].x - 54321) < 125);
  }
  QCOMPARE(lowest, -50.0);
  QCOMPARE(highest, 50.0);
}

void TestSeries::decimationBreaksTheLineAtNaN() {
  Series series;
  series.append(seriesPoints({1, 2, kNaN, 4}));
  std::vector<PlotPoint> out;
  const std::vector<double> edges{0, 1, 2, 3, 4};
  decimate(viewOf(series), edges, out);
  QCOMPARE(out.size(), std::size_t(4));
  QVERIFY(std::isnan(out[2].y));
  QCOMPARE(out[3].y, 4.0);
}

void TestSeries::logarithmicViewLeavesOutWhatIsNotPositive() {
  Series series;
  series.append(seriesPoints({1, 0, -3, 10}));
  std::vector<PlotPoint> out;
  const std::vector<double> edges{0, 2, 4};
  decimate(viewOf(series, true), edges, out);
  QCOMPARE(out.size(), std::size_t(2));
  QCOMPARE(out[1].y, 10.0);
}

void TestSeries::fewPointsAreDrawnAsTheyAre() {
  Series series;
  series.append(seriesPoints({3, 1, 2, 5, 4}));
  std::vector<PlotPoint> out;
  const std::vector<double> edges{1.5, 2.0, 2.5,
                                  3.5};  // one point lies inside either side of the visible two
  decimate(viewOf(series), edges, out);
  QCOMPARE(out.size(), std::size_t(4));
  QCOMPARE(out.front().x, 1.0);  // lines enter from the left
  QCOMPARE(out.back().x, 4.0);   // and leave to the right
}

STRATA_GUILESS_TEST(TestSeries)
#include "test_series.moc"
