#include <QTest>

#include "core/base/files.h"
#include "core/data/batcher.h"
#include "core/data/long_pairs.h"
#include "tests/program.h"

using namespace strata;

namespace {

// Lengths with </s>: 3 and 2, 2 and 5, 4 and 4, 9 and 2.
Corpus fourPairs(const TemporaryFolder& folder) {
  CorpusWriter writer(folder / "c", 20, 20);
  const auto words = [](std::size_t count) { return std::vector<TokenId>(count, 4); };
  writer.add(words(2), words(1));
  writer.add(words(1), words(4));
  writer.add(words(3), words(3));
  writer.add(words(8), words(1));
  writer.finish();
  return Corpus(folder / "c");
}

}  // namespace

class TestLongPairs : public QObject {
  Q_OBJECT
 private slots:
  void theFirstAndTheLongestAreNamed() {
    const TemporaryFolder folder;
    const Corpus corpus = fourPairs(folder);
    QCOMPARE(longPairs(corpus, {.most = 9}).count, std::int64_t(0));
    const LongPairs found = longPairs(corpus, {.most = 4});
    QCOMPARE(found.count, std::int64_t(2));
    QCOMPARE(found.pair, std::int64_t(1));
    QVERIFY(found.side == CorpusSide::kTarget);
    QCOMPARE(found.tokens, std::int64_t(5));
    QCOMPARE(found.longest, std::int64_t(9));
    // Only the first two pairs; those longer than 8 are left out anyway.
    QCOMPARE(longPairs(corpus, {.most = 4, .pairs = 2}).count, std::int64_t(1));
    QCOMPARE(longPairs(corpus, {.most = 4, .ignored = 8}).longest, std::int64_t(5));
  }

  void theSamePairsAreCountedAndLeftOut() {
    const TemporaryFolder folder;
    const Corpus corpus = fourPairs(folder);
    BatchOptions options{.size = 100, .maxLength = 4};
    QCOMPARE(longestTrained(options), std::int64_t(4));
    QCOMPARE(pairsLeftOut(corpus, options), std::int64_t(2));
    QCOMPARE(Batcher(corpus, options).report().leftOut, std::int64_t(2));
    options.bidirectional = true;
    QCOMPARE(pairsLeftOut(corpus, options), std::int64_t(4));
    QCOMPARE(Batcher(corpus, options).report().leftOut, std::int64_t(4));
    // A full batch of 6 tokens holds no longer pair; of sentences, it may.
    options = {.size = 6};
    QCOMPARE(longestTrained(options), std::int64_t(6));
    QCOMPARE(pairsLeftOut(corpus, options), std::int64_t(1));
    options.unit = BatchOptions::Unit::kSentences;
    QCOMPARE(longestTrained(options), std::int64_t(0));
    QCOMPARE(pairsLeftOut(corpus, options), std::int64_t(0));
  }
};

STRATA_APPLESS_TEST(TestLongPairs)
#include "test_long_pairs.moc"
