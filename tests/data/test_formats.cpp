#include <QTest>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/data/formats.h"
#include "core/text/casing.h"
#include "core/text/tokenizer.h"
#include "tests/fixture.h"

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

  // The standard test set of IWSLT14 German-English is made of five raw sets, tokenized and
  // lower-cased.
  void makesTheStandardTestSetFromXml() {
    const fs::path ted = fs::path(STRATA_SHARED_DIR) / "data/ted-deen";
    if (!fs::exists(ted)) QSKIP("the shared data are absent");
    for (const std::string language : {"de", "en"}) {
      const Tokenizer tokenizer({.language = language});
      const auto expected = all({.location = (ted / ("test." + language)).string()});
      QCOMPARE(expected.size(), std::size_t{6750});
      std::size_t at = 0;
      for (const char* set :
           {"TED.dev2010", "TEDX.dev2012", "TED.tst2010", "TED.tst2011", "TED.tst2012"}) {
        const auto xml =
            ted / "xml" / ("IWSLT14." + std::string(set) + ".de-en." + language + ".xml");
        for (const std::string& line : all({.location = xml.string(),
                                       .keepEntities = true,
                                       .replace = {{"\xe2\x80\x99", "'"}}})) {
          std::string tokens, lower;
          tokenizer.tokenize(line, tokens);
          lowercase(tokens, lower);
          if (lower != expected[at])
            qWarning("%s line %zu: %s / %s", language.c_str(), at + 1, lower.c_str(),
                     expected[at].c_str());
          QCOMPARE(lower, expected[at++]);
        }
      }
      QCOMPARE(at, expected.size());
    }
  }
};

QTEST_GUILESS_MAIN(TestFormats)
#include "test_formats.moc"
