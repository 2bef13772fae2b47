#include <QtTest>
#include <cmath>
#include <vector>

#include "core/metrics/spread.h"
#include "tests/program.h"

using namespace strata;

class TestSpread : public QObject {
  Q_OBJECT
 private slots:
  void threeValuesByHand();
  void oneValueHasNoSpread();
  void manyValuesApproachTheNormalDistribution();
};

// Mean 4, squares of the deviations 4 + 1 + 9 = 14, t with two degrees of freedom 4.303.
void TestSpread::threeValuesByHand() {
  const Spread spread = spreadOf(std::vector<double>{2, 3, 7});
  QCOMPARE(spread.count, std::size_t(3));
  QCOMPARE(spread.mean, 4.0);
  QCOMPARE(spread.deviation, std::sqrt(7.0));
  QVERIFY(std::abs(spread.halfWidth - 4.303 * std::sqrt(7.0 / 3)) < 1e-12);
}

void TestSpread::oneValueHasNoSpread() {
  const Spread spread = spreadOf(std::vector<double>{5});
  QCOMPARE(spread.mean, 5.0);
  QCOMPARE(spread.deviation, 0.0);
  QCOMPARE(spread.halfWidth, 0.0);
}

// Published quantiles: t(40) = 2.0211, t(120) = 1.9799.
void TestSpread::manyValuesApproachTheNormalDistribution() {
  for (const auto& [count, t] : {std::pair(41, 2.0211), std::pair(121, 1.9799)}) {
    std::vector<double> values;
    for (int i = 0; i < count; ++i) values.push_back(i % 2);
    const Spread spread = spreadOf(values);
    const double found = spread.halfWidth * std::sqrt(double(count)) / spread.deviation;
    QVERIFY(std::abs(found - t) < 0.001);
  }
}

STRATA_TEST(TestSpread)
#include "test_spread.moc"
