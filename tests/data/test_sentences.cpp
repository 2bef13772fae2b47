// Files of sentences in every format: which one a file has, which of its texts is meant, and how
// the segments of several files are paired. All are small enough to be read by eye.
#include <QTest>

#include "core/data/prepare.h"
#include "core/data/prepare_fields.h"
#include "core/data/preview.h"
#include "core/data/sentences.h"
#include "core/data/system_output.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

using SentenceList = std::vector<std::string>;

constexpr const char* kReference =
    "<refset setid=\"news\" srclang=\"any\" trglang=\"en\">\n"
    "<doc docid=\"d1\" genre=\"news\" origlang=\"de\" sysid=\"ref1\">\n"
    "<hl><seg id=\"1\">one two three</seg></hl>\n<p><seg id=\"2\">four &amp; five</seg></p>\n"
    "</doc>\n</refset>\n";
constexpr const char* kOtherOrder =
    "<tstset setid=\"news\" srclang=\"any\" trglang=\"en\">\n<doc docid=\"d1\" sysid=\"sys\">\n"
    "<seg id=\"2\">four &amp; five</seg>\n<seg id=\"1\">one two three</seg>\n</doc>\n</tstset>\n";
constexpr const char* kWmt =
    "<?xml version='1.0' encoding='utf-8'?>\n<dataset id=\"wmt\">\n"
    "<doc origlang=\"de\" id=\"d1\">\n"
    "<src lang=\"de\"><p><seg id=\"1\">eins</seg><seg id=\"2\">zwei</seg>"
    "<seg id=\"10\">zehn</seg></p></src>\n"
    "<ref lang=\"en\" translator=\"A\"><p><seg id=\"1\">one</seg><seg id=\"10\">ten</seg>"
    "<seg id=\"2\">two</seg></p></ref>\n"
    "<ref lang=\"en\" translator=\"B\"><p><seg id=\"1\">1</seg><seg id=\"2\">2</seg></p></ref>\n"
    "<hyp lang=\"en\" system=\"mine\"><p><seg id=\"2\">TWO</seg><seg id=\"1\">ONE</seg>"
    "<seg id=\"10\">TEN</seg></p></hyp>\n</doc>\n"
    "<doc origlang=\"de\" id=\"t1\" testsuite=\"x\"><src lang=\"de\"><seg id=\"1\">nie</seg></src>"
    "<ref lang=\"en\" translator=\"A\"><seg id=\"1\">never</seg></ref></doc>\n</dataset>\n";
constexpr const char* kTmx =
    "<?xml version=\"1.0\"?>\n<tmx version=\"1.4\"><header srclang=\"de\"/><body>\n"
    "<tu><tuv xml:lang=\"de\"><seg>eins zwei</seg></tuv><tuv xml:lang=\"en-GB\"><seg>one <bpt "
    "i=\"1\">&lt;b&gt;</bpt>two<ept i=\"1\">&lt;/b&gt;</ept></seg></tuv></tu>\n"
    "<tu><tuv xml:lang=\"de\"><seg>nur deutsch</seg></tuv></tu>\n"
    "<tu><tuv xml:lang=\"en-GB\"><seg>six <hi>seven</hi></seg></tuv><tuv lang='DE'><seg>sechs\n"
    "  sieben</seg></tuv></tu>\n</body></tmx>\n";

// A file in a folder of its own.
struct OneFile {
  OneFile(const std::string& name, std::string_view content) : path((folder / name).string()) {
    put(path, content);
  }
  TextInput input(TextChoice choice = {}) const {
    TextInput given{.location = path};
    given.choice = std::move(choice);
    return given;
  }
  SentenceList read(TextChoice choice = {}) const { return readSentences(input(choice)).lines; }
  std::string refusal(TextChoice choice = {}) const {
    return errorOf([&] { readSentences(input(choice)); });
  }
  TextFormat format() const {
    TextLines lines(path, true);
    return formatOf(lines);
  }
  TemporaryFolder folder;
  std::string path;
};

SentenceList linesIn(const fs::path& file) {
  return readLines(file.string());
}

