#include <QtTest>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "core/inside/histograms.h"
#include "tests/program.h"

using namespace strata;

class TestHistogramFigures : public QObject {
  Q_OBJECT
 private slots:
  void quantilesAreInTheBinsOfSortedValues();
  void figuresByHand();
  void valuesThatAreNotFiniteAreCountedApart();
  void sharesOfAColumnSumToOne();
  void smallValuesAreWithZero();
  void columnsHoldUntilTheNext();
  void placesFollowTheRows();
};

static ValueHistogram countedValues(const std::vector<float>& values) {
  ValueHistogram histogram;
  for (const float value : values) ++histogram.counts[std::size_t(histogramBinOf(value))];
  return histogram;
}

static StepHistogram at(std::int64_t step, const std::vector<float>& values) {
  return {step, HistogramKind::kWeights, "layer", countedValues(values)};
}

void TestHistogramFigures::quantilesAreInTheBinsOfSortedValues() {
  std::mt19937 random(5);
  std::normal_distribution<float> normal(0.01f, 0.05f);
  std::vector<float> values(20001);
  for (float& value : values) value = normal(random);
  const ValueHistogram histogram = countedValues(values);
  std::ranges::sort(values);
  for (const double share : {0.001, 0.05, 0.25, 0.4, 0.5, 0.75, 0.95, 0.999}) {
    const float expected = values[std::size_t(std::ceil(share * 20001)) - 1];
    const double found = quantileOf(histogram, share);
    const int bin = histogramBinOf(expected);
    QVERIFY2(lowerBound(bin) <= found && found <= upperBound(bin),
             qPrintable(QString("%1: %2, not %3").arg(share).arg(found).arg(expected)));
  }
  std::vector<float> magnitudes;
  for (const float value : values) magnitudes.push_back(std::abs(value));
  std::ranges::sort(magnitudes);
  const double middle = figuresOf(histogram).magnitude;
  QCOMPARE(histogramBinOf(float(middle)), histogramBinOf(magnitudes[10000]));
}

void TestHistogramFigures::figuresByHand() {
  // Two in [1, sqrt 2), one in [-2 sqrt 2, -2), one zero.
  const HistogramFigures figures = figuresOf(countedValues({1.1f, 1.2f, -2.5f, 0}));
  QCOMPARE(figures.values, std::int64_t{4});
  QCOMPARE(figures.zeros, std::int64_t{1});
  QCOMPARE(figures.zeroShare(), 0.25);
  QCOMPARE(figures.nonFiniteShare(), 0.0);
  QCOMPARE(float(figures.lowest), -2 * std::sqrt(2.0f));
  QCOMPARE(float(figures.highest), std::sqrt(2.0f));
  QCOMPARE(figures.quantiles[1], -2.0);  // the upper bound of the first of four
  QCOMPARE(figures.quantiles[2], 0.0);
  QVERIFY(std::abs(figures.quantiles[3] - std::pow(2.0, 0.25)) < 1e-6);  // half of a half octave
  // |x|: 0, 1.1, 1.2, 2.5: half are at or below the middle of the bin of 1.
  QVERIFY(std::abs(figures.magnitude - std::pow(2.0, 0.25)) < 1e-6);
  const Json json = toJson(figures);
  QCOMPARE(json.at("quantiles").size(), std::size_t{5});
  QCOMPARE(binsOf(countedValues({0, 0, 1.5f})).dump(),
           std::string("[[0.0,0.0,2],[1.4142135381698608,2.0,1]]"));
}

void TestHistogramFigures::valuesThatAreNotFiniteAreCountedApart() {
  const HistogramFigures figures = figuresOf(countedValues({NAN, INFINITY, -INFINITY, 1}));
  QCOMPARE(figures.nonFinite, std::int64_t{3});
  QCOMPARE(figures.nonFiniteShare(), 0.75);
  QVERIFY(figures.quantiles[2] >= 1 && figures.quantiles[2] < 1.5);
  const HistogramFigures broken = figuresOf(countedValues({NAN}));
  QVERIFY(std::isnan(broken.quantiles[2]) && std::isnan(broken.magnitude));
  QVERIFY(toJson(broken).at("lowest").is_null());
  const std::vector<StepHistogram> steps{at(1, {1}), at(2, {NAN, NAN})};
  const HistogramMap map = histogramMap(steps, {.first = 1, .last = 2});
  QCOMPARE(map.columns[1].figures.nonFinite, std::int64_t{2});
  QVERIFY(std::isnan(map.columns[1].shares[0]));
  // Beyond the last bounds there is no end.
  const HistogramFigures huge = figuresOf(countedValues({1e30f, 1e-30f}));
  QVERIFY(std::isinf(huge.highest) && toJson(huge).at("highest").is_null());
  QCOMPARE(huge.quantiles[4], 65536.0);
}

