#include <QTest>

#include "core/base/files.h"
#include "core/base/random.h"
#include "core/data/corpus.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

using Sentences = std::vector<std::vector<TokenId>>;

void writeCorpus(const fs::path& path, const Sentences& source, const Sentences& target,
                 std::int64_t words) {
  CorpusWriter writer(path, words, words);
  for (std::size_t i = 0; i < source.size(); ++i) writer.add(source[i], target[i]);
  writer.finish();
}

}  // namespace

class TestCorpus : public QObject {
  Q_OBJECT
 private slots:
  void readsWhatWasWritten_data() {
    QTest::addColumn<int>("words");
    QTest::newRow("two bytes an id") << 65536;
    QTest::newRow("four bytes an id") << 65537;
  }

  void readsWhatWasWritten() {
    QFETCH(int, words);
    TemporaryFolder folder;
    const fs::path path = folder / "corpora" / "train.corpus";
    RandomStream random(1);
    Sentences source, target;
    for (int i = 0; i < 200; ++i) {
      for (Sentences* side : {&source, &target}) {
        auto& sentence = side->emplace_back();
        const auto length = random.below(6);  // empty ones too
        for (std::uint64_t k = 0; k < length; ++k) {
          sentence.push_back(static_cast<TokenId>(words - 1 - static_cast<int>(random.below(9))));
        }
      }
    }
    writeCorpus(path, source, target, words);
    const Corpus corpus(path);
    QCOMPARE(corpus.pairs(), std::int64_t{200});
    QCOMPARE(corpus.vocabularySize(CorpusSide::kTarget), std::int64_t{words});
    std::int64_t tokens = 0;
    for (std::int64_t i = 0; i < 200; ++i) {
      QCOMPARE(corpus.ids(CorpusSide::kSource, i).toVector(), source[static_cast<std::size_t>(i)]);
      QCOMPARE(corpus.ids(CorpusSide::kTarget, i).toVector(), target[static_cast<std::size_t>(i)]);
      tokens += corpus.length(CorpusSide::kSource, i);
    }
    QCOMPARE(corpus.tokens(CorpusSide::kSource), tokens);
    corpus.verify();
    QCOMPARE(std::distance(fs::directory_iterator(folder / "corpora"), {}), std::ptrdiff_t{1});
    QVERIFY(!errorOf([&] { corpus.ids(CorpusSide::kSource, 200); }).empty());
  }

  void anEmptyCorpusIsOne() {
    TemporaryFolder folder;
    writeCorpus(folder / "c", {}, {}, 10);
    const Corpus corpus(folder / "c");
    QCOMPARE(corpus.pairs(), std::int64_t{0});
    corpus.verify();
  }

  void nothingAppearsBeforeFinish() {
    TemporaryFolder folder;
    {
      CorpusWriter writer(folder / "c", 10, 10);
      writer.add(std::vector<TokenId>{4, 5}, std::vector<TokenId>{6});
      QVERIFY(!fs::exists(folder / "c"));
    }
    QVERIFY(fs::is_empty(folder.path()));
  }

  void refusesIdsOutsideTheVocabulary() {
    TemporaryFolder folder;
    CorpusWriter writer(folder / "c", 10, 20);
    QVERIFY(
        !errorOf([&] { writer.add(std::vector<TokenId>{10}, std::vector<TokenId>{4}); }).empty());
    CorpusWriter other(folder / "d", 10, 20);
    other.add(std::vector<TokenId>{9}, std::vector<TokenId>{19});
    QVERIFY(
        !errorOf([&] { other.add(std::vector<TokenId>{4}, std::vector<TokenId>{-1}); }).empty());
  }

  // Each byte of the file counts: flipping any is found when opening or by verify(), with the
  // file's name; any cut too.
  void findsEveryDamage() {
    TemporaryFolder folder;
    const fs::path path = folder / "c";
    writeCorpus(path, {{4, 5, 6}, {7}}, {{8}, {9, 4}}, 10);
    const std::string bytes = readFile(path);
    const auto fault = [&](const std::string& content) {
      writeFileAtomic(path, content);
      return errorOf([&] { Corpus(path).verify(); });
    };
    QCOMPARE(fault(bytes), std::string());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      std::string flipped = bytes;
      flipped[i] = static_cast<char>(flipped[i] ^ 0x10);
      QVERIFY2(fault(flipped).find(path.string()) != std::string::npos, std::to_string(i).c_str());
    }
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{127}, bytes.size() - 1}) {
      QVERIFY(fault(bytes.substr(0, size)).find(path.string()) != std::string::npos);
    }
    QVERIFY(!fault(bytes + "x").empty());
  }
};

STRATA_GUILESS_TEST(TestCorpus)
#include "test_corpus.moc"