// A preparation of one TMX file as train, and of a WMT file as the set test.
PrepareOptions twoSided(const fs::path& folder) {
  put(folder / "train.tmx", kTmx);
  put(folder / "test.xml", kWmt);
  PrepareOptions options;
  options.name = "two";
  options.sourceLanguage = "de";
  options.targetLanguage = "en";
  options.train = {pairNamed((folder / "train.tmx").string(), options)};
  const std::string test = (folder / "test.xml").string();
  options.sets = {{"test", true, {pairNamed(test + "," + test, options)}}};
  return options;
}

}  // namespace

class TestSentences : public QObject {
  Q_OBJECT
 private slots:
  void endingsAndBeginningsTellTheFormat_data();
  void endingsAndBeginningsTellTheFormat();
  void plainTextStaysPlain_data();
  void plainTextStaysPlain();
  void otherFormatsAreRefusedByName();
  void segmentsAreReadAsSgmlIsWritten();
  void whatHasNoEndIsNamed();
  void wmtFilesHaveSeveralTexts();
  void wmtFilesLeaveOutWhatSacrebleuDoes();
  void languagesChooseTheSide();
  void sysidsOfOneDocumentAreReferences();
  void tmxGivesPairs();
  void tmxLanguagesMustBeClear();
  void jsonLinesHaveTexts();
  void jsonLinesMustBeClear();
  void columnsMustBeNamed();
  void segmentsArePairedByName();
  void segmentsThatDoNotMatchAreNamed();
  void keysComeBackFromJson();
  void outputsAreReadFromSets();
  void preparesFromFilesWithBothSides();
  void previewsTheSame();
};

void TestSentences::endingsAndBeginningsTellTheFormat_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<QString>("content");
  QTest::addColumn<QString>("format");
  const auto row = [](const char* title, const char* name, const char* content,
                      const char* format) {
    QTest::newRow(title) << QString(name) << QString(content) << QString(format);
  };
  row("sgm", "a.sgm", kReference, "segments");
  row("sgml, upper case", "a.SGML", kReference, "segments");
  row("xml", "a.xml", kWmt, "segments");
  row("xml that is tmx", "a.xml", kTmx, "tmx");
  row("tmx", "a.tmx", kTmx, "tmx");
  row("jsonl", "a.jsonl", "{}\n", "jsonl");
  row("tsv", "a.tsv", "a\tb\n", "tsv");
  row("tsv of one column", "a.tsv", "a b\n", "lines");
  row("refset by its beginning", "a.en", kReference, "segments");
  row("tstset by its beginning", "a", kOtherOrder, "segments");
  row("wmt by its beginning", "a.txt", kWmt, "segments");
  row("tmx by its beginning", "a", kTmx, "tmx");
  row("upper case", "a", "<SRCSET setid=\"x\">\n<DOC><seg>a</seg></DOC></SRCSET>", "segments");
  row("a document type", "a",
      "\n<!DOCTYPE mteval SYSTEM \"x.dtd\">\n<!-- y -->\n<mteval>\n<refset>", "segments");
}

void TestSentences::endingsAndBeginningsTellTheFormat() {
  QFETCH(QString, name);
  QFETCH(QString, content);
  QFETCH(QString, format);
  const OneFile file(name.toStdString(), content.toStdString());
  QCOMPARE(nameOf(file.format()), format.toStdString());
}

void TestSentences::plainTextStaysPlain_data() {
  QTest::addColumn<QString>("content");
  QTest::newRow("tags") << "<b>a</b>\n<i>b</i>\n";
  QTest::newRow("objects") << "{\"de\": \"a\"}\n{\"de\": \"b\"}\n";
  QTest::newRow("a declaration") << "<?xml version=\"1.0\"?> is a declaration\nb\n";
  QTest::newRow("a name of a set") << "<refset setid=\"x\"> begins a set .\nb\n";
  QTest::newRow("a name that only begins so") << "<refsets>\n<doc>\n";
  QTest::newRow("a name within the file") << "a\n<refset setid=\"x\"><doc docid=\"1\">\n";
  QTest::newRow("a comment without an end") << "<!-- a\n<refset><doc>\n";
  QTest::newRow("a segment") << "<seg>a</seg>\nb\n";
  QTest::newRow("nothing") << "";
  QTest::newRow("a blank line") << "\n<\n";
}

