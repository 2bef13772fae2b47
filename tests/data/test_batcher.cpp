#include <QTest>
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "core/base/files.h"
#include "core/base/random.h"
#include "core/data/batcher.h"
#include "core/text/bpe.h"
#include "core/text/bpe_learner.h"
#include "core/text/vocabulary.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

// Pairs of random lengths from 0 to `longest` - 1; the first source id identifies the pair.
class RandomCorpus {
 public:
  explicit RandomCorpus(int pairs, std::uint64_t longest = 40) {
    RandomStream random(3);
    CorpusWriter writer(folder_ / "c", 5000, 5000);
    for (int i = 0; i < pairs; ++i) {
      std::vector<TokenId> source(random.below(longest)), target(random.below(longest));
      std::iota(source.begin(), source.end(), 4 + i % 1000);
      std::iota(target.begin(), target.end(), 2000 + i % 1000);
      writer.add(source, target);
    }
    writer.finish();
    corpus_ = std::make_unique<Corpus>(folder_ / "c");
  }
  const Corpus& get() const { return *corpus_; }

 private:
  TemporaryFolder folder_;
  std::unique_ptr<Corpus> corpus_;
};

// The rows of all remaining batches of the epoch, batch by batch.
std::vector<std::vector<std::int64_t>> rest(Batcher& batcher) {
  std::vector<std::vector<std::int64_t>> rows;
  for (Batch batch; batcher.next(batch);) rows.push_back(batch.sentences);
  return rows;
}

}  // namespace

class TestBatcher : public QObject {
  Q_OBJECT
 private slots:
  void fillsABatch() {
    TemporaryFolder folder;
    CorpusWriter writer(folder / "c", 20, 20);
    writer.add(std::vector<TokenId>{4, 5}, std::vector<TokenId>{6});
    writer.add(std::vector<TokenId>{7}, std::vector<TokenId>{8, 9});
    writer.finish();
    const Corpus corpus(folder / "c");
    Batch batch;
    const std::vector<std::int64_t> pairs{1, 0};
    for (int round = 0; round < 2; ++round) {  // a batch may be filled again
      fillBatch(corpus, pairs, batch);
      using Ids = std::vector<std::int64_t>;
      QCOMPARE(batch.source.ids, (Ids{7, 2, 1, 4, 5, 2}));
      QCOMPARE(batch.targetIn.ids, (Ids{2, 8, 9, 2, 6, 1}));
      QCOMPARE(batch.targetOut.ids, (Ids{8, 9, 2, 6, 2, 1}));
      QCOMPARE(batch.source.lengths, (Ids{2, 3}));
      QCOMPARE(batch.targetOut.lengths, (Ids{3, 2}));
      QCOMPARE(batch.sentences, pairs);
      QCOMPARE(batch.source.columns, std::int64_t{3});
    }
  }

  void bothDirections() {
    TemporaryFolder folder;
    CorpusWriter writer(folder / "c", 20, 20);
    writer.add(std::vector<TokenId>{4, 5}, std::vector<TokenId>{6});
    writer.add(std::vector<TokenId>{7}, std::vector<TokenId>{8, 9, 10});
    writer.finish();
    const Corpus corpus(folder / "c");
    Batcher batcher(corpus,
                    {.unit = BatchOptions::Unit::kSentences, .size = 1, .bidirectional = true});
    using Ids = std::vector<std::int64_t>;
    std::set<std::pair<Ids, Ids>> seen;
    std::multiset<std::int64_t> pairs;
    for (Batch batch; batcher.next(batch);) {
      seen.insert({batch.source.ids, batch.targetOut.ids});
      pairs.insert(batch.sentences.at(0));
    }
    QCOMPARE(seen, (std::set<std::pair<Ids, Ids>>{{{4, 5, 2}, {6, 2}},
                                                  {{6, 2}, {4, 5, 2}},
                                                  {{7, 2}, {8, 9, 10, 2}},
                                                  {{8, 9, 10, 2}, {7, 2}}}));
    QCOMPARE(pairs, (std::multiset<std::int64_t>{0, 0, 1, 1}));
    CorpusWriter other(folder / "two", 20, 21);
    other.add(std::vector<TokenId>{4}, std::vector<TokenId>{20});
    other.finish();
    const Corpus two(folder / "two");
    QHOLDS(usageErrorOf([&] { Batcher(two, {.bidirectional = true}); }), "one joint vocabulary");
  }

