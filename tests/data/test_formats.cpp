#include <QTest>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/data/formats.h"
#include "core/text/casing.h"
#include "core/text/tokenizer.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

std::vector<std::string> all(const TextInput& input) {
  const auto lines = openLines(input, true);
  std::vector<std::string> result;
  for (std::string_view line; lines->next(line);) result.emplace_back(line);
  return result;
}

}  // namespace

class TestFormats : public QObject {
  Q_OBJECT
 private slots:
  void readsSegments() {
    const TemporaryFolder folder;
    put(folder / "a.sgm",
        "<srcset setid=\"x\">\n<DOC docid=\"1\">\n<hl><SEG id=\"1\"> A &amp; B &#228; &unknown; "
        "</SEG></hl>\n"
        "<seg id=\"2\">zwei\nZeilen</seg> <seg id=\"3\"></seg>\n</DOC>\n");
    QCOMPARE(all({.location = (folder / "a.sgm").string()}),
             (std::vector<std::string>{"A & B \xc3\xa4 &unknown;", "zwei Zeilen", ""}));
    QCOMPARE(all({.location = (folder / "a.sgm").string(), .keepEntities = true})[0],
             std::string("A &amp; B &#228; &unknown;"));
    put(folder / "open.xml", "<seg id=\"1\">ein</seg>\n<seg id=\"2\">kein Ende\n");
    QVERIFY_THROWS_EXCEPTION(Error, all({.location = (folder / "open.xml").string()}));
    put(folder / "none.xml", "Text\n");
    QVERIFY_THROWS_EXCEPTION(Error, all({.location = (folder / "none.xml").string()}));
  }

  void readsTedTagsAndColumns() {
    const TemporaryFolder folder;
    put(folder / "train",
        "<url>http://x</url>\n<keywords>a</keywords>\n<title>Titel</title>\nSatz < "
        "3\n<description>Text</description>\n<talkid>1</talkid>\n");
    QCOMPARE(all({.location = (folder / "train").string(), .format = TextFormat::kTedTags}),
             (std::vector<std::string>{"Titel", "Satz < 3", "Text"}));
    put(folder / "tab", "Hi.\tHallo!\nRun!\tLauf!\trest\n");
    QCOMPARE(all({.location = (folder / "tab").string(), .column = 2}),
             (std::vector<std::string>{"Hallo!", "Lauf!"}));
    QVERIFY_THROWS_EXCEPTION(Error, all({.location = (folder / "tab").string(), .column = 3}));
    QCOMPARE(all({.location = (folder / "tab").string(),
                  .column = 1,
                  .replace = {{"R", "Tr"}, {"un", "ip"}}})[1],
             std::string("Trip!"));
  }

  // Sentences out of XML, tokenized as Moses does.
  void tokenizesWhatXmlHolds() {
    constexpr std::size_t kSentences = 42;  // the first ones, which are written as people write
    for (const std::string language : {"de", "en", "fr"}) {
      const fs::path references = referenceFolders("tokenize/" + language).front();
      const auto raw = linesOf(references / "raw.txt"), expected = linesOf(references / "tok.txt");
      const TemporaryFolder folder;
      std::string xml = "<refset setid=\"x\">\n<doc docid=\"1\">\n";
      for (std::size_t i = 0; i < kSentences; ++i) {
        const QString text = QString::fromStdString(raw.at(i)).toHtmlEscaped();
        xml += fmt::format("<seg id=\"{}\"> {} </seg>\n", i + 1, text.toStdString());
      }
      put(folder / "set.xml", xml + "</doc>\n</refset>\n");
      const auto read = all({.location = (folder / "set.xml").string()});
      QCOMPARE(read.size(), kSentences);
      const Tokenizer tokenizer({.language = language});
      for (std::size_t i = 0; i < kSentences; ++i) {
        std::string tokens;
        tokenizer.tokenize(read[i], tokens);
        QCOMPARE(tokens, expected.at(i));
      }
    }
  }
};

STRATA_GUILESS_TEST(TestFormats)
#include "test_formats.moc"