void TestSentences::plainTextStaysPlain() {
  QFETCH(QString, content);
  const OneFile file("corpus.en", content.toStdString());
  QCOMPARE(file.format(), TextFormat::kLines);
  QCOMPARE(file.read(), linesIn(file.path));
}

void TestSentences::otherFormatsAreRefusedByName() {
  QHOLDS(OneFile("a.xlf", "<xliff>").refusal(), "is XLIFF, which is not read as sentences");
  QHOLDS(OneFile("a.csv", "a,b\n").refusal(), "is CSV");
  QHOLDS(OneFile("a", "<?xml version=\"1.0\"?>\n<xliff><file>\n").refusal(),
         "root element is <xliff>");
  QHOLDS(OneFile("a", "<!DOCTYPE html>\n<html><head>\n").refusal(), "root element is <html>");
  // By what no text begins with, whatever the name.
  QHOLDS(OneFile("a", std::string("PAR1\x15\0\0\0PAR1", 12)).refusal(), "a: is Parquet");
  QHOLDS(OneFile("a", "\x93NUMPY\1").refusal(), "a: is an array of NumPy");
  QHOLDS(OneFile("a.xlsx", "PK\3\4").refusal(), "a.xlsx: is a table of Excel, which is not read");
  QHOLDS(OneFile("a", "PK\3\4").refusal(), "a: is a zip archive; name the member to read");
  QCOMPARE(OneFile("a", "PAR1 is a protein .\n").read(), SentenceList{"PAR1 is a protein ."});
  const OneFile page("a.html", "<p>a</p>\n");
  QHOLDS(page.refusal(), "--format lines");
  TextInput lines = page.input();
  lines.format = TextFormat::kLines;
  QCOMPARE(readSentences(lines).lines, SentenceList{"<p>a</p>"});
}

void TestSentences::segmentsAreReadAsSgmlIsWritten() {
  const OneFile file(
      "a.sgm",
      "<!-- <seg id=\"0\">old</seg> -->\n<REFSET setid='x' trglang=\"en\"><DOC docid='a &amp; b'>"
      "<SEG id=1> a &amp; b &#228; &more; </SEG> <seg id='2'>3 < 4 <b>x</b></seg>\n"
      "<seg id=\"3\"><![CDATA[5 &amp; <6>]]></seg><seg id=\"4\">two\nlines<!-- not this --></seg>"
      "<seg id=\"5\"/><seg id=\"6\">&#10;x</seg></DOC></REFSET>\n");
  const SentenceText text = readSentences(file.input());
  QCOMPARE(text.lines, (SentenceList{"a & b \xc3\xa4 &more;", "3 < 4 <b>x</b>", "5 &amp; <6>",
                                     "two lines", "", "x"}));
  QCOMPARE(text.keys.front(), (SegmentKey{"a & b", "1"}));
  QCOMPARE(text.keys.size(), std::size_t(6));
}

void TestSentences::whatHasNoEndIsNamed() {
  QHOLDS(OneFile("a.sgm", "<doc>\n<seg id=\"1\">a\n<seg id=\"2\">b</seg>").refusal(),
         "line 2: a <seg> that starts here has no end");
  QHOLDS(OneFile("a.sgm", "<seg>a").refusal(), "line 1: a <seg> that starts here has no end");
  QHOLDS(OneFile("a.sgm", "<seg>a</seg>\n<!-- b").refusal(), "line 2: a comment that starts here");
  QHOLDS(OneFile("a.xml", "<seg><![CDATA[a</seg>").refusal(), "a CDATA section that starts here");
  QHOLDS(OneFile("a.xml", "<dataset><doc></doc></dataset>").refusal(), "contains no <seg>");
  QHOLDS(OneFile("a.xml", "<dataset><doc><src><seg>a</seg></src></doc>").refusal(),
         "ends before </dataset>");
  const std::string cut = std::string(kTmx).substr(0, std::string(kTmx).rfind("</tu>"));
  QHOLDS(OneFile("a.tmx", cut).refusal({.language = "de"}), "a <tu> that starts here has no end");
  QHOLDS(OneFile("a.tmx", cut + "</tu>\n").refusal({.language = "de"}), "ends before </tmx>");
  QHOLDS(OneFile("a.tmx", "<tmx><body></body></tmx>").refusal({.language = "en"}),
         "without a <tu>");
}

