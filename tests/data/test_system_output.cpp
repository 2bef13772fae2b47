// Translations of other toolkits: small files in each toolkit's format, easy to check by eye, and
// the mistakes that would silently give wrong scores.
#include <QTest>
#include <cmath>

#include "core/base/files.h"
#include "core/data/system_output.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

using Lines = std::vector<std::string>;
using Scores = std::vector<double>;

SystemOutput readText(std::string_view text, std::optional<std::string> format = {},
                      const SystemOutputOptions& options = {}) {
  const TemporaryFolder folder;
  put(folder / "out", text);
  return readSystemOutput(folder / "out", std::move(format), options);
}

std::string errorOfText(std::string_view text, std::optional<std::string> format = {},
                        const SystemOutputOptions& options = {}) {
  return errorOf([&] { readText(text, format, options); });
}

// A beam of two sentences, written in the order of their lengths.
const std::string kFairseq =
    "2024-01-31 12:00:00 | INFO | fairseq_cli.generate | {'_name': None, 'beam': 5}\n"
    "2024-01-31 12:00:01 | INFO | fairseq.tasks.translation | [de] dictionary: 4036 types\n"
    "S-1\tguten Morgen\n"
    "T-1\tgood morning\n"
    "H-1\t-0.25\tgood mor@@ ning\n"
    "D-1\t-0.25\tgood morning\n"
    "P-1\t-0.1000 -0.2000 -0.3000 -0.4000\n"
    "A-1\t0-0 1-1\n"
    "S-0\tein Haus\n"
    "T-0\ta house\n"
    "H-0\t-0.5\ta hou@@ se\n"
    "D-0\t-0.5\ta house\n"
    "P-0\t-0.5000 -0.5000 -0.5000 -0.5000\n"
    "2024-01-31 12:00:02 | INFO | fairseq_cli.generate | Translated 2 sentences (8 tokens) in "
    "0.1s\n"
    "Generate test with beam=5: BLEU4 = 100.00, 100.0/100.0/100.0/100.0 (BP=1.000)\n";

}  // namespace

class TestSystemOutput : public QObject {
  Q_OBJECT

 private slots:
  void readsPlainText();
  void plainTextIsNotMistaken();
  void namesWhatIsAlmostAFormat();
  void readsFairseq();
  void readsFilteredFairseq();
  void readsNbestOfFairseq();
  void refusesHolesInFairseq();
  void skipsUnknownLinesWhereTold();
  void readsNbestLists();
  void readsFieldsThatVary();
  void otherLinesTellTheTextFromTheFields();
  void takesTheBestByScore();
  void namesStrippedLines();
  void readsSockeyeJson();
  void refusesBadJson();
  void readsScores();
  void readsXml();
  void readsLinesOfSeveralCandidates();
  void refusesBadFiles();
  void refusesLinesThatAreMoreThanTranslations();
  void linesThatOnlyLookSoArePlain();
};

void TestSystemOutput::readsPlainText() {
  const SystemOutput output = readText("a b\n\n \nc\r\n");
  QCOMPARE(output.format, std::string("plain"));
  QCOMPARE(output.lines, (Lines{"a b", "", " ", "c"}));
  QVERIFY(output.scores.empty() && output.nbest.empty() && output.nbestScores.empty());
  QVERIFY(output.sources.empty() && output.references.empty());
  QCOMPARE(output.warnings.size(), std::size_t{1});
  QHOLDS(output.warnings[0], "carriage return at the end of 1 lines");
  QCOMPARE(readText("\n").lines, Lines{""});
}