  void padsSentences() {
    const TokenMatrix matrix = padded({{4, 2}, {2}});
    QCOMPARE(matrix.ids, (std::vector<std::int64_t>{4, 2, 2, 1}));
    QCOMPARE(matrix.tokens(), std::int64_t{3});
  }

  void anEpochHasEachPairOnceWithinTheSize() {
    const RandomCorpus corpus(3000);
    for (const std::int64_t size : {40, 500, 100000}) {
      Batcher batcher(corpus.get(), {.size = size});
      std::vector<std::int64_t> seen;
      for (Batch batch; batcher.next(batch);) {
        QVERIFY(batch.source.rows * std::max(batch.source.columns, batch.targetOut.columns) <=
                size);
        seen.insert(seen.end(), batch.sentences.begin(), batch.sentences.end());
      }
      std::sort(seen.begin(), seen.end());
      std::vector<std::int64_t> all(3000);
      std::iota(all.begin(), all.end(), 0);
      QCOMPARE(seen, all);
      QCOMPARE(batcher.report().sentences, std::int64_t{3000});
      QCOMPARE(batcher.report().batches, batcher.batchesInEpoch());
    }
  }

  void lengthsAreMultiples() {
    const RandomCorpus corpus(3000);
    Batcher batcher(corpus.get(), {.size = 500, .lengthMultiple = 8});
    std::int64_t sentences = 0, positions = 0, tokens = 0;
    for (Batch batch; batcher.next(batch);) {
      for (const TokenMatrix* side : {&batch.source, &batch.targetOut}) {
        QCOMPARE(side->columns % 8, std::int64_t{0});
        QVERIFY(side->columns - std::ranges::max(side->lengths) < 8);
        QVERIFY(side->rows * side->columns <= 500);
        positions += side->rows * side->columns;
        tokens += side->tokens();
      }
      QCOMPARE(batch.targetIn.columns, batch.targetOut.columns);
      sentences += batch.source.rows;
    }
    QCOMPARE(sentences, std::int64_t{3000});
    QCOMPARE(batcher.report().padded, positions);
    QCOMPARE(batcher.report().sourceTokens + batcher.report().targetTokens, tokens);
    QHOLDS(usageErrorOf([&] { Batcher(corpus.get(), {.lengthMultiple = 0}); }), "at least 1");
  }

  void batchesBySentences() {
    const RandomCorpus corpus(1000);
    Batcher batcher(corpus.get(), {.unit = BatchOptions::Unit::kSentences, .size = 64});
    std::map<std::size_t, int> sizes;
    for (const auto& rows : rest(batcher)) ++sizes[rows.size()];
    QCOMPARE(sizes, (std::map<std::size_t, int>{{64, 15}, {40, 1}}));
  }

  void leavesLongPairsOut() {
    const RandomCorpus corpus(1000);
    std::int64_t longer = 0;
    for (std::int64_t i = 0; i < 1000; ++i) {
      longer += std::max(corpus.get().length(CorpusSide::kSource, i),
                         corpus.get().length(CorpusSide::kTarget, i)) > 19;
    }
    Batcher limited(corpus.get(), {.size = 4096, .maxLength = 20});
    QCOMPARE(limited.report().leftOut, longer);
    QCOMPARE(limited.report().sentences, 1000 - longer);
    Batcher small(corpus.get(), {.size = 20});  // longer than a whole batch
    QCOMPARE(small.report().leftOut, longer);
    QVERIFY(errorOf([&] { Batcher(corpus.get(), {.size = 0}); }).find("size") != std::string::npos);
    QVERIFY(errorOf([&] { Batcher(RandomCorpus(0).get(), {}); }).find("no pair") !=
            std::string::npos);
  }

  void seedAndEpochDecideTheOrder() {
    const RandomCorpus corpus(2000);
    Batcher one(corpus.get(), {.size = 300, .seed = 1}),
        same(corpus.get(), {.size = 300, .seed = 1});
    Batcher other(corpus.get(), {.size = 300, .seed = 2});
    const auto first = rest(one);
    QCOMPARE(first, rest(same));
    QVERIFY(first != rest(other));
    one.startEpoch(1);
    QVERIFY(first != rest(one));
    one.startEpoch(0);
    QCOMPARE(rest(one), first);
  }

