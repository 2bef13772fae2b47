#include <QTest>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/text/bpe.h"
#include "core/text/bpe_learner.h"
#include "tests/program.h"
#include "tests/reference_rows.h"

using namespace strata;

namespace {

WordCounter counted(std::string_view text) {
  WordCounter words;
  words.addText(text);
  return words;
}

}  // namespace

class TestBpeLearner : public QObject {
  Q_OBJECT
 private slots:
  void countsWordsInOrder() {
    const WordCounter words = counted("b a  a\r\n\n \nb c\n");
    QCOMPARE(words.toText(), std::string("b 2\na 2\nc 1\n"));
    QCOMPARE(words.total(), std::int64_t{5});
  }

  void countsManyWords() {
    WordCounter words;
    for (int round = 0; round < 2; ++round) {
      for (int i = 0; i < 20000; ++i) words.add("w" + std::to_string(i));
    }
    QCOMPARE(words.entries().size(), std::size_t{20000});
    QCOMPARE(words.entries()[12345].word, std::string_view("w12345"));
    QCOMPARE(words.entries()[12345].count, std::int64_t{2});
  }

  void theMostFrequentPairComesFirst() {
    // low x5, lower x2, newest x6, widest x3: the example of Sennrich et al. (2016), figure 1.
    WordCounter words;
    words.add("low", 5);
    words.add("lower", 2);
    words.add("newest", 6);
    words.add("widest", 3);
    BpeLearnOptions options;
    options.merges = 4;
    const BpeLearned learned = learnBpe(words, options);
    // "t</w>" ends newest and widest: s t</w> and e s are equally frequent (9); the greater pair
    // wins.
    QCOMPARE(learned.codes, std::string("#version: 0.2\ns t</w>\ne st</w>\nl o\nw est</w>\n"));
  }

  void stopsWhereNoPairIsFrequent() {
    const BpeLearned learned = learnBpe(counted("ab ab cd\n"), {});
    QCOMPARE(learned.codes, std::string("#version: 0.2\na b</w>\n"));
    QVERIFY(learned.stoppedEarly);
    QCOMPARE(learnBpe(counted("a b c\n"), {}).codes, std::string("#version: 0.2\n"));
    QVERIFY_THROWS_EXCEPTION(Error, learnBpe(counted("ab\n"), {.minFrequency = 0}));
  }

  void totalSymbolsCountsCharacters() {
    BpeLearnOptions options{.merges = 5, .totalSymbols = true};
    const BpeLearned learned = learnBpe(counted("abc abc abd abd\n"), options);
    QCOMPARE(learned.internalCharacters, std::int64_t{2});  // a b
    QCOMPARE(learned.finalCharacters, std::int64_t{2});     // c</w> d</w>
    QCOMPARE(learned.merges, std::int64_t{1});
  }

  void overlappingPairs() {
    const BpeLearned learned = learnBpe(counted("aaaaa aaaaa aaaa\n"), {.merges = 3});
    QCOMPARE(learned.codes, std::string("#version: 0.2\na a\naa aa\naaaa a</w>\n"));
  }

  void fixtures_data() {
    QTest::addColumn<QString>("expected");
    QTest::addColumn<int>("merges");
    QTest::addColumn<bool>("total");
    QTest::addColumn<int>("minimum");
    QTest::addColumn<QString>("references");
    for (const fs::path& folder : referenceFolders("bpe")) {
      const auto add = [&](const char* codes, int merges, bool total, int minimum) {
        QTest::newRow((folder / codes).c_str())
            << codes << merges << total << minimum << QString::fromStdString(folder.string());
      };
      add("codes.1000", 1000, false, 2);
      add("codes.3000", 3000, false, 2);
      add("codes.total3000", 3000, true, 2);
      add("codes.minfreq20", 3000, false, 20);
    }
  }

  void fixtures() {
    const fs::path folder = referenceOfRow();
    QFETCH(QString, expected);
    QFETCH(int, merges);
    QFETCH(bool, total);
    QFETCH(int, minimum);
    WordCounter words;
    words.addText(readFile(folder / "corpus.de.txt"));
    words.addText(readFile(folder / "corpus.en.txt"));
    const BpeLearned learned = learnBpe(words, {merges, total, minimum});
    QCOMPARE(learned.codes, readFile(folder / expected.toStdString()));
  }

  void learnsJointly_data() { rowPerReference("bpe"); }
  void learnsJointly() {
    const fs::path folder = referenceOfRow();
    const JointBpe joint =
        learnJointBpe({folder / "corpus.de.txt", folder / "corpus.en.txt"}, {.merges = 1000});
    QCOMPARE(joint.learned.codes, readFile(folder / "joint.codes.1000"));
    QCOMPARE(joint.vocabularies[0].toText(), readFile(folder / "joint.vocab.1000.de"));
    QCOMPARE(joint.vocabularies[1].toText(), readFile(folder / "joint.vocab.1000.en"));
  }

  void countsVocabularies_data() { rowPerReference("bpe"); }
  void countsVocabularies() {
    const fs::path folder = referenceOfRow();
    QCOMPARE(counted(readFile(folder / "test.txt")).toText(), readFile(folder / "test.vocab"));
    for (const char* side : {"de", "en"}) {
      Bpe bpe = Bpe::read(folder / "codes.3000");
      WordCounter words;
      const std::string text = readFile(folder / (std::string("corpus.") + side + ".txt"));
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        words.addLine(bpe.apply(std::string_view(text).substr(at, end - at)));
        at = end + 1;
      }
      QCOMPARE(words.toText(), readFile(folder / (std::string("vocab.3000.") + side)));
    }
  }
};

STRATA_GUILESS_TEST(TestBpeLearner)
#include "test_bpe_learner.moc"
