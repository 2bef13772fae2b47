// The Moses filters against the output of the reference scripts, file by file.
#include <QDir>
#include <QTest>
#include <functional>
#include <set>

#include "core/base/files.h"
#include "core/text/casing.h"
#include "core/text/detokenizer.h"
#include "core/text/punctuation.h"
#include "core/text/tokenizer.h"
#include "core/text/truecaser.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

using Filter = std::function<void(std::string_view line, std::string& out)>;

void compare(const fs::path& input, const fs::path& expected, const Filter& filter) {
  const auto from = linesOf(input);
  const auto to = linesOf(expected);
  QCOMPARE(from.size(), to.size());
  std::string out;
  for (std::size_t i = 0; i < from.size(); ++i) {
    filter(from[i], out);
    if (out == to[i]) continue;
    const std::string message = expected.string() + ":" + std::to_string(i + 1) +
                                "\n   input: " + from[i] + "\nexpected: " + to[i] +
                                "\n  actual: " + out;
    QFAIL(message.c_str());
  }
}

// The language that a file of a fixture folder was made for.
std::string languageOf(const fs::path& file) {
  const std::string folder = file.parent_path().filename().string();
  if (folder == "other-languages") return file.stem().extension().string().substr(1);
  return folder.substr(folder.rfind('-') + 1);
}

Filter tokenizerOf(const TokenizerOptions& options) {
  return [tokenizer = Tokenizer(options)](std::string_view line, std::string& out) {
    tokenizer.tokenize(line, out);
  };
}

Filter detokenizerOf(const std::string& language) {
  return [detokenizer = Detokenizer({.language = language})](
             std::string_view line, std::string& out) { detokenizer.detokenize(line, out); };
}

Filter normalizerOf(const PunctuationOptions& options) {
  return [normalizer = PunctuationNormalizer(options)](std::string_view line, std::string& out) {
    normalizer.normalize(std::string(line) + '\n', out);
    out.pop_back();
  };
}

}  // namespace

class TestMosesFixtures : public QObject {
  Q_OBJECT

 private slots:
  void equalsReference_data() {
    QTest::addColumn<QString>("path");
    for (const fs::path& set : referenceFolders("tokenize")) {
      for (const auto& entry : fs::recursive_directory_iterator(set)) {
        if (!entry.is_regular_file() || entry.path().extension() != ".txt") continue;
        const std::string name = entry.path().filename().string();
        if (name == "raw.txt" || name.starts_with("sacrebleu.") || name.starts_with("truecase."))
          continue;
        QTest::newRow(entry.path().c_str()) << QString::fromStdString(entry.path().string());
      }
    }
  }

  void equalsReference() {
    QFETCH(QString, path);
    const fs::path file = path.toStdString();
    const fs::path folder = file.parent_path();
    const std::string name = file.filename().string();
    const std::string language = languageOf(file);
    if (name == "tok.noescape.txt") {
      compare(folder / "raw.txt", file, tokenizerOf({.language = language, .escape = false}));
    } else if (name == "tok.aggressive.txt") {
      compare(folder / "raw.txt", file, tokenizerOf({.language = language, .aggressive = true}));
    } else if (name.starts_with("tok.")) {
      compare(folder / "raw.txt", file, tokenizerOf({.language = language}));
    } else if (name.starts_with("detok.")) {
      compare(folder / name.substr(2), file, detokenizerOf(language));
    } else if (name == "lower.txt") {
      compare(folder / "raw.txt", file, lowercase);
    } else if (name.starts_with("normpunct.")) {
      compare(folder / "raw.txt", file,
              normalizerOf({.language = language, .penn = name == "normpunct.penn.txt"}));
    } else if (name == "truecased.txt") {
      const Truecaser truecaser(folder / "truecase.model");
      compare(folder / "tok.txt", file,
              [&](std::string_view line, std::string& out) { truecaser.truecase(line, out); });
    } else if (name == "detruecased.txt") {
      compare(folder / "truecased.txt", file, detruecase);
    } else {
      QFAIL("a fixture of an unknown kind");
    }
  }

  void trainsTheReferenceModel_data() {
    QTest::addColumn<QString>("path");
    for (const std::string language : {"de", "en", "fr"}) {
      for (const fs::path& folder : referenceFolders("tokenize/" + language))
        QTest::newRow(folder.c_str()) << QString::fromStdString(folder.string());
    }
  }

  // Where casings tie the reference keeps any of them.
  void trainsTheReferenceModel() {
    QFETCH(QString, path);
    const fs::path folder = path.toStdString();
    TruecaserTrainer trainer;
    for (const auto& line : linesOf(folder / "truecase.train.txt")) trainer.add(line);
    std::set<std::string> ties;
    for (const auto& line : linesOf(folder / "truecase.ties.txt")) ties.insert(line);
    const auto untied = [&](const std::vector<std::string>& lines) {
      std::set<std::string> kept;
      for (const auto& line : lines) {
        if (!ties.contains(lowercased(line.substr(0, line.find(' '))))) kept.insert(line);
      }
      return kept;
    };
    const TemporaryFolder scratch;
    writeFileAtomic(scratch / "model", trainer.model());
    const auto ours = linesOf(scratch / "model");
    const auto theirs = linesOf(folder / "truecase.model");
    QCOMPARE(ours.size(), theirs.size());
    QVERIFY(untied(ours) == untied(theirs));
  }
};

STRATA_GUILESS_TEST(TestMosesFixtures)
#include "test_moses_fixtures.moc"