void TestSentences::wmtFilesHaveSeveralTexts() {
  const OneFile file("a.xml", kWmt);
  QCOMPARE(file.read({.role = TextRole::kSource}), (SentenceList{"eins", "zwei", "zehn"}));
  QCOMPARE(file.read({.role = TextRole::kOutput}), (SentenceList{"ONE", "TWO", "TEN"}));
  QCOMPARE(file.read({.role = TextRole::kReference, .version = "A"}),
           (SentenceList{"one", "two", "ten"}));
  QHOLDS(file.refusal({.role = TextRole::kReference}),
         "It holds reference A (en), reference B (en); name one with --translator");
  QHOLDS(file.refusal({.role = TextRole::kReference, .version = "C"}), "there is no reference C");
  const auto all = readAllSentences(file.input({.role = TextRole::kReference}));
  QCOMPARE(all.size(), std::size_t(2));
  QCOMPARE(all[1].lines, (SentenceList{"1", "2", ""}));
  // The name may stand at the source instead.
  const OneFile named(
      "b.xml",
      "<dataset><doc id=\"d\" origlang=\"is\"><src lang=\"is\" translator=\"X\">"
      "<seg id=\"1\">a</seg></src><ref lang=\"en\"><seg id=\"1\">b</seg></ref></doc>"
      "</dataset>");
  QCOMPARE(named.read({.role = TextRole::kReference, .version = "X"}), SentenceList{"b"});
}

// Test suites, and segments that no reference translates.
void TestSentences::wmtFilesLeaveOutWhatSacrebleuDoes() {
  const OneFile file("a.xml", kWmt);
  const auto lines = openLines(file.input({.role = TextRole::kSource}), true);
  QCOMPARE(lines->notes(), SentenceList{file.path + ": left out 1 documents of test suites"});
  std::string untranslated = kWmt;
  const std::string ten = "<seg id=\"10\">ten</seg>";
  untranslated.replace(untranslated.find(ten), ten.size(), "");
  const OneFile less("b.xml", untranslated);
  for (const TextRole role : {TextRole::kSource, TextRole::kOutput})
    QCOMPARE(less.read({.role = role}).size(), std::size_t(2));
  QCOMPARE(less.read({.role = TextRole::kReference, .version = "A"}), (SentenceList{"one", "two"}));
}

void TestSentences::languagesChooseTheSide() {
  const OneFile file("a.xml", kWmt);
  QCOMPARE(file.read({.role = TextRole::kReference, .language = "de"}),
           (SentenceList{"eins", "zwei", "zehn"}));
  QCOMPARE(file.read({.role = TextRole::kSource, .language = "en-GB", .version = "A"}),
           (SentenceList{"one", "two", "ten"}));
  QHOLDS(file.refusal({.role = TextRole::kSource, .language = "cs"}),
         "has no text in cs; it holds source (de), reference A (en), reference B (en), output mine "
         "(en)");
  // A file with one text has no other; a language that is a word says nothing.
  const OneFile one(
      "a.sgm", "<srcset srclang=\"German\"><doc docid=\"1\"><seg id=\"1\">a</seg></doc></srcset>");
  QCOMPARE(one.read({.role = TextRole::kReference, .language = "en"}), SentenceList{"a"});
  QHOLDS(one.refusal({.bothSides = true}), "is given for both sides and holds only source");
}

