#include <QtTest>
#include <set>
#include <vector>

#include "core/base/random.h"
#include "tests/program.h"

using namespace strata;

class TestRandom : public QObject {
  Q_OBJECT
 private slots:
  // Known answers published with Random123.
  void philoxKnownAnswers() {
    const auto zero = philox(0, 0, 0);
    QCOMPARE(zero[0], 0x6627e8d5u);
    QCOMPARE(zero[1], 0xe169c58du);
    QCOMPARE(zero[2], 0xbc57ac4cu);
    QCOMPARE(zero[3], 0x9b00dbd8u);
    const auto ones = philox(~0ull, ~0ull, ~0ull);
    QCOMPARE(ones[0], 0x408f276du);
    QCOMPARE(ones[1], 0x41c83b0eu);
    QCOMPARE(ones[2], 0xa20bc7c6u);
    QCOMPARE(ones[3], 0x6d5451fdu);
  }

  void positionIsTheWholeState() {
    RandomStream stream(5);
    for (int i = 0; i < 10; ++i) stream.next();
    RandomStream resumed(5);
    resumed.seek(stream.position());
    for (int i = 0; i < 10; ++i) QCOMPARE(resumed.next(), stream.next());
  }

  void belowIsUniform() {
    RandomStream stream(1);
    std::vector<int> counts(7);
    for (int i = 0; i < 70000; ++i) ++counts[stream.below(7)];
    for (const int count : counts)
      QVERIFY2(std::abs(count - 10000) < 500, "5 standard deviations off");
  }

  void normalHasItsMoments() {
    RandomStream stream(2);
    double sum = 0, squares = 0;
    const int n = 100000;
    for (int i = 0; i < n; ++i) {
      const double value = stream.normal();
      sum += value;
      squares += value * value;
    }
    QVERIFY(std::abs(sum / n) < 0.02);
    QVERIFY(std::abs(squares / n - 1) < 0.03);
  }

  void shuffleKeepsItems() {
    std::vector<int> items{1, 2, 3, 4, 5, 6, 7, 8};
    RandomStream(3).shuffle(std::span(items));
    QVERIFY((items != std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8}));
    QCOMPARE(std::set<int>(items.begin(), items.end()).size(), std::size_t{8});
  }
};

STRATA_GUILESS_TEST(TestRandom)
#include "test_random.moc"
