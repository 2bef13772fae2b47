#include <QtTest>
#include <cmath>
#include <limits>

#include "core/run/configuration_group.h"
#include "core/run/histogram.h"
#include "tests/program.h"

using namespace strata;

class TestHistogram : public QObject {
  Q_OBJECT
 private slots:
  void binsAreHalfOctaves();
  void everyValueIsInItsBin();
  void histogramsChangeNoGroup();
};

void TestHistogram::binsAreHalfOctaves() {
  QCOMPARE(kHistogramBins, 230);
  QCOMPARE(kZeroBin, 114);
  QCOMPARE(histogramBinOf(0.0f), 114);
  QCOMPARE(histogramBinOf(-0.0f), 114);
  QCOMPARE(histogramBinOf(1e-30f), 115);
  QCOMPARE(histogramBinOf(-1e-30f), 113);
  QCOMPARE(histogramBinOf(std::ldexp(1.0f, -40)), 116);
  QCOMPARE(histogramBinOf(65535.0f), 227);
  QCOMPARE(histogramBinOf(65536.0f), 228);
  QCOMPARE(histogramBinOf(-1e30f), 0);
  QCOMPARE(histogramBinOf(NAN), 229);
  QCOMPARE(histogramBinOf(-INFINITY), 229);
  // 1 is the bound 2^0, 80 half octaves above the lowest; 1.4 and 1.42 are on both sides of
  // 2^(1/2).
  QCOMPARE(histogramBinOf(1.0f), 196);
  QCOMPARE(histogramBinOf(1.4f), 196);
  QCOMPARE(histogramBinOf(1.42f), 197);
  QCOMPARE(histogramBinOf(-1.0f), 32);
  QCOMPARE(lowerBound(196), 1.0);
  QCOMPARE(float(upperBound(196)), std::sqrt(2.0f));
  QCOMPARE(upperBound(32), -1.0);
  QVERIFY(std::isinf(lowerBound(0)) && std::isinf(upperBound(kOrderedBins - 1)));
  QCOMPARE(lowerBound(115), 0.0);
  QCOMPARE(upperBound(113), 0.0);
}

void TestHistogram::everyValueIsInItsBin() {
  for (const float sign : {1.0f, -1.0f}) {
    for (float x = 1e-14f; x < 1e6f; x *= 1.037f) {
      const int bin = histogramBinOf(sign * x);
      QVERIFY(lowerBound(bin) <= sign * x && sign * x <= upperBound(bin));
    }
  }
  for (int bin = 1; bin < kOrderedBins; ++bin) QCOMPARE(lowerBound(bin), upperBound(bin - 1));
  for (const HistogramKind kind : kHistogramKinds) QVERIFY(histogramKindFrom(nameOf(kind)) == kind);
  QVERIFY(!histogramKindFrom("biases"));
}

void TestHistogram::histogramsChangeNoGroup() {
  const Json before{{"seed", 1}, {"recording", {{"sentences", 8}}}};
  Json with = before;
  with["recording"]["histogram_every"] = 100;
  QCOMPARE(configurationGroup(with), configurationGroup(before));
  with["recording"]["sentences"] = 9;
  QVERIFY(configurationGroup(with) != configurationGroup(before));
}

STRATA_GUILESS_TEST(TestHistogram)
#include "test_histogram.moc"