void TestSentences::sysidsOfOneDocumentAreReferences() {
  const auto documents = [](const char* second) {
    return std::string(
               "<refset trglang=\"en\">\n<doc docid=\"d1\" sysid=\"r1\"><seg id=\"1\">a</seg>"
               "</doc>\n<doc docid=\"") +
           second + "\" sysid=\"r2\"><seg id=\"1\">b</seg></doc>\n</refset>\n";
  };
  const OneFile same("a.sgm", documents("d1")), other("b.sgm", documents("d2"));
  QCOMPARE(other.read({.role = TextRole::kReference}), (SentenceList{"a", "b"}));
  const auto all = readAllSentences(same.input({.role = TextRole::kReference}));
  QCOMPARE(all.size(), std::size_t(2));
  QCOMPARE(all[1].lines, SentenceList{"b"});
  QHOLDS(same.refusal({.role = TextRole::kReference}), "reference r1 (en), reference r2 (en)");
}

void TestSentences::tmxGivesPairs() {
  const OneFile file("a.tmx", kTmx);
  QCOMPARE(file.read({.role = TextRole::kSource, .language = "de", .otherLanguage = "en"}),
           (SentenceList{"eins zwei", "sechs sieben"}));
  QCOMPARE(file.read({.role = TextRole::kReference, .language = "en", .otherLanguage = "de"}),
           (SentenceList{"one two", "six seven"}));
  QCOMPARE(file.read({.language = "de"}),
           (SentenceList{"eins zwei", "nur deutsch", "sechs sieben"}));
  const auto lines =
      openLines(file.input({.language = "de", .otherLanguage = "en"}), /*quiet=*/true);
  for (std::string_view line; lines->next(line);) {
  }
  QCOMPARE(lines->notes(),
           SentenceList{file.path + ": left out 1 of 3 units, which lack de or en"});
}

void TestSentences::tmxLanguagesMustBeClear() {
  const OneFile file("a.tmx", kTmx);
  QHOLDS(file.refusal(), "has several languages (de, en-GB); name the one that is meant");
  QHOLDS(file.refusal({.language = "fr"}), "no unit has fr; its languages are DE, de, en-GB");
  const OneFile regions(
      "b.tmx",
      "<tmx><tu><tuv xml:lang=\"en-GB\"><seg>a</seg></tuv><tuv xml:lang=\"en-US\">"
      "<seg>b</seg></tuv></tu></tmx>");
  QHOLDS(regions.refusal({.language = "en"}), "en may be en-GB or en-US");
  QCOMPARE(regions.read({.language = "en-us"}), SentenceList{"b"});
}

void TestSentences::jsonLinesHaveTexts() {
  QCOMPARE(OneFile("a.jsonl", "\"a\"\n\n\"b\\nc\"\n").read(), (SentenceList{"a", "b c"}));
  const OneFile nested("a.jsonl",
                       "{\"id\": \"1\", \"translation\": {\"de\": \"eins\", \"en\": \"one\"}}\n"
                       "{\"id\": \"2\", \"translation\": {\"en\": \"two\", \"de\": \"zwei\"}}\n");
  QCOMPARE(nested.read({.language = "de"}), (SentenceList{"eins", "zwei"}));
  QCOMPARE(nested.read({.language = "en", .bothSides = true}), (SentenceList{"one", "two"}));
  QCOMPARE(OneFile("a.jsonl", "{\"de\": \"eins\", \"en\": \"one\"}\n").read({.language = "en"}),
           SentenceList{"one"});
  QCOMPARE(OneFile("a.json", "{\"n\": 1, \"text\": \"eins\"}\n").read({.language = "de"}),
           SentenceList{"eins"});
  const OneFile roles("a.jsonl", "{\"source\": \"eins\", \"target\": \"one\"}\n");
  QCOMPARE(roles.read({.role = TextRole::kReference, .language = "en"}), SentenceList{"one"});
}

