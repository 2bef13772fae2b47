#include <QTest>
#include <algorithm>
#include <set>

#include "core/base/files.h"
#include "core/base/random.h"
#include "core/text/bpe.h"
#include "tests/fixture.h"
#include "tests/program.h"
#include "tests/reference_rows.h"

using namespace strata;

namespace {

// Lines joined by '\n' after `apply` of each.
std::string applyToText(Bpe& bpe, const std::string& text) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = text.find('\n', at);
    bpe.apply(std::string_view(text).substr(at, end - at), out);
    out += '\n';
    at = end + 1;
  }
  return out;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    result.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return result;
}

// The definition written in the plainest way: in each pass, the earliest merge present is done
// everywhere from left to right.
std::vector<std::string> splitPlainly(
    const std::vector<std::string>& characters,
    const std::vector<std::pair<std::string, std::string>>& merges) {
  std::vector<std::string> units = characters;
  units.back() += "</w>";
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [left, right] : merges) {
      std::vector<std::string> next;
      for (std::size_t i = 0; i < units.size(); ++i) {
        const bool merge = i + 1 < units.size() && units[i] == left && units[i + 1] == right;
        next.push_back(merge ? left + right : units[i]);
        if (merge) ++i;
        changed = changed || merge;
      }
      units = next;
      if (changed) break;
    }
  }
  units.back().resize(units.back().size() - 4);
  return units;
}

}  // namespace

class TestBpe : public QObject {
  Q_OBJECT
 private slots:
  void appliesMergesInOrder() {
    Bpe bpe("#version: 0.2\nl o\nlo w</w>\ne r</w>\n", "codes");
    QCOMPARE(bpe.apply("low lower  slow x"), std::string("low lo@@ w@@ er s@@ low x"));
    QCOMPARE(bpe.apply("low"), std::string("low"));
  }

  void keepsSpacesAtTheEnds() {
    Bpe bpe("#version: 0.2\na b</w>\n", "codes");
    QCOMPARE(bpe.apply("  ab  ab \r"), std::string("  ab ab \r"));
    QCOMPARE(bpe.apply("   "), std::string("   "));
    QCOMPARE(bpe.apply(""), std::string(""));
    QCOMPARE(bpe.apply("a\tb"), std::string("a@@ \t@@ b"));
  }

  void readsFormat01() {
    Bpe bpe("a b\nab </w>\nc </w>\n", "codes");
    QCOMPARE(bpe.apply("ab abc"), std::string("ab ab@@ c"));
  }

  void undoesMergesOutsideTheVocabulary() {
    Bpe bpe("#version: 0.2\nl o\nlo w</w>\n", "codes");
    bpe.setVocabulary({"lo@@", "w"});
    QCOMPARE(bpe.apply("low"), std::string("lo@@ w"));
    bpe.setVocabulary({"w"});
    QCOMPARE(bpe.apply("low"), std::string("l@@ o@@ w"));
    bpe.setVocabulary({});
    QCOMPARE(bpe.apply("low"), std::string("low"));
  }

  void keepsGlossaryWhole() {
    BpeOptions options;
    options.glossary = {"USA", "[0-9]{2,}", "a{b}"};
    Bpe bpe("#version: 0.2\nx y\n", "codes", options);
    QCOMPARE(bpe.apply("1934USABUSA ya{b}"), std::string("1934@@ USA@@ B@@ USA y@@ a{b}"));
    options.glossary = {"(broken"};
    QVERIFY(errorOf([&] { Bpe("#version: 0.2\nx y\n", "codes", options); }).find("(broken") !=
            std::string::npos);
  }

  void namesWrongCodes() {
    QVERIFY(errorOf([] { Bpe("#version: 0.2\na b\na\n", "my.codes"); }).starts_with("my.codes:3:"));
    QVERIFY(errorOf([] { Bpe("#version: 0.3\na b\n", "my.codes"); }).find("0.3") !=
            std::string::npos);
    QVERIFY(errorOf([] { Bpe("", "my.codes"); }).starts_with("my.codes:"));
    QVERIFY(errorOf([] { parseBpeVocabulary("a 1\nb\n", "v", 0); }).starts_with("v:2:"));
  }