  void continuesAtASavedPosition() {
    const RandomCorpus corpus(2000);
    Batcher batcher(corpus.get(), {.size = 300});
    batcher.startEpoch(3);
    Batch batch;
    for (int i = 0; i < 17; ++i) QVERIFY(batcher.next(batch));
    const BatchPosition position = batcher.position();
    QCOMPARE(position.epoch, std::int64_t{3});
    QCOMPARE(position.batch, std::int64_t{17});
    Batcher resumed(corpus.get(), {.size = 300});
    resumed.restore(position);
    QCOMPARE(rest(resumed), rest(batcher));
    QVERIFY(!errorOf([&] { resumed.restore({3, 100000}); }).empty());
  }

  void evaluationCoversEverySentence() {
    const RandomCorpus corpus(777);
    const EvaluationBatches batches(
        corpus.get(), {.size = 10});  // sentences longer than the size are batches of one
    std::set<std::int64_t> seen;
    Batch batch;
    for (std::int64_t i = 0; i < batches.size(); ++i) {
      batches.fill(i, batch);
      for (const std::int64_t pair : batch.sentences) QVERIFY(seen.insert(pair).second);
    }
    QCOMPARE(seen.size(), std::size_t{777});
    const EvaluationBatches some(corpus.get(), {}, {5, 3, 700});
    QCOMPARE(some.report().sentences, std::int64_t{3});
    const EvaluationBatches none(corpus.get(), {}, {});
    QCOMPARE(none.size(), std::int64_t{0});
  }

  void samples() {
    const auto sample = sampleOfPairs(1000, 100, 1);
    QCOMPARE(sample.size(), std::size_t{100});
    QCOMPARE(std::set<std::int64_t>(sample.begin(), sample.end()).size(), std::size_t{100});
    QVERIFY(std::is_sorted(sample.begin(), sample.end()));
    QVERIFY(sample.front() >= 0 && sample.back() < 1000);
    QCOMPARE(sample, sampleOfPairs(1000, 100, 1));
    QVERIFY(sample != sampleOfPairs(1000, 100, 2));
    QCOMPARE(sampleOfPairs(3, 100, 1), (std::vector<std::int64_t>{0, 1, 2}));
    QVERIFY(sampleOfPairs(3, 0, 1).empty());
  }

  void samplesAreUniform() {
    std::vector<int> hits(10, 0);
    for (std::uint64_t seed = 0; seed < 5000; ++seed) {
      for (const std::int64_t pair : sampleOfPairs(10, 3, seed))
        ++hits[static_cast<std::size_t>(pair)];
    }
    for (const int count : hits) QVERIFY(std::abs(count - 1500) < 150);
  }

  // With its own merges: sentences of a batch have about the same length.
  void paddingWaste() {
    const fs::path folder = referenceFolders("bpe").front();
    const auto source = linesOf(folder / "corpus.de.txt"),
               target = linesOf(folder / "corpus.en.txt");
    QVERIFY(source.size() > 1000);
    WordCounter words;
    words.addText(readFile(folder / "corpus.de.txt"));
    words.addText(readFile(folder / "corpus.en.txt"));
    Bpe bpe(learnBpe(words, {.merges = 1000}).codes, "codes");
    Vocabulary vocabulary;
    TemporaryFolder scratch;
    CorpusWriter writer(scratch / "c", vocabulary.size(), vocabulary.size());
    for (std::size_t i = 0; i < source.size(); ++i) {
      writer.add(vocabulary.encode(bpe.apply(source[i])), vocabulary.encode(bpe.apply(target[i])));
    }
    writer.finish();
    const Corpus corpus(scratch / "c");
    Batcher batcher(corpus, {.size = 512});
    const BatchReport& report = batcher.report();
    qInfo("pairs %lld batches %lld waste %.4f", static_cast<long long>(report.sentences),
          static_cast<long long>(report.batches), report.paddingWaste());
    QCOMPARE(report.sentences + report.leftOut, static_cast<std::int64_t>(source.size()));
    QVERIFY(report.paddingWaste() <= 0.15);
  }
};

STRATA_GUILESS_TEST(TestBatcher)
#include "test_batcher.moc"
