// How much a learning curve still falls at its end.
#include <QtTest>
#include <cmath>
#include <limits>
#include <vector>

#include "core/run/flatness.h"
#include "tests/program.h"

using namespace strata;

namespace {

std::vector<ScalarPoint> curve(const std::vector<double>& values) {
  std::vector<ScalarPoint> points;
  for (const double value : values)
    points.push_back({.step = 100 * (std::int64_t(points.size()) + 1), .value = value});
  return points;
}

}  // namespace

class TestFlatness : public QObject {
  Q_OBJECT
 private slots:
  // Of steps 100 to 800 the last quarter begins after 600: from 0.5 to 0.4 is a fifth.
  void theLastQuarterCounts() {
    const auto fall = fallAtEnd(curve({9, 9, 9, 9, 9, 0.5, 0.45, 0.4}));
    QVERIFY(fall && std::abs(*fall - 0.2) < 1e-12);
  }

  void aRiseIsNegative() {
    const auto fall = fallAtEnd(curve({1, 1, 1, 1.5}));
    QVERIFY(fall && std::abs(*fall + 0.5) < 1e-12);
  }

  void withoutAnEarlierPointNothingIsSaid() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    QVERIFY(!fallAtEnd({}));
    QVERIFY(!fallAtEnd(curve({1})));
    QVERIFY(!fallAtEnd(curve({nan, nan, nan, 1})));
    QVERIFY(!fallAtEnd(curve({0, 0, 0, 0})));
  }
};

STRATA_GUILESS_TEST(TestFlatness)
#include "test_flatness.moc"