  // What subword-nmt reads without a word: no file here means what its lines say to that tool.
  void namesWhatIsNoFileOfCodes() {
    TemporaryFolder folder;
    const auto errorIn = [&](const std::string& text, std::int64_t threshold) {
      put(folder / "file", text);
      return errorOf([&] {
        if (threshold < 0) {
          Bpe::read(folder / "file");
        } else {
          readBpeVocabulary(folder / "file", threshold);
        }
      });
    };
    constexpr std::int64_t kCodes = -1;
    QHOLDS(errorIn("the 7\ncat 2\n", kCodes), "file: this is a vocabulary");
    QCOMPARE(errorIn("1 2\n2 3</w>\n", kCodes), std::string());  // merges of digits
    QCOMPARE(errorIn("#version: 0.2\n1 2\n", kCodes), std::string());
    QHOLDS(errorIn("#version: 0.2\nt h\n", 0), "file:1: these are BPE codes");
    QHOLDS(errorIn("the 7\ncat 2\nthe 1\n", 0), "file:3: \"the\" is in this vocabulary twice");
    QHOLDS(errorIn("the 7\ncat -2\n", 5), "file:2: the count of \"cat\" is -2");
    QHOLDS(errorIn("", 0), "file: is empty");
    QHOLDS(errorIn("the 7\n", 8), "file: no word of it occurs 8 times");
    QCOMPARE(errorIn("the 7\n", 7), std::string());
  }

  void namesCodesOfOtherTools() {
    TemporaryFolder folder;
    const auto errorIn = [&](std::string_view text) {
      put(folder / "file", text);
      return errorOf([&] { Bpe::read(folder / "file"); });
    };
    QHOLDS(errorIn("#version: 0.2\nh e\n\u0120 t\n"),
           "file: has merges that mark where words begin");
    QHOLDS(errorIn("h e\nt \u2581\n"), "file: has merges that mark where words begin");
    QHOLDS(errorIn("e n</w> 120\nt h 100\n"), "file: has codes of fastBPE");
    QHOLDS(errorIn("the\t0\n"), "a vocabulary of SentencePiece");
    QHOLDS(errorIn("\u2581the 7\ncat 2\n"), "this is a vocabulary");
    // The letter is one of Maltese: subword-nmt marks where words end.
    QCOMPARE(errorIn("#version: 0.2\n\u0120 u\nj u</w>\n"), std::string());
    QCOMPARE(errorIn("t h\n: 1\n"), std::string());
  }

  void aByteOrderMarkHidesNoVersion() {
    TemporaryFolder folder;
    put(folder / "codes", "\xEF\xBB\xBF#version: 0.2\na b</w>\n");
    QCOMPARE(Bpe::read(folder / "codes").apply("ab abc"), std::string("ab a@@ b@@ c"));
    put(folder / "vocabulary",
        "\xEF\xBB\xBF"
        "ab 7\n");
    QCOMPARE(readBpeVocabulary(folder / "vocabulary", 0).count("ab"), std::size_t{1});
  }

  void joinsUnits() {
    QCOMPARE(Bpe::join("lo@@ w@@ er slow"), std::string("lower slow"));
    QCOMPARE(Bpe::join("a@@b c@@"), std::string("a@@b c"));
    QCOMPARE(Bpe::join("lo￭ w", "￭"), std::string("low"));
  }

  // Long words take another way through the code than short ones; both equal the plain definition.
  void longWordsEqualThePlainDefinition() {
    const std::vector<std::string> alphabet{"a", "b", "é"};
    RandomStream random(7);
    for (int round = 0; round < 60; ++round) {
      std::vector<std::string> symbols = alphabet;
      std::vector<std::pair<std::string, std::string>> merges;
      std::string codes = "#version: 0.2\n";
      for (int i = 0; i < 12; ++i) {
        const auto& left = symbols[random.below(symbols.size())];
        const auto right =
            symbols[random.below(symbols.size())] + (random.below(4) == 0 ? "</w>" : "");
        if (std::find(merges.begin(), merges.end(), std::pair(left, right)) != merges.end())
          continue;
        merges.emplace_back(left, right);
        codes += left + " " + right + "\n";
        if (!right.ends_with(">")) symbols.push_back(left + right);
      }
      Bpe bpe(codes, "codes");
      for (const std::size_t length : {3u, 20u, 47u, 48u, 49u, 90u}) {
        std::vector<std::string> characters;
        std::string word, expected;
        for (std::size_t i = 0; i < length; ++i)
          characters.push_back(alphabet[random.below(alphabet.size())]);
        for (const auto& character : characters) word += character;
        for (const auto& unit : splitPlainly(characters, merges))
          expected += (expected.empty() ? "" : "@@ ") + unit;
        QCOMPARE(bpe.apply(word), expected);
      }
    }
  }

  void aVeryLongWordTakesNoQuadraticTime() {
    Bpe bpe("#version: 0.2\na b\nab ab\nabab abab\n", "codes");
    std::string word;
    for (int i = 0; i < 500000; ++i) word += "ab";
    const std::string units = bpe.apply(word);
    QCOMPARE(Bpe::join(units), word);
  }