void TestSentences::jsonLinesMustBeClear() {
  const OneFile file("a.jsonl", "{\"de\": \"eins\", \"en\": \"one\"}\n");
  QHOLDS(file.refusal(), "line 1: which text is meant? Name its key with --source-language");
  QHOLDS(file.refusal({.language = "fr"}), "line 1: has no text fr; it has the texts de, en");
  QHOLDS(OneFile("a.jsonl", "{\"de\": \"a\"}\n{\"de\": null}\n").refusal({.language = "de"}),
         "line 2: has no text de");
  QHOLDS(OneFile("a.jsonl", "\"a\"\nb\n").refusal(), "line 2: is not one of JSON lines");
  QHOLDS(OneFile("a.json", "[{\"de\": \"a\"}]\n").refusal(), "a list (jq -c '.[]'");
  QHOLDS(OneFile("a.jsonl", "\"a\"\n").refusal({.bothSides = true}), "holds one text");
}

void TestSentences::columnsMustBeNamed() {
  const OneFile file("a.tsv", "eins\tone\nzwei\ttwo\n");
  QHOLDS(file.refusal(), "is TSV, a table with columns; name the column");
  const SentenceOptions reading{.sourceColumn = 1, .targetColumn = 2};
  QCOMPARE(readSentences(reading.input(file.path, TextRole::kReference)).lines,
           (SentenceList{"one", "two"}));
  // A file that is no table is not taken for one.
  const OneFile plain("a.txt", "one\n");
  QCOMPARE(readSentences(reading.input(plain.path, TextRole::kReference)).lines,
           SentenceList{"one"});
}

void TestSentences::segmentsArePairedByName() {
  const OneFile reference("ref.sgm", kReference), output("tst.sgm", kOtherOrder);
  const SentenceText first = readSentences(reference.input());
  SentenceText other = readSentences(output.input());
  QCOMPARE(other.lines, (SentenceList{"four & five", "one two three"}));
  putInOrder(first, other);
  QCOMPARE(other.lines, first.lines);
  // Plain lines have no names and stay.
  SentenceText plain{.name = "x", .lines = {"b", "a"}};
  putInOrder(first, plain);
  QCOMPARE(plain.lines, (SentenceList{"b", "a"}));
}

void TestSentences::segmentsThatDoNotMatchAreNamed() {
  const std::string a = "a.sgm", b = "b.sgm";
  const auto problem = [&](const std::vector<SegmentKey>& one, const std::vector<SegmentKey>& two) {
    return errorOf([&] { orderLike({a, one}, {b, two}); });
  };
  QHOLDS(problem({{"d1", "1"}, {"d1", "2"}}, {{"d1", "2"}}),
         "b.sgm lacks document d1, segment 1. Segments of a.sgm (2) and b.sgm (1) belong together");
  QHOLDS(problem({{"d1", "1"}}, {{"d1", "1"}, {"d2", "7"}}), "a.sgm lacks document d2, segment 7");
  QHOLDS(problem({{"d1", "1"}, {"d1", "2"}}, {{"d1", "1"}, {"d1", "2"}, {"d1", "2"}}),
         "b.sgm has twice document d1, segment 2");
  // The same sentences in the same order are paired, whatever they are called.
  QCOMPARE(problem({{"d", "1"}, {"d", "1"}}, {{"d", "1"}, {"d", "1"}}), std::string());
  QCOMPARE(problem({{"", "1"}}, {{"d", "2"}}), std::string());
}

void TestSentences::keysComeBackFromJson() {
  const std::vector<SegmentKey> keys{{"a", "1"}, {"a", "2"}, {"a", "3"},   {"a", "7"},
                                     {"b", "8"}, {"b", "x"}, {"b", "007"}, {"c", "8"}};
  const Json json = segmentKeysJson(keys);
  QCOMPARE(json.dump(),
           std::string(R"([["a","1",3],["a","7"],["b","8"],["b","x"],["b","007"],["c","8"]])"));
  QCOMPARE(segmentKeysOf(json), keys);
  QVERIFY(segmentKeysJson({{"a", "1"}, {"", "2"}}).is_null());
  QVERIFY(segmentKeysOf(Json(3)).empty());
}

