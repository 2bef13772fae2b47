#include <QTest>
#include <algorithm>

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/data/clean.h"
#include "tests/program.h"
#include "tests/reference_rows.h"

using namespace strata;

namespace {

// The verdict on a pair that follows a kept first pair.
CleanVerdict verdictOf(const CleanOptions& options, std::string source, std::string target) {
  Cleaner cleaner(options);
  std::string first = "a", second = "b";
  cleaner.clean(first, second);
  return cleaner.clean(source, target);
}

}  // namespace

class TestClean : public QObject {
  Q_OBJECT
 private slots:
  void normalisesWhatItKeeps() {
    Cleaner cleaner({});
    std::string source = "\t a \xC2\xA0 b|c \r", target = "x\xE2\x80\xA8y";
    QVERIFY(cleaner.clean(source, target) == CleanVerdict::kKept);
    QCOMPARE(source, std::string("a b|c"));  // the first line has a bar: bars are factors
    QCOMPARE(target, std::string("x y"));
    Cleaner plain({});
    source = "a", target = "b";
    plain.clean(source, target);
    source = "a|b || c", target = "b";
    QVERIFY(plain.clean(source, target) == CleanVerdict::kKept);
    QCOMPARE(source, std::string("ab c"));
  }

  void judges() {
    using enum CleanVerdict;
    QVERIFY(verdictOf({}, "", "a") == kEmpty);
    QVERIFY(verdictOf({}, "a", " |\t") == kEmpty);
    QVERIFY(verdictOf({.maximum = 3}, "a b c d", "a b c") == kTooLong);
    QVERIFY(verdictOf({.maximum = 3}, "a b c", "a b c") == kKept);
    QVERIFY(verdictOf({.minimum = 2}, "a", "a b") == kTooShort);
    QVERIFY(verdictOf({.ratio = 2}, "a b", "a b c d") == kKept);  // equal to the limit
    QVERIFY(verdictOf({.ratio = 2}, "a b", "a b c d e") == kRatio);
    QVERIFY(verdictOf({.ratio = 2, .ignoreRatio = true}, "a b", "a b c d e") == kKept);
    QVERIFY(verdictOf({.maxWordLength = 3}, "\xC3\xA9\xC3\xA9\xC3\xA9", "a") ==
            kKept);  // characters, not bytes
    QVERIFY(verdictOf({.maxWordLength = 3}, "abcd", "a") == kLongWord);
  }

  void tagsAreNoWords() {
    using enum CleanVerdict;
    const CleanOptions options{.maximum = 2, .ignoreXml = true};
    QVERIFY(verdictOf(options, "<seg id=1> a b </seg>", "a b") == kKept);
    QVERIFY(verdictOf({.maximum = 2}, "<seg id=1> a b </seg>", "a b") == kTooLong);
    // A tag has two characters at least.
    QVERIFY(verdictOf(options, "<b> a b", "a b") == kTooLong);
    QVERIFY(verdictOf(options, "<\xC3\xA9> a b", "a b") == kTooLong);
    QVERIFY(verdictOf(options, "<br> a b", "a b") == kKept);
    QVERIFY(verdictOf(options, "<br > a b", "a b") == kTooLong);
    QVERIFY(verdictOf(options, "< br> a b", "a b") == kTooLong);
  }

  void refusesBlankFactors() {
    Cleaner cleaner({.sourceName = "corpus.de"});
    std::string source = "a|x b|y", target = "c|z";
    QVERIFY(cleaner.clean(source, target) == CleanVerdict::kKept);
    source = "a||x";
    const std::string message = errorOf([&] { cleaner.clean(source, target); });
    QVERIFY(message.starts_with("corpus.de:2:"));
  }

  void refusesFilesOfDifferentLengths() {
    TemporaryFolder folder;
    writeFileAtomic(folder / "a", "x\ny\nz\n");
    writeFileAtomic(folder / "b", "x\ny\n");
    const CleanFiles files{folder / "a", folder / "b", folder / "out.a", folder / "out.b"};
    const std::string message = errorOf([&] { cleanFiles(files, {}, {}); });
    QVERIFY(message.find("a has 3 lines") != std::string::npos);
    QVERIFY(message.find("b has 2") != std::string::npos);
    QVERIFY(!fs::exists(folder / "out.a"));
    QCOMPARE(std::distance(fs::directory_iterator(folder.path()), {}), std::ptrdiff_t{2});
  }

  void refusesImpossibleLimits() {
    QVERIFY(!errorOf([] { Cleaner({.minimum = 5, .maximum = 4}); }).empty());
  }

  void fixtures_data() { rowPerReference("clean"); }

  void fixtures() {
    const fs::path set = referenceOfRow();
    const Json runs = parseJson(readFile(set / "summary.json"), "summary.json");
    QVERIFY(runs.size() >= 7);
    for (const auto& [name, run] : runs.items()) {
      CleanOptions options{.minimum = run["min"], .maximum = run["max"]};
      const auto& flags = run["flags"];
      for (std::size_t i = 0; i < flags.size(); ++i) {
        const std::string flag = flags[i];
        if (flag == "-lc") options.lowercase = true;
        if (flag == "-ignore-ratio") options.ignoreRatio = true;
        if (flag == "-ignore-xml") options.ignoreXml = true;
        if (flag == "-ratio") options.ratio = std::stod(flags[++i].get<std::string>());
        if (flag == "-max-word-length")
          options.maxWordLength = std::stoll(flags[++i].get<std::string>());
      }
      TemporaryFolder folder;
      const std::string corpus = run["corpus"];
      const CleanFiles files{set / (corpus + ".de"), set / (corpus + ".en"), folder / "de",
                             folder / "en"};
      // If output and input have the same name, the output has replaced the input: cleaning it
      // again keeps all of it.
      const std::string input = readFile(files.source);
      const bool isOutput =
          std::count(input.begin(), input.end(), '\n') != run["input"].get<std::int64_t>();
      std::string kept;
      const CleanCounts counts = cleanFiles(
          files, options, [&](std::int64_t line) { kept += std::to_string(line) + "\n"; });
      if (isOutput) {
        QCOMPARE(counts.kept(), counts.total());
      } else {
        QCOMPARE(kept, readFile(set / (name + ".kept-lines.txt")));
        QCOMPARE(counts.total(), run["input"].get<std::int64_t>());
      }
      QCOMPARE(counts.kept(), run["output"].get<std::int64_t>());
      for (const std::string side : {"de", "en"}) {
        const fs::path expected = set / (name + "." + side);
        if (fs::exists(expected)) QCOMPARE(readFile(folder / side), readFile(expected));
      }
    }
  }
};

STRATA_GUILESS_TEST(TestClean)
#include "test_clean.moc"