  void dropout() {
    const std::string codes = "#version: 0.2\na b\nab a\nb a</w>\naba b\n";
    const std::string line = "ababa abba aababab ba";
    BpeOptions options;
    options.dropout = 1;
    QCOMPARE(Bpe(codes, "codes", options).apply("abab"), std::string("a@@ b@@ a@@ b"));
    options.dropout = 0.5;
    Bpe some(codes, "codes", options), again(codes, "codes", options);
    std::set<std::string> seen;
    for (int i = 0; i < 100; ++i) {
      const std::string units = some.apply(line);
      QCOMPARE(units, again.apply(line));  // the seed decides
      QCOMPARE(Bpe::join(units), line);
      seen.insert(units);
    }
    QVERIFY(seen.size() > 10);
    options.dropout = 1.5;
    QVERIFY(!errorOf([&] { Bpe(codes, "codes", options); }).empty());
  }

  // One possible merge, left out with probability 0.3.
  void dropoutHasItsProbability() {
    BpeOptions options;
    options.dropout = 0.3;
    Bpe bpe("#version: 0.2\na b</w>\n", "codes", options);
    int split = 0;
    for (int i = 0; i < 10000; ++i) split += bpe.apply("ab") == "a@@ b" ? 1 : 0;
    QVERIFY(std::abs(split - 3000) < 200);
  }

  void aSmallCacheChangesNothing() {
    BpeOptions options;
    options.cacheBytes = 40000;
    const std::string codes = "#version: 0.2\na b\nab c\n";
    Bpe small(codes, "codes", options), large(codes, "codes");
    for (int i = 0; i < 5000; ++i) {
      const std::string word = "abc" + std::to_string(i % 1777) + "ab";
      QCOMPARE(small.apply(word), large.apply(word));
    }
  }

  void fixtures_data() {
    QTest::addColumn<QString>("codes");
    QTest::addColumn<QString>("input");
    QTest::addColumn<QString>("expected");
    QTest::addColumn<QString>("vocabulary");
    QTest::addColumn<int>("threshold");
    QTest::addColumn<int>("merges");
    QTest::addColumn<QString>("separator");
    QTest::addColumn<bool>("glossary");
    QTest::addColumn<QString>("references");
    for (const fs::path& folder : referenceFolders("bpe")) addRows(folder);
  }

  void fixtures() {
    const fs::path folder = referenceOfRow();
    const auto path = [&](const QString& name) { return folder / name.toStdString(); };
    QFETCH(QString, codes);
    QFETCH(QString, input);
    QFETCH(QString, expected);
    QFETCH(QString, vocabulary);
    QFETCH(int, threshold);
    QFETCH(int, merges);
    QFETCH(QString, separator);
    QFETCH(bool, glossary);
    BpeOptions options;
    options.merges = merges;
    options.separator = separator.toStdString();
    if (glossary) options.glossary = lines(readFile(folder / "glossaries.txt"));
    Bpe bpe = Bpe::read(path(codes), options);
    if (!vocabulary.isEmpty()) bpe.setVocabulary(readBpeVocabulary(path(vocabulary), threshold));
    const auto actual = lines(applyToText(bpe, readFile(path(input))));
    const auto wanted = lines(readFile(path(expected)));
    QCOMPARE(actual.size(), wanted.size());
    for (std::size_t i = 0; i < actual.size(); ++i) QCOMPARE(actual[i], wanted[i]);
  }

  // Every output there is among the rows above.
  void everyFixtureIsUsed() {
    for (const fs::path& folder : referenceFolders("bpe")) {
      int outputs = 0;
      for (const auto& entry : fs::directory_iterator(folder))
        outputs += entry.path().extension() == ".bpe" ? 1 : 0;
      QCOMPARE(outputs, 13);
    }
  }

 private:
  static void addRows(const fs::path& folder) {
    const auto add = [&](const char* codes, const char* expected, const char* vocabulary = "",
                         int threshold = 0, int merges = -1, const char* separator = "@@",
                         bool glossary = false, const char* input = "test.txt") {
      QTest::newRow((folder / expected).c_str())
          << codes << input << expected << vocabulary << threshold << merges << separator
          << glossary << QString::fromStdString(folder.string());
    };
    for (const char* name : {"1000", "3000", "total3000", "minfreq20", "v01"}) {
      add(("codes." + std::string(name)).c_str(), ("test." + std::string(name) + ".bpe").c_str());
    }
    add("codes.3000", "test.3000.vocab50.de.bpe", "vocab.3000.de", 50);
    add("codes.3000", "test.3000.vocab50.en.bpe", "vocab.3000.en", 50);
    add("codes.3000", "test.3000.vocab.de.bpe", "vocab.3000.de");
    add("codes.3000", "test.3000.vocab.en.bpe", "vocab.3000.en");
    add("codes.3000", "test.3000.merges500.bpe", "", 0, 500);
    add("codes.3000", "test.3000.separator.bpe", "", 0, -1, "￭");
    add("codes.3000", "test.3000.glossaries.bpe", "", 0, -1, "@@", true);
    add("codes.3000", "linebreaks.bpe", "", 0, -1, "@@", false, "linebreaks.txt");
  }
};

STRATA_GUILESS_TEST(TestBpe)
#include "test_bpe.moc"
