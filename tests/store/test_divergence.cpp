// What counts as divergence while every number is finite.
#include <QTest>
#include <cmath>
#include <limits>

#include "core/store/divergence.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

constexpr std::int64_t kWords = 2200;  // ln 2200 = 7.696
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

// One value each 100 steps.
std::vector<ScalarPoint> curveOf(const std::vector<double>& values) {
  std::vector<ScalarPoint> points;
  for (const double value : values)
    points.push_back({.step = 100 * (std::ssize(points) + 1), .wallTime = 5, .value = value});
  return points;
}

std::string lossText(const std::vector<double>& values, std::int64_t vocabulary = kWords) {
  const auto found = lossDivergence("valid/nll", curveOf(values), vocabulary);
  return found ? found->what : "";
}

// Norms each 10 steps, validations each 50.
std::string jumpText(const std::vector<double>& values, bool validated = true) {
  std::vector<ScalarPoint> points;
  std::vector<std::int64_t> validations;
  for (const double value : values) {
    points.push_back({.step = 10 * (std::ssize(points) + 1), .wallTime = 5, .value = value});
    if (validated && points.back().step % 50 == 0) validations.push_back(points.back().step);
  }
  const auto found = gradientJump("grad_norm/all", points, validations);
  return found ? found->what : "";
}

}  // namespace

class TestDivergence : public QObject {
  Q_OBJECT
 private slots:
  void aLossAboveThatOfGuessing() {
    QHOLDS(lossText({125.7}), "valid/nll is 125.7 at step 100: above 7.7 nats");
    QHOLDS(lossText({125.7, 809.7}), "valid/nll is 809.7 at step 200");
    QHOLDS(lossText({4, 7.8}), "all 2200 words");
    QCOMPARE(lossText({4, 7.6, 3}), std::string());  // it has come back
    QHOLDS(lossText({4, 9, kNoNumber}), "9 at step 200");
  }

  // A new model is up to half a nat above, and has never been lower.
  void aBeginningIsNoDivergence() {
    QCOMPARE(lossText({8.2}), std::string());
    QCOMPARE(lossText({8.3, 8.1, 7.9}), std::string());
    QHOLDS(lossText({8.5}), "above 7.7 nats");
  }

  void severalTimesTheBest() {
    QHOLDS(lossText({1.2, 4.2}), "is 4.2 at step 200: 3.5 times its best, 1.2 at step 100");
    QCOMPARE(lossText({1.5, 4.2}), std::string());   // 2.8 times
    QCOMPARE(lossText({0.25, 0.9}), std::string());  // it overfits: 3.6 times, but below 3.85
  }

  // Without the vocabulary only what no vocabulary allows: ln 10,000,000 = 16.1.
  void anUnknownVocabulary() {
    QHOLDS(lossText({125.7}, 0), "above 16.1 nats, which guessing among ten million words");
    QCOMPARE(lossText({1.2, 9.5}, 0), std::string());
    QCOMPARE(lossText({}, 0), std::string());
  }

  void normsThatJump() {
    QHOLDS(jumpText({1, 2, 1, 2, 1, 1, 300, 400, 350}),
           "grad_norm/all was 300 at step 70, 300 times the median before (1)");
    QCOMPARE(jumpText({1, 2, 1, 2, 1, 1, 1, 400, 350}), std::string());    // twice in a row
    QCOMPARE(jumpText({1, 2, 1, 2, 1, 300, 400, 350, 1}), std::string());  // it is over
    QCOMPARE(jumpText({1, 2, 1, 2, 1, 90, 90, 90}), std::string());        // less than 100 times
    QCOMPARE(jumpText({1, 1, kNoNumber, 1, 1, 300, 400, 350}).empty(), false);
  }

  // The interval in which it jumped has a high median; the one before is compared with as well.
  void aJumpIsSeenForTwoIntervals() {
    const std::vector<double> jumped{1, 1, 1, 1, 1, 300, 300, 300, 300, 300};
    std::vector<double> after = jumped;
    after.insert(after.end(), {300, 300, 300});
    QHOLDS(jumpText(after), "300 times the median before (1)");
    after.insert(after.end(), {300, 300, 300, 300, 300});
    QCOMPARE(jumpText(after), std::string());
  }

  void withoutValidationsAllPointsBefore() {
    QHOLDS(jumpText({2, 2, 2, 2, 500, 600, 700}, false), "250 times the median before (2)");
    QCOMPARE(jumpText({2, 2, 500, 600, 700}, false), std::string());  // too few of them
  }

  // From nearly no gradient to a usual one: a model that begins to learn.
  void smallNormsMayGrow() {
    QCOMPARE(jumpText({1e-4, 1e-4, 1e-4, 1e-4, 1e-4, 0.5, 0.6, 0.5}), std::string());
  }

  void aWatchTellsOnce() {
    DivergenceWatch watch(kWords);
    const auto validation = [&](std::int64_t step, double value) {
      return watch.add({{.runId = 1, .name = "valid/nll", .step = step, .value = value},
                        {.runId = 1, .name = "train/nll", .step = step, .value = 900}});
    };
    QCOMPARE(validation(100, 5).size(), std::size_t(0));
    QHOLDS(validation(200, 125.7).at(0).what, "125.7 at step 200");
    QCOMPARE(validation(300, 809.7).size(), std::size_t(0));
    QCOMPARE(validation(400, 5).size(), std::size_t(0));
    QCOMPARE(validation(500, 200).size(), std::size_t(1));
    // Steps that come again replace those from there on: the best is 5 at step 100.
    QCOMPARE(validation(200, 5.5).size(), std::size_t(0));
  }
};

STRATA_APPLESS_TEST(TestDivergence)
#include "test_divergence.moc"