void TestSystemOutput::plainTextIsNotMistaken() {
  for (const std::string text : {
           "H-0\t-0.5\ta house\nhe said so\nand left\n",  // one line looks like a hypothesis
           "the H-0\t-0.5 bomb\n",                        // not at the start
           "H-0 -0.5 a house\n",                          // no tabs
           "H-0\tno score\ttext\n",                       //
           "S-0\ta source\nT-0\ta target\n",              // no hypothesis
           "0 ||| text ||| F0= -1 ||| -0.5\nwithout bars\nend\n",  //
           "a ||| b ||| -0.5\n",                                   // no id
           "0 ||| two fields\n",                                   //
           "0|||text|||-0.5\n",                                    // bars that do not stand alone
           "-1 ||| text ||| -0.5\n",                               //
           "{\"a\": 1}\n",                                         // JSON without a translation
           "{\"translation\" is a word}, he said\n",               //
           "7\tseven\n8\teight\n",                                 // ids, but no scores
           "3.5\ta\tb\n",                                          // three columns, the first no id
           "1.5 percent\n",                                        //
           "<seg>a</seg>\nno tag\nno tag\n",                       //
           "<b>bold</b>\n",                                        //
           "| a | table |\n",                                      // logs alone
           "2024-01-31 12:00:00 | INFO | it rained\n",             //
       }) {
    const SystemOutput output = readText(text);
    QVERIFY2(output.format == "plain", text.c_str());
    QCOMPARE(output.lines.size(),
             static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')));
    QVERIFY2(output.warnings.empty(), text.c_str());
  }
}

void TestSystemOutput::namesWhatIsAlmostAFormat() {
  const SystemOutput output = readText("0 ||| a ||| -1\n1 ||| b ||| -2\n2 ||| c\n");
  QCOMPARE(output.format, std::string("plain"));
  QCOMPARE(output.lines.size(), std::size_t{3});
  QCOMPARE(output.warnings.size(), std::size_t{1});
  QHOLDS(output.warnings[0], "line 3 is not marian-nbest like most lines");
}

void TestSystemOutput::readsFairseq() {
  const SystemOutput output = readText(kFairseq);
  QCOMPARE(output.format, std::string("fairseq-generate"));
  QCOMPARE(output.lines, (Lines{"a house", "good morning"}));
  QCOMPARE(output.scores, (Scores{-0.5, -0.25}));
  QCOMPARE(output.sources, (Lines{"ein Haus", "guten Morgen"}));
  QCOMPARE(output.references, (Lines{"a house", "good morning"}));
  QVERIFY(output.nbest.empty() && output.nbestScores.empty() && output.warnings.empty());
  QCOMPARE(readText(kFairseq, {}, {.keepTokens = true}).lines,
           (Lines{"a hou@@ se", "good mor@@ ning"}));
  // Ten or more sentences are sorted numerically. An empty hypothesis counts as one.
  std::string many = "| loading model(s) from model.pt\nNamespace(beam=5)\n";
  for (int id : {10, 2, 9, 0, 1, 3, 8, 7, 6, 5, 4})
    many += fmt::format("H-{}\t-inf\t{}\n", id, id == 3 ? "" : std::to_string(id));
  QCOMPARE(readText(many + "| Translated 11 sentences\n").lines,
           (Lines{"0", "1", "2", "", "4", "5", "6", "7", "8", "9", "10"}));
  // Both streams in one file; what fairseq-interactive and iterative models add.
  const std::string mixed =
      "/lib/search.py:140: UserWarning: floor_divide is deprecated\n  beams = indices // size\n"
      "W-0\t0.123\tseconds\nI-0\t3\nE-0_0\tdas\nE-0_1\tdas Haus\n" +
      kFairseq;
  QCOMPARE(readText(mixed).lines, (Lines{"a house", "good morning"}));
}

void TestSystemOutput::readsFilteredFairseq() {
  const SystemOutput output = readText("H-1\t-1\tb\t.\nH-0\t-2\ta\n");
  QCOMPARE(output.format, std::string("fairseq-generate"));
  QCOMPARE(output.lines, (Lines{"a", "b\t."}));
  QVERIFY(output.sources.empty() && output.references.empty());
  QCOMPARE(readText("D-0\t-2\ta\nD-1\t-2\tb\nH-0\t-2\ta@@\nH-1\t-2\tb@@\n").lines,
           (Lines{"a", "b"}));  // sorted by letters
  QHOLDS(errorOfText("D-0\t-2\ta\n", {}, {.keepTokens = true}), "contains no H- lines");
}

void TestSystemOutput::readsNbestOfFairseq() {
  const SystemOutput output = readText(
      "S-1\tq\nH-1\t-1\tb1\nP-1\t-1.0\nH-1\t-2\tb2\nP-1\t-2.0\n"
      "S-0\tp\nH-0\t-3\ta1\nP-0\t-3.0\nH-0\t-4\ta2\nP-0\t-4.0\n");
  QCOMPARE(output.lines, (Lines{"a1", "b1"}));
  QCOMPARE(output.scores, (Scores{-3, -1}));
  QCOMPARE(output.nbest, (std::vector<Lines>{{"a1", "a2"}, {"b1", "b2"}}));
  QCOMPARE(output.nbestScores, (std::vector<Scores>{{-3, -4}, {-1, -2}}));
  QCOMPARE(output.sources, (Lines{"p", "q"}));
}

void TestSystemOutput::refusesHolesInFairseq() {
  QHOLDS(errorOfText("S-0\tx\nH-0\t-1\ta\nS-1\ty\n"), "S-1 has no matching H-1");
  QHOLDS(errorOfText("S-0\tx\nH-0\t-1\ta\nH-1\t-1\ty\n"), "H-1 has no matching S-1");
  QHOLDS(errorOfText("H-0\t-1\ta\nP-0\t-1\nH-1\t-1\tb\n"), "H-1 has no matching P-1");
  QHOLDS(errorOfText("H-0\t-1\ta\nD-0\t-1\ta\nH-0\t-2\tb\n"), "H-0 has no matching D-0");
  QHOLDS(errorOfText("S-0\tx\nH-0\t-1\ta\nS-0\tx\nH-0\t-1\ta\n"), "S-0 has no matching H-0");
  QHOLDS(errorOfText("H-0\t-1\ta\nH-2\t-1\tc\n"), "1 of 3 sentences have no translation (id 1,");
  QHOLDS(errorOfText("H-3\t-1\ta\n"), "3 of 4 sentences have no translation (id 0, 1, 2,");
  QHOLDS(errorOfText("H-2000000000\t-1\ta\n"),
         "2000000000 of 2000000001 sentences have no translation (id 0, 1, 2, 3, 4, ...,");
  QHOLDS(errorOfText("H-0\t-1\ta\nH-1\t-1\tb\nH-0\t-1\ta\n"), "line 3: sentence 0 occurs again");
}

void TestSystemOutput::skipsUnknownLinesWhereTold() {
  const std::string text = "Loading extension module\n" + kFairseq;
  QCOMPARE(readText(text).format, std::string("plain"));
  const SystemOutput output = readText(text, "fairseq-generate");
  QCOMPARE(output.lines, (Lines{"a house", "good morning"}));
  QCOMPARE(output.warnings.size(), std::size_t{1});
  QHOLDS(output.warnings[0], "skipped 1 unknown lines, first line 1");
  QHOLDS(errorOfText(kFairseq + "H-2\t-0.5\n", "fairseq-generate"), "line 16: H-2 is damaged");
  QHOLDS(errorOfText("a\nb\n", "fairseq-generate"), "contains no H- lines");
}

void TestSystemOutput::readsNbestLists() {
  const SystemOutput output = readText(
      "0 ||| Tohle je test. ||| F0= -1.77547 F1= -1.91984 ||| -0.739061\n"
      "0 ||| To je test. ||| F0= -3.32969 F1= -3.23537 ||| -1.31301\n"
      "1 |||  ||| F0= -1e-05 F1= 0 ||| -1e-05\n");
  QCOMPARE(output.format, std::string("marian-nbest"));
  QCOMPARE(output.lines, (Lines{"Tohle je test.", ""}));
  QCOMPARE(output.scores, (Scores{-0.739061, -1e-05}));
  QCOMPARE(output.nbest, (std::vector<Lines>{{"Tohle je test.", "To je test."}, {""}}));
  QCOMPARE(output.nbestScores, (std::vector<Scores>{{-0.739061, -1.31301}, {-1e-05}}));
  // One translation per sentence is not an n-best list.
  const SystemOutput single = readText("1 ||| b ||| -2\n0 ||| a ||| -1\n");
  QCOMPARE(single.lines, (Lines{"a", "b"}));
  QVERIFY(single.nbest.empty() && single.nbestScores.empty());
  QHOLDS(errorOfText("1 ||| a ||| -1\n2 ||| b ||| -1\n"), "(id 0, counted from 0)");
  QHOLDS(errorOfText("0 ||| a ||| -1\n1 ||| b ||| -1\n0 ||| c ||| -1\n"),
         "line 3: sentence 0 occurs again");
  QHOLDS(errorOfText("0 ||| a ||| -1\n1 ||| b\n", "marian-nbest"),
         "line 2 does not have this format");
}

void TestSystemOutput::readsFieldsThatVary() {
  const auto first = [](const std::string& line) {
    const SystemOutput output = readText(line + "\n");
    return output.format == "marian-nbest"
               ? output.lines[0] + fmt::format(" ({})", output.scores[0])
               : output.format;
  };
  // Marian with alignment and scores of words, Moses (a space behind the text) with what it adds.
  QCOMPARE(first("0 ||| a b ||| 0-0 1-1 ||| WordScores= -1 -2 ||| F0= -3 ||| -1.5"),
           std::string("a b (-1.5)"));
  QCOMPARE(first("0 |||  |||  ||| F0= -3 ||| -1.5"), std::string(" (-1.5)"));
  QCOMPARE(first("0 ||| a b  ||| LexicalReordering0= -1 0 0 Distortion0= 0 LM0= -20.5 ||| -4.25 "
                 "||| 0-1=0-1 ||| 0-0 1-1"),
           std::string("a b (-4.25)"));
  QCOMPARE(first("0 ||| a b ||| -0.5"), std::string("a b (-0.5)"));
  QCOMPARE(first("0 ||| a b ||| -inf"), std::string("a b (-inf)"));
  QCOMPARE(first("0 ||| a b ||| -1.5e-05"), std::string("a b (-1.5e-05)"));
  QCOMPARE(first("0 ||| a b ||| -1 -2.5 ||| -1.5"), std::string("a b (-1.5)"));
  QCOMPARE(first("0 ||| a b ||| d: 0 lm: -4.5 w: -9 ||| -1.5"), std::string("a b (-1.5)"));
  QCOMPARE(first("0 ||| a b ||| lm_0=-4.5 tm_pt_0=-3 ||| -1.5"), std::string("a b (-1.5)"));
  QCOMPARE(first("0 ||| a b ||| F0= nan ||| -inf"), std::string("a b (-inf)"));
  // A text that contains the bars.
  QCOMPARE(first("0 ||| a ||| b ||| F0= -1 ||| -0.5"), std::string("a ||| b (-0.5)"));
  QCOMPARE(first("0 ||| costs ||| 2 euros ||| F0= -1 ||| -0.5"),
           std::string("costs ||| 2 euros (-0.5)"));
  QCOMPARE(first("0 ||| costs ||| 2 euros ||| -0.5"), std::string("costs ||| 2 euros (-0.5)"));
  QCOMPARE(first("0 ||| costs ||| 2 ||| F0= -1 ||| -0.5"), std::string("costs ||| 2 (-0.5)"));
  QCOMPARE(first("0 ||| a|||b ||||||| F0= -1 ||| -0.5"),
           std::string("a|||b ||||||| F0= -1 (-0.5)"));
}

// A text that ends as fields do: other lines have one field less.
void TestSystemOutput::otherLinesTellTheTextFromTheFields() {
  const SystemOutput output = readText(
      "0 ||| a ||| F0= -1 ||| -0.5\n1 ||| it won ||| 2-1 ||| F0= -1 ||| -0.5\n"
      "2 ||| b ||| F0= -1 ||| -0.5\n");
  QCOMPARE(output.lines, (Lines{"a", "it won ||| 2-1", "b"}));
  QCOMPARE(readText("0 ||| a ||| 2 ||| -0.5\n1 ||| b ||| -1\n2 ||| c ||| -1\n").lines[0],
           std::string("a ||| 2"));
}

void TestSystemOutput::takesTheBestByScore() {
  const SystemOutput output = readText(
      "0 ||| bad ||| F0= -9 ||| -9.0\n0 ||| one two three ||| F0= -1 ||| -0.5\n"
      "1 ||| four ||| F0= -2 ||| -0.2\n1 ||| for ||| F0= -2 ||| -0.3\n");
  QCOMPARE(output.lines, (Lines{"one two three", "four"}));
  QCOMPARE(output.scores, (Scores{-0.5, -0.2}));
  QCOMPARE(output.nbest, (std::vector<Lines>{{"one two three", "bad"}, {"four", "for"}}));
  QCOMPARE(output.nbestScores, (std::vector<Scores>{{-0.5, -9}, {-0.2, -0.3}}));
  QCOMPARE(output.warnings.size(), std::size_t{1});
  QHOLDS(output.warnings[0], "of 1 sentences a later translation scores higher than the first");
  QHOLDS(output.warnings[0], "sentence 0, line 1");
  QHOLDS(output.warnings[0], "the one with the highest score is taken");
  // Other formats with lists: fairseq's, with and without letters.
  QCOMPARE(readText("H-0\t-2\tb\nH-0\t-1\ta\nH-1\t-1\tc\n").lines, (Lines{"a", "c"}));
  QCOMPARE(readText("0\t-2\tb\n0\t-1\ta\n1\t-1\tc\n").lines, (Lines{"a", "c"}));
  // Equal scores keep the file's order, and a list in order is no reason for words.
  const SystemOutput equal = readText("0 ||| a ||| -1\n0 ||| b ||| -1\n0 ||| c ||| -2\n");
  QCOMPARE(equal.lines, Lines{"a"});
  QVERIFY(equal.warnings.empty());
  // Costs: none is negative, and they rise in every list.
  const SystemOutput costs =
      readText("0 ||| a ||| 1.5\n0 ||| b ||| 2\n1 ||| c ||| 0\n1 ||| d ||| 3\n");
  QCOMPARE(costs.lines, (Lines{"a", "c"}));
  QHOLDS(costs.warnings.at(0), "read as costs, the lowest is the best");
  // Sockeye's scores are costs, and it says which is best.
  QVERIFY(readText("{\"scores\": [1, 2], \"translations\": [\"a\", \"b\"]}\n").warnings.empty());
}

// Editors and scripts that remove white space at the ends of lines remove the tab of an empty text.
void TestSystemOutput::namesStrippedLines() {
  const std::string rest = "S-1\tx\nH-1\t-0.5\ta\nD-1\t-0.5\ta\nP-1\t-0.5\n";
  QHOLDS(errorOfText("S-0\ty\nH-0\t-0.5\nD-0\t-0.5\nP-0\t-0.5\n" + rest), "line 2: H-0 is damaged");
  QHOLDS(errorOfText("S-0\nH-0\t-0.5\tb\nD-0\t-0.5\tb\nP-0\t-0.5\n" + rest),
         "line 1: S-0 is damaged");
  QHOLDS(errorOfText("H-0\nH-1\t-1\ta\n"), "line 1: H-0 is damaged");
  QHOLDS(errorOfText("0\t-1\ta\n1\t-2\n2\t-1\tc\n"), "line 2 is damaged: '1\t-2'");
  QHOLDS(errorOfText("-1.5\ta\n-inf\n-2.5\tc\n"), "line 2 is damaged: '-inf'");
  QCOMPARE(readText("0.5\n1.5\n").format, std::string("plain"));  // numbers may be the text
}

void TestSystemOutput::readsSockeyeJson() {
  const SystemOutput single = readText(
      "{\"score\": 0.5, \"sentence_id\": 1, \"translation\": \"das \\\"Haus\\\" \\u00fc\"}\n"
      "{\"score\": -Infinity, \"sentence_id\": 2, \"translation\": \"\"}\n"
      "{\"score\": 2, \"sentence_id\": 3, \"translation\": \"\\\"score\\\": NaN\"}\n");
  QCOMPARE(single.format, std::string("sockeye-nbest"));
  QCOMPARE(single.lines, (Lines{"das \"Haus\" \xc3\xbc", "", "\"score\": NaN"}));
  QCOMPARE(single.scores, (Scores{0.5, -std::numeric_limits<double>::infinity(), 2}));
  QVERIFY(single.nbest.empty() && single.nbestScores.empty());
  const SystemOutput several = readText(
      "{\"score\": 0.5, \"scores\": [[0.5], [0.75]], \"sentence_id\": 1, \"translation\": \"a\", "
      "\"translations\": [\"a\", \"b\"]}\n"
      "{\"score\": -Infinity, \"sentence_id\": 2, \"translation\": \"\"}\n"
      "{\"scores\": [3, 4], \"sentence_id\": 3, \"translations\": [\"c\", \"d\"]}\n\n");
  QCOMPARE(several.lines, (Lines{"a", "", "c"}));
  QCOMPARE(several.nbest, (std::vector<Lines>{{"a", "b"}, {""}, {"c", "d"}}));
  QCOMPARE(several.nbestScores[0], (Scores{0.5, 0.75}));
  QCOMPARE(several.nbestScores[2], (Scores{3, 4}));
  // Sentences may have the user's names and no scores.
  const SystemOutput named =
      readText("{\"sentence_id\": \"x\", \"translation\": \"a\"}\n{\"translation\": \"b\"}\n");
  QCOMPARE(named.lines, (Lines{"a", "b"}));
  QVERIFY(named.scores.empty());
}

void TestSystemOutput::refusesBadJson() {
  const std::string good = "{\"sentence_id\": 1, \"translation\": \"a\"}\n";
  QHOLDS(errorOfText(good + "{\"sentence_id\": 3, \"translation\": \"c\"}\n"),
         "line 2: found sentence 3, expected 2");
  QHOLDS(errorOfText(good + good), "line 2: found sentence 1, expected 2");
  QHOLDS(errorOfText("{\"sentence_id\": 2, \"translation\": \"a\"}\n"),
         "line 1: found sentence 2, expected 1");
  QHOLDS(errorOfText(good + "{\"translation\": \"a\", }\n"),
         "line 2: sockeye-nbest: not valid JSON");
  QHOLDS(errorOfText(good + "{\"translation\": 5}\n"), "line 2: ");
  QHOLDS(errorOfText(good + "{\"translations\": \"a\"}\n"), "line 2: ");
  QHOLDS(errorOfText("[1]\n", "sockeye-nbest"), "line 1: ");
  QHOLDS(errorOfText("{\"text\": \"a\"}\n", "sockeye-nbest"), "line 1: ");
}

void TestSystemOutput::readsScores() {
  const SystemOutput scored = readText("0.513\ta b\n-inf\t\n12.000\tc\n");
  QCOMPARE(scored.format, std::string("sockeye-scores"));
  QCOMPARE(scored.lines, (Lines{"a b", "", "c"}));
  QCOMPARE(scored.scores, (Scores{0.513, -std::numeric_limits<double>::infinity(), 12}));
  QHOLDS(errorOfText("0.5\ta\n\n", "sockeye-scores"), "line 2 does not have this format");
  const SystemOutput numbered = readText("1\t-0.5\tb c\n0\t-1\ta\n2\t0\t\n");
  QCOMPARE(numbered.format, std::string("numbered-scores"));
  QCOMPARE(numbered.lines, (Lines{"a", "b c", ""}));
  QCOMPARE(numbered.scores, (Scores{-1, -0.5, 0}));
  QHOLDS(errorOfText("0\t-1\ta\n2\t-1\tc\n"), "1 of 3 sentences have no translation (id 1,");
}

void TestSystemOutput::readsXml() {
  const std::string text =
      "<tstset setid=\"x\" srclang=\"de\" trglang=\"en\">\n<DOC sysid=\"y\">\n"
      "<seg id=\"1\"> A &amp; B </seg>\n\n<seg id=\"2\"></seg>\n</DOC>\n</tstset>\n";
  const SystemOutput output = readText(text);
  QCOMPARE(output.format, std::string("xml"));
  QCOMPARE(output.lines, (Lines{"A & B", ""}));
  QCOMPARE(readText("<seg>two\nlines</seg>\n", "xml").lines, Lines{"two lines"});
  QHOLDS(errorOfText("text\n", "xml"), "contains no <seg>");
  const std::string wmt =
      "<doc><src><p><seg>a</seg></p></src>\n<hyp system=\"x\"><seg>b</seg></hyp></doc>\n";
  QCOMPARE(readText(wmt).lines, Lines{"b"});
}

void TestSystemOutput::readsLinesOfSeveralCandidates() {
  const SystemOutput output = readText("a1\na2\nb1\nb2\n", {}, {.nbest = 2});
  QCOMPARE(output.format, std::string("plain"));
  QCOMPARE(output.lines, (Lines{"a1", "b1"}));
  QCOMPARE(output.nbest, (std::vector<Lines>{{"a1", "a2"}, {"b1", "b2"}}));
  QVERIFY(output.scores.empty() && output.nbestScores.empty());
  QHOLDS(errorOfText("a\nb\nc\n", {}, {.nbest = 2}), "3 lines are not 2 for every sentence");
  QHOLDS(errorOfText("0\t-1\ta\n", {}, {.nbest = 2}), "cannot have 2 lines per sentence");
  QHOLDS(errorOfText("a\n", {}, {.nbest = 0}), "cannot have 0 lines per sentence");
}

void TestSystemOutput::refusesBadFiles() {
  const TemporaryFolder folder;
  QHOLDS(errorOf([&] { readSystemOutput(folder / "absent"); }), "absent");
  QHOLDS(errorOfText(""), "is empty");
  for (const std::string& format : systemOutputFormats())
    QHOLDS(errorOfText("", format), "is empty");
  QHOLDS(errorOfText("\n\n", "marian-nbest"), "contains no translation");
  QHOLDS(errorOfText("a\nb\xff\n"), "line 2, byte 1");
  QHOLDS(usageErrorOf([&] { readText("a\n", "moses"); }),
         "unknown format 'moses'; expected one of plain, fairseq-generate, marian-nbest, "
         "sockeye-nbest, sockeye-scores, numbered-scores, xml");
  // A format that is asked for is not doubted; compressed files are read as they are.
  QCOMPARE(readText("0 ||| a ||| -1\n", "plain").lines, Lines{"0 ||| a ||| -1"});
  put(folder / "out", kFairseq);
  QCOMPARE(std::system(("gzip " + (folder / "out").string()).c_str()), 0);
  QCOMPARE(readSystemOutput(folder / "out.gz").lines, (Lines{"a house", "good morning"}));
  QCOMPARE(readText("\xef\xbb\xbfH-0\t-1\ta\r\n").lines, Lines{"a"});
}

// What other tools write besides the translation would be compared with the references.
void TestSystemOutput::refusesLinesThatAreMoreThanTranslations() {
  QHOLDS(errorOfText("a b ||| 0-0 1-1\n\nc d ||| 0-0\n"),
         "every line has an alignment or scores after the translation, as Marian writes them");
  QHOLDS(errorOfText("a b ||| 0.5,0.5 0.25,0.75\n ||| \n"), "as Marian writes them");
  QHOLDS(
      errorOfText("a ||| WordScores= -0.1 -0.2\nb ||| WordScores= -1 -2\n"),
      "as Marian writes them with `--alignment` or `--word-scores`; `sed 's/ |||.*//'` leaves the "
      "translations. --format lines takes whole lines as translations");
  QHOLDS(errorOfText("-0.500000 ||| a b\n-0.250000 ||| c d\n"),
         "every line has a score before the translation, as OpenNMT-tf writes it");
  QHOLDS(errorOfText("1.5 ||| a ||| 0-0\n0.5 ||| b ||| 0-0\n"), "as OpenNMT-tf writes it");
  QHOLDS(errorOfText("a b\t-0.5\n\t-1e-05\nc\tnan\n"),
         "every line has a score after the translation, as OpenNMT-py writes it");
  QHOLDS(errorOfText("a b\t0-0 1-1\n\t\nc\t0-10\n"),
         "every line has an alignment after the translation, as Sockeye writes it");
  QHOLDS(errorOfText("\nSENT 1: ['x']\nPRED 1: a b\nPRED SCORE: -0.5000\n"),
         "is OpenNMT-py's log of a translation");
  QHOLDS(errorOfText("[2024-01-31 10:00:00] [marian] Marian v1.12.0\n"
                     "[2024-01-31 10:00:01] Best translation 0 : a b\na b\n"),
         "is Marian's log");
  // A format that is asked for is not doubted.
  QCOMPARE(readText("a ||| 0-0\nb ||| 0-0\n", "plain").lines, (Lines{"a ||| 0-0", "b ||| 0-0"}));
}

void TestSystemOutput::linesThatOnlyLookSoArePlain() {
  for (const std::string text : {
           "a b ||| 0-0\n",           // a single line
           "a ||| 0-0\nb ||| c\n",    // not all of them
           "a ||| b\nc ||| d\n",      //
           "a|||1\nb|||2\n",          //
           "a\t1\nb\t2\n",            // whole numbers are no scores
           "a\tb\t0.5\nc\td\t0.5\n",  // several columns
           "a\t\nb\t\n",              // tabs at the ends of lines
           "a\t0-\nb\t-1\n",          //
           "PRED 1: a\nb\n",          //
           "[2024-01-31 10:00:00] it rained\nb\n",
       }) {
    const SystemOutput output = readText(text);
    QVERIFY2(output.format == "plain", text.c_str());
    QCOMPARE(output.lines.size(),
             static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')));
  }
}

STRATA_GUILESS_TEST(TestSystemOutput)
#include "test_system_output.moc"
