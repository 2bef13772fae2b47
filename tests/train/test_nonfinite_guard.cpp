// The results of updates on their way to the host, and what follows those that are not finite.
#include <QtTest>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif

#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/train/nonfinite_guard.h"
#include "core/train/pending_updates.h"
#include "tests/program.h"

namespace strata {

namespace {

torch::Tensor values(std::vector<double> of4) {
  return torch::tensor(of4, torch::kFloat64);
}

UpdateInput updateOf(std::int64_t step, std::vector<std::int64_t> sentences = {3}) {
  return {.step = step, .tokens = 10, .real = 18, .padded = 24, .sentences = std::move(sentences)};
}

}  // namespace

class TestNonfiniteGuard : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void anInputIsTheSumOfItsBatches();
  void resultsComeInOrderAndOnce();
  void oneValueThatIsNotFiniteIsEnough_data();
  void oneValueThatIsNotFiniteIsEnough();
  void sumsCountWhatWasClipped();
  void theSentencesAreNamed();
  void tooManyInARowDiverge();
};

void TestNonfiniteGuard::anInputIsTheSumOfItsBatches() {
  const auto batchOf = [](std::vector<std::vector<TokenId>> sides, std::vector<std::int64_t> at) {
    return Batch{.source = padded({sides[0], sides[1]}),
                 .targetIn = padded({sides[2], sides[3]}),
                 .targetOut = padded({sides[2], sides[3]}),
                 .sentences = std::move(at)};
  };
  const std::vector<Batch> batches{batchOf({{4, 5, 2}, {2}, {4, 2}, {2}}, {7, 8}),
                                   batchOf({{2}, {2}, {4, 4, 4, 2}, {2}}, {1, 2})};
  const UpdateInput input = inputOf(9, batches);
  QCOMPARE(input.step, 9);
  QCOMPARE(input.tokens, (2 + 1) + (4 + 1));
  QCOMPARE(input.real, 3 + 5 + 4 + 2);  // target tokens of both, then source tokens of both
  QCOMPARE(input.padded, 2 * 3 + 2 * 2 + 2 * 1 + 2 * 4);
  QCOMPARE(input.sentences, (std::vector<std::int64_t>{7, 8, 1, 2}));
}

void TestNonfiniteGuard::resultsComeInOrderAndOnce() {
  PendingUpdates pending;
  QVERIFY(pending.fetch().empty());
  pending.add(updateOf(1), values({1, 2, 3, 4}));
  pending.add(updateOf(2), values({5, 6, 7, 8}));
  const auto results = pending.fetch();
  QCOMPARE(results.size(), std::size_t{2});
  QCOMPARE(results[0].input.step, 1);
  QCOMPARE(results[1].input.step, 2);
  QCOMPARE(results[1].nll, 5.0);
  QCOMPARE(results[1].loss, 6.0);
  QCOMPARE(results[1].errors, 7.0);
  QCOMPARE(results[1].gradientNorm, 8.0);
  QVERIFY(pending.fetch().empty());
}

void TestNonfiniteGuard::oneValueThatIsNotFiniteIsEnough_data() {
  QTest::addColumn<int>("place");
  QTest::addColumn<double>("value");
  for (int place = 0; place < 4; ++place) {
    QTest::addRow("%d NaN", place) << place << std::numeric_limits<double>::quiet_NaN();
    QTest::addRow("%d infinite", place) << place << std::numeric_limits<double>::infinity();
  }
}

void TestNonfiniteGuard::oneValueThatIsNotFiniteIsEnough() {
  QFETCH(int, place);
  QFETCH(double, value);
  std::vector<double> four(4, 1.0);
  PendingUpdates pending;
  pending.add(updateOf(1), values(four));
  four[static_cast<std::size_t>(place)] = value;
  pending.add(updateOf(2), values(four));
  const auto results = pending.fetch();
  QVERIFY(results[0].isFinite());
  QVERIFY(!results[1].isFinite());
}

void TestNonfiniteGuard::sumsCountWhatWasClipped() {
  RunningSums sums;
  UpdateResults results{.input = updateOf(1), .nll = 3, .loss = 4, .errors = 5, .gradientNorm = 2};
  results.addTo(sums, 0);    // no clipping
  results.addTo(sums, 2);    // not above the limit
  results.addTo(sums, 1.5);  // clipped
  QCOMPARE(sums.nll, 9.0);
  QCOMPARE(sums.loss, 12.0);
  QCOMPARE(sums.errors, 15.0);
  QCOMPARE(sums.tokens, 30);
  QCOMPARE(sums.real, 54);
  QCOMPARE(sums.padded, 72);
  QCOMPARE(sums.updates, 3);
  QCOMPARE(sums.clipped, 1);
}

void TestNonfiniteGuard::theSentencesAreNamed() {
  std::vector<std::int64_t> sentences;
  for (std::int64_t i = 100; i < 123; ++i) sentences.push_back(i);
  NonfiniteGuard guard;
  const auto few = guard.refuse(updateOf(6, {4, 17})), many = guard.refuse(updateOf(7, sentences));
  QCOMPARE(few, std::string("The loss or a gradient of step 6 is not finite; its sentences are 4, "
                            "17 of the training corpus"));
  QVERIFY(many.find("100, 101") != std::string::npos);
  QVERIFY(many.find(", 119 and 3 more of the training corpus") != std::string::npos);
}

// A finite update in between starts the count again.
void TestNonfiniteGuard::tooManyInARowDiverge() {
  NonfiniteGuard guard;
  std::int64_t step = 0;
  for (int round = 0; round < 3; ++round) {
    for (int i = 1; i < NonfiniteGuard::kMostInARow; ++i) guard.refuse(updateOf(++step));
    guard.accept();
  }
  for (int i = 1; i < NonfiniteGuard::kMostInARow; ++i) guard.refuse(updateOf(++step));
  try {
    guard.refuse(updateOf(++step));
    QFAIL("the last of too many in a row was not an error");
  } catch (const Error& error) {
    QVERIFY(isOfKind(error, ErrorKind::kDivergence));
    QVERIFY(std::string(error.what()).find("20 updates in a row") != std::string::npos);
  }
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestNonfiniteGuard)
#include "test_nonfinite_guard.moc"