void TestHistogramFigures::sharesOfAColumnSumToOne() {
  std::mt19937 random(3);
  std::normal_distribution<float> normal(0, 1);
  std::vector<StepHistogram> steps;
  for (std::int64_t step = 1; step <= 1000; ++step) {
    std::vector<float> values(50);
    for (float& value : values) value = normal(random) / float(step);
    values.front() = 0;
    steps.push_back(at(step, values));
  }
  const HistogramMap map = histogramMap(steps, {.first = 1, .last = 1000, .mostColumns = 100});
  QCOMPARE(map.columns.size(), std::size_t{100});
  QCOMPARE(map.columns[0].first, std::int64_t{1});
  QCOMPARE(map.columns[0].last, std::int64_t{10});
  QCOMPARE(map.columns[99].last, std::int64_t{1000});
  for (const auto& column : map.columns) {
    QCOMPARE(column.shares.size(), map.rows.size());
    QVERIFY(std::abs(std::accumulate(column.shares.begin(), column.shares.end(), 0.0) - 1) < 1e-9);
    QCOMPARE(column.figures.values, std::int64_t{500});
  }
  for (std::size_t row = 1; row < map.rows.size(); ++row)
    QCOMPARE(map.rows[row].lower, map.rows[row - 1].upper);
}

void TestHistogramFigures::smallValuesAreWithZero() {
  std::vector<float> values(995, 1.2f);
  values.insert(values.end(), 5, -1e-6f);  // half a percent
  values.push_back(0);
  const std::vector<StepHistogram> steps{at(5, values)};
  const HistogramMap map = histogramMap(steps, {.first = 5, .last = 5});
  // Small and zero; 1 to the root of 2, and the same below zero, since there are negative values.
  QCOMPARE(map.rows.size(), std::size_t{3});
  QCOMPARE(map.rows[1].lower, -1.0);
  QCOMPARE(map.rows[1].upper, 1.0);
  QCOMPARE(map.columns[0].shares[0], 0.0);
  QCOMPARE(map.columns[0].shares[1], 6.0 / 1001);
  QCOMPARE(map.columns[0].shares[2], 995.0 / 1001);
  // Only zeros have one row.
  const std::vector<StepHistogram> zeros{at(5, {0, 0})};
  const HistogramMap flat = histogramMap(zeros, {.first = 5, .last = 5});
  QCOMPARE(flat.rows.size(), std::size_t{1});
  QCOMPARE(flat.columns[0].shares[0], 1.0);
  QVERIFY(histogramMap({}, {.first = 1, .last = 5}).isEmpty());
}

void TestHistogramFigures::columnsHoldUntilTheNext() {
  const std::vector<StepHistogram> steps{at(10, {1}), at(20, {1, 2}), at(50, {1, 2, 3})};
  const HistogramMap map = histogramMap(steps, {.first = 10, .last = 50});
  QCOMPARE(map.columns.size(), std::size_t{3});
  QCOMPARE(map.columns[0].last, std::int64_t{20});  // steps 10 to 23
  QCOMPARE(map.columns[0].figures.values, std::int64_t{3});
  QCOMPARE(map.columns[1].last, std::int64_t{20});  // nothing was recorded in 24 to 37
  QCOMPARE(map.columns[2].first, std::int64_t{50});
  const HistogramMap part = histogramMap(steps, {.first = 20, .last = 50});
  QCOMPARE(part.columns.size(), std::size_t{2});
  QCOMPARE(part.columnOf(20), std::size_t{0});
  QCOMPARE(part.columnOf(50), std::size_t{1});
}

void TestHistogramFigures::placesFollowTheRows() {
  const std::vector<StepHistogram> steps{at(1, {1.2f, 1.5f, -1.2f})};
  const HistogramMap map = histogramMap(steps, {.first = 1, .last = 1});
  QCOMPARE(map.rows.size(), std::size_t{5});
  QCOMPARE(map.placeOf(0), 2.0);
  QCOMPARE(map.placeOf(1), 2.5);
  QVERIFY(std::abs(map.placeOf(std::pow(2.0, 0.25)) - 3) < 1e-6);
  QVERIFY(std::abs(map.placeOf(-std::pow(2.0, 0.25)) - 1) < 1e-6);
  QCOMPARE(map.placeOf(1e9), 4.5);
  QVERIFY(std::isnan(map.placeOf(NAN)));
}

STRATA_GUILESS_TEST(TestHistogramFigures)
#include "test_histogram_figures.moc"