void TestSentences::outputsAreReadFromSets() {
  const OneFile sgm("out", kOtherOrder), wmt("wmt", kWmt), plain("out.jsonl", "\"a\"\n\"b\"\n");
  const SystemOutput output = readSystemOutput(sgm.path);
  QCOMPARE(output.format, std::string("xml"));
  QCOMPARE(output.lines, (SentenceList{"four & five", "one two three"}));
  QCOMPARE(output.keys, (std::vector<SegmentKey>{{"d1", "2"}, {"d1", "1"}}));
  QCOMPARE(readSystemOutput(wmt.path).lines, (SentenceList{"ONE", "TWO", "TEN"}));
  QCOMPARE(readSystemOutput(plain.path).lines, (SentenceList{"a", "b"}));
  SystemOutputOptions lines;
  lines.reading.format = TextFormat::kLines;
  QCOMPARE(readSystemOutput(plain.path, {}, lines).lines, (SentenceList{"\"a\"", "\"b\""}));
  std::string two = kWmt;
  two.insert(two.find("<hyp"),
             "<hyp lang=\"en\" system=\"yours\"><seg id=\"1\">a</seg><seg id=\"2\">b"
             "</seg><seg id=\"10\">c</seg></hyp>");
  const OneFile several("two.xml", two);
  QHOLDS(errorOf([&] { readSystemOutput(several.path); }),
         "It holds output yours (en), output mine (en); name one with --output-of");
  QCOMPARE(readSystemOutput(several.path, {}, {.likely = "yours"}).lines,
           (SentenceList{"a", "b", "c"}));
}

void TestSentences::preparesFromFilesWithBothSides() {
  const TemporaryFolder folder;
  PrepareOptions options = twoSided(folder / "files");
  const Dataset dataset = prepareDataset(folder / "datasets", options).dataset;
  QCOMPARE(dataset.manifest()["train"]["pairs"].get<int>(), 2);
  const EvaluationSet& set = dataset.set("test");
  QCOMPARE(set.references, 2);
  QCOMPARE(linesIn(set.rawSource()), (SentenceList{"eins", "zwei", "zehn"}));
  QCOMPARE(linesIn(set.rawReference(0)), (SentenceList{"one", "two", "ten"}));
  QCOMPARE(linesIn(set.rawReference(1)), (SentenceList{"1", "2", ""}));
  const Json keys = dataset.manifest()["sets"]["test"]["segments"];
  QCOMPARE(keys.dump(), std::string(R"([["d1","1",2],["d1","10"]])"));
  options.reading.translator = "A";
  const Dataset one = prepareDataset(folder / "datasets", options).dataset;
  QCOMPARE(one.set("test").references, 1);
  options.reading.translator.clear();
  // Two files whose documents stand in different orders.
  put(folder / "ref.sgm", kReference);
  put(folder / "src.sgm",
      "<srcset srclang=\"de\"><doc docid=\"d1\"><seg id=\"2\">vier</seg><seg id=\"1\">eins</seg>"
      "</doc></srcset>");
  options.sets = {{"test", true, {}}};
  options.sets[0].parts.push_back({.source = {.location = (folder / "src.sgm").string()},
                                   .targets = {{.location = (folder / "ref.sgm").string()}}});
  const Dataset paired = prepareDataset(folder / "datasets", options).dataset;
  QCOMPARE(linesIn(paired.set("test").rawSource()), (SentenceList{"vier", "eins"}));
  QCOMPARE(linesIn(paired.set("test").rawReference()),
           (SentenceList{"four & five", "one two three"}));
}

void TestSentences::previewsTheSame() {
  const TemporaryFolder folder;
  const PrepareOptions options = twoSided(folder / "files");
  const DatasetPreview preview = previewDataset(options);
  QVERIFY(preview.obstacle() == nullptr);
  QCOMPARE(preview.read, 2);
  QCOMPARE(preview.sets.front().second, 3);
  QCOMPARE(preview.pairs.front().target, std::string("one two"));
  put(folder / "files/test.xml", kReference);
  const DatasetPreview wrong = previewDataset(options);
  QVERIFY(wrong.obstacle() != nullptr);
  QHOLDS(wrong.obstacle()->text, "holds only reference");
}

STRATA_GUILESS_TEST(TestSentences)
#include "test_sentences.moc"
