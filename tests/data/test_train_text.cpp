#include <QTest>

#include "core/base/digest.h"
#include "core/data/train_text.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

using Numbers = std::vector<std::uint32_t>;

Numbers numbersOf(const NumberedReader& reader) {
  return {reader.numbers().begin(), reader.numbers().end()};
}

std::string textOf(const NumberedReader& reader) {
  std::string text;
  reader.appendText(text);
  return text;
}

// "word count word count ..." in order of first appearance.
std::string listed(std::span<const WordCounter::Entry> words) {
  std::string text;
  for (const auto& [word, count] : words)
    text += fmt::format("{}{} {}", text.empty() ? "" : " ", word, count);
  return text;
}

// Train with these lines on both sides.
TrainText trainOf(const fs::path& folder, const std::vector<std::string>& lines) {
  TrainText train(folder, 2);
  for (const std::string& line : lines) {
    for (int side = 0; side < 2; ++side) train.add(side, line);
  }
  train.finish(std::ssize(lines));
  return train;
}

}  // namespace

class TestTrainText : public QObject {
  Q_OBJECT
 private slots:
  void numbersWordsAsTheyAppear() {
    const TemporaryFolder folder;
    NumberedText text(folder / "numbers");
    text.add("b a b");
    text.add("c a");
    text.finish();
    QCOMPARE(listed(text.words().entries()), std::string("b 2 a 2 c 1"));
    NumberedReader reader(text);
    QVERIFY(reader.next());
    QCOMPARE(numbersOf(reader), (Numbers{0, 1, 0}));
    QCOMPARE(reader.checksum(), checksum64("b a b"));
    QCOMPARE(textOf(reader), std::string("b a b"));
    QVERIFY(reader.next());
    QCOMPARE(numbersOf(reader), (Numbers{2, 1}));
    QCOMPARE(textOf(reader), std::string("c a"));
    QVERIFY(!reader.next());
  }

  // The buffers hold 65,536 numbers.
  void keepsLinesOfAnyLength() {
    const TemporaryFolder folder;
    NumberedText text(folder / "numbers");
    const std::vector<std::size_t> lengths{1, 65530, 0, 65536, 200000, 3};
    for (const std::size_t length : lengths) {
      std::string line;
      for (std::size_t i = 0; i < length; ++i) line += i == 0 ? "a" : i % 2 == 0 ? " a" : " b";
      text.add(line);
    }
    text.finish();
    NumberedReader reader(text);
    for (const std::size_t length : lengths) {
      QVERIFY(reader.next());
      QCOMPARE(reader.numbers().size(), length);
      for (std::size_t i = 0; i < length; ++i) QCOMPARE(reader.numbers()[i], i % 2);
    }
    QVERIFY(!reader.next());
  }

  void refusesAFileThatIsCut() {
    const TemporaryFolder folder;
    NumberedText text(folder / "numbers");
    text.add("a b c");
    text.finish();
    fs::resize_file(text.path(), fs::file_size(text.path()) - 4);
    NumberedReader reader(text);
    QHOLDS(errorOf([&] { reader.next(); }), "is damaged");
  }

  void recountsTheWordsOfWhatIsLeft() {
    const TemporaryFolder folder;
    TrainText train = trainOf(folder / "work", {"x a", "b", "a b"});
    train.recountWords();
    QCOMPARE(listed(train.words(0)), std::string("x 1 a 2 b 2"));
    train.leaveOut(0);
    train.recountWords();
    QCOMPARE(train.pairs(), 2);
    QCOMPARE(listed(train.words(1)), std::string("b 2 a 1"));
    QCOMPARE(listed(train.side(1).words().entries()), std::string("x 1 a 2 b 2"));  // numbers stay
    train.writeText(1, folder / "text");
    QCOMPARE(readFile(folder / "text"), std::string("b\na b\n"));
  }

  void truecases() {
    const TemporaryFolder folder;
    TrainText train = trainOf(folder / "work", {"The house", "See the house", "See The Hague"});
    train.truecase(0, Truecaser::parse("the (2/3) The (1)\nsee (2/2)\n", "model"));
    QCOMPARE(listed(train.words(0)), std::string("the 2 house 2 see 2 The 1 Hague 1"));
    QCOMPARE(listed(train.words(1)), std::string("The 2 house 2 See 2 the 1 Hague 1"));
    train.writeText(0, folder / "text");
    QCOMPARE(readFile(folder / "text"), std::string("the house\nsee the house\nsee The Hague\n"));
  }
};

STRATA_GUILESS_TEST(TestTrainText)
#include "test_train_text.moc"
