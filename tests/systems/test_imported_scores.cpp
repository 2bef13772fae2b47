// Scores that other programs made: every format as written by hand, what must be refused, storage,
// the trash, and comparisons under them.
#include <QTest>
#include <cmath>

#include "core/compare/worth.h"
#include "core/report/comparison_export.h"
#include "core/report/comparison_page.h"
#include "core/report/comparison_tables.h"
#include "core/systems/imported_scores.h"
#include "core/systems/stored_comparison.h"
#include "tests/program.h"
#include "tests/systems/systems_fixture.h"

using namespace strata;

namespace {

// Of {"The mouse.", "A mouse!", "It's old."}, a translation of small/test.
const Lines kClose{"The mouse.", "A mouse!", "It's old."};
const std::string kCometScore =
    "{\"out/close.txt\": ["
    "{\"src\": \"Das Haus.\", \"mt\": \"  The mouse. \", \"ref\": \"The house.\", \"COMET\": 0.25},"
    "{\"src\": \"Eine Maus!\", \"mt\": \"A mouse!\", \"ref\": \"A mouse!\", \"COMET\": NaN},"
    "{\"src\": \"Es ist alt.\", \"mt\": \"It's old.\", \"ref\": \"It's old.\", \"COMET\": 0.875, "
    "\"errors\": []}]}";
const std::string kCometCompare =
    "{\"model\": \"Unbabel/wmt22-comet-da\","
    "\"source\": [\"Das Haus.\", \"Eine Maus!\", \"Es ist alt.\"],"
    "\"reference\": [\"The house.\", \"A mouse!\", \"It's old.\"],"
    "\"translations\": [{\"name\": \"perfect\", \"mt\": [\"The house.\", \"A mouse!\", \"It's "
    "old.\"],"
    "\"scores\": [0.9, 0.95, 1.0]},"
    "{\"name\": \"close\", \"mt\": [\"The mouse.\", \"A mouse!\", \"It's old.\"],"
    "\"scores\": [0.3, 0.95, 1.0]}],"
    "\"statistical_results\": []}";

bool isNear(double a, double b) {
  return std::abs(a - b) <= 1e-9;
}

// Two files of another toolkit in the workspace: "perfect" and "close".
struct ScoresFixture : SystemsFixture {
  ScoresFixture() {
    import("perfect", textOf(raw));
    import("close", textOf(kClose));
  }
  ScoreFile read(const std::string& name, const std::string& text,
                 const ScoreFileOptions& options = {}) {
    put(folder / name, text);
    return readScoreFile(folder / name, options);
  }
  StoredSystem system(const std::string& name) {
    return findSystem(listSystems(workspace, "small/test"), name);
  }
  TestSet set() { return findTestSet(workspace, "small/test"); }
  StoredScores store(const std::string& name, const ScoreFile& file, std::size_t list = 0) {
    return importScores(workspace, system(name), set(),
                        {.file = file, .list = file.systems[list], .fileName = "scores"});
  }
  // Both systems with COMET.
  void storeBoth() {
    const ScoreFile file = read("compare.json", kCometCompare);
    store("perfect", file, 0);
    store("close", file, 1);
  }
  Comparison compare(const std::vector<std::string>& metrics) {
    StoredComparison stored{.testSet = "small/test",
                            .systems = {system("close"), system("perfect")}};
    stored.options.metrics = metrics;
    return compareSystems(comparisonInput(workspace, stored));
  }
};

std::string messageOf(const auto& task) {
  try {
    task();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

class TestImportedScores : public QObject {
  Q_OBJECT

 private slots:
  void readsEveryFormat();
  void refusesDamage_data();
  void refusesDamage();
  void refusesOtherTexts();
  void keepsAndRestores();
  void damageIsReported();
  void comparesUnderThem();
  void missingValuesAreLeftOut();
  void worthIsThatOfTheStudy();
};

void TestImportedScores::readsEveryFormat() {
  ScoresFixture fixture;
  const ScoreFile comet = fixture.read("c.json", kCometScore);
  QCOMPARE(comet.format, std::string("comet-score"));
  QCOMPARE(comet.metric, (ImportedMetricInfo{"COMET", "", true, ScoreScale::kUnit}));
  QCOMPARE(comet.systems.size(), std::size_t{1});
  QCOMPARE(comet.systems[0].name, std::string("out/close.txt"));
  QCOMPARE(comet.systems[0].missing(), std::size_t{1});
  QVERIFY(isNear(comet.systems[0].mean(), (0.25 + 0.875) / 2));
  QCOMPARE(comet.systems[0].references.size(), std::size_t{3});

  const ScoreFile compared = fixture.read("d.json", kCometCompare);
  QCOMPARE(compared.format, std::string("comet-compare"));
  QCOMPARE(compared.metric.name(), std::string("COMET Unbabel/wmt22-comet-da"));
  QCOMPARE(compared.systems[1].name, std::string("close"));
  QVERIFY(isNear(compared.systems[1].mean(), 2.25 / 3));

  const ScoreFile segments =
      fixture.read("MetricX-24-refA.seg.score", "sysA 3.5\nsysB\t-1\nsysA  None\nsysB 2.25\n");
  QCOMPARE(segments.format, std::string("seg-score"));
  QCOMPARE(segments.metric,
           (ImportedMetricInfo{"MetricX-24", "", /*higherIsBetter=*/false, ScoreScale::kOther}));
  QCOMPARE(segments.systems[0].name, std::string("sysA"));
  QCOMPARE(segments.systems[0].values[0], 3.5);
  QVERIFY(std::isnan(segments.systems[0].values[1]));
  QVERIFY(isNear(segments.systems[1].mean(), 0.625));

  const std::string table =
      "id\ttext\tscore\tseconds\nx1\tThe mouse.\t71.5\t3\nx2\t A mouse!\t\t4\n";
  const ScoreFile tsv = fixture.read("t.tsv", table, {.scoreColumn = "score", .textColumn = "2"});
  QCOMPARE(tsv.format, std::string("tsv"));
  QCOMPARE(tsv.metric, (ImportedMetricInfo{"score", "", true, ScoreScale::kHundred}));
  QCOMPARE(tsv.columns, (Lines{"id", "text", "score", "seconds"}));
  QCOMPARE(tsv.systems[0].translations, (Lines{"The mouse.", " A mouse!"}));
  QCOMPARE(tsv.systems[0].missing(), std::size_t{1});
  QHOLDS(messageOf([&] { fixture.read("t.tsv", table); }), "several columns hold numbers");
  QHOLDS(messageOf([&] { fixture.read("t.tsv", table, {.scoreColumn = "5"}); }),
         "no score column '5'; there are: id, text, score, seconds");
  const ScoreFile plain = fixture.read("ours.txt", "0.5\n1\n");  // one column without a title
  QCOMPARE(plain.metric.metric, std::string("ours"));
  QCOMPARE(plain.systems[0].values, (std::vector<double>{0.5, 1}));
  const ScoreFile several =
      fixture.read("s.tsv", "a\t1\tx\nb\t2\tx\na\t3\tx\n",
                   {.format = "tsv", .scoreColumn = "2", .systemColumn = "1"});
  QCOMPARE(several.systems[0].values, (std::vector<double>{1, 3}));
}

void TestImportedScores::refusesDamage_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("part");
  const auto row = [](const char* name, const std::string& text, const char* part) {
    QTest::newRow(name) << QString::fromStdString(text) << QString(part);
  };
  row("truncated", kCometScore.substr(0, 120), "not valid JSON");
  row("deep", "{\"a\": " + std::string(200, '['), "levels");
  row("wrong type", "{\"a\": [{\"mt\": \"x\", \"COMET\": \"0.5\"}]}",
      "is not a number but \"0.5\"");
  row("no text", "{\"a\": [{\"mt\": 3, \"COMET\": 0.5}]}", "sentence 1 of 'a' has no text \"mt\"");
  row("no score", "{\"a\": [{\"mt\": \"x\", \"COMET\": 0.5}, {\"mt\": \"y\"}]}",
      "sentence 2 of 'a' has no");
  row("no list", "{\"a\": 3}", "'a' is not a list of sentences");
  row("a list", "[1, 2]", "is a list in JSON, which is not read");
  row("an object", "{}", "neither what comet-score");
  row("sacreBLEU", "{\n\"name\": \"BLEU\",\n\"score\": 31.5,\n\"signature\": \"x\"\n}\n",
      "is what sacreBLEU prints, a score of the whole set");
  row("sacreBLEU, two", "[{\"name\": \"BLEU\", \"score\": 3, \"signature\": \"x\"}, {}]",
      "is what sacreBLEU prints");
  row("sacreBLEU's text", "chrF2|nrefs:1|case:mixed|version:2.5.1 = 50.0\n",
      "is what sacreBLEU prints, with its signature");
  row("JSON lines", "{\"prediction\": 0.5}\n{\"prediction\": 0.25}\n",
      "is JSON lines, which are not read as scores");
  row("no mt", "{\"translations\": [{\"name\": \"a\", \"scores\": [1]}]}", "has no list \"mt\"");
  row("other lengths",
      "{\"translations\": [{\"name\": \"a\", \"mt\": [\"x\"], \"scores\": [1, 2]}]}",
      "'a' has 1 translations and 2 scores");
  row("nothing", "", "is empty");
  row("all missing", "a None\na None\n", "every score of 'a' is missing");
  row("ragged", "a\tb\n1\n", "line 2 has 1 columns and line 1 has 2");
  row("no number", "x\ty\nz\tw\n", "no columns hold numbers");
}

void TestImportedScores::refusesDamage() {
  QFETCH(QString, text);
  QFETCH(QString, part);
  ScoresFixture fixture;
  const std::string message = messageOf([&] { fixture.read("scores.file", text.toStdString()); });
  QHOLDS(message, part.toStdString());
  QHOLDS(message, "scores.file");
  QHOLDS(messageOf([&] { fixture.read("t.csv", "id,score\n0,0.5\n"); }), "is CSV, which is not");
  QCOMPARE(fixture.read("t.csv", "0.5\n1\n").systems[0].values, (std::vector<double>{0.5, 1}));
  put(fixture.folder / "latin", "a\t0.5\nb\xe4\t1\n");
  QHOLDS(messageOf([&] { readScoreFile(fixture.folder / "latin"); }), "line 2, byte");
  QHOLDS(messageOf([&] { readScoreFile(fixture.folder / "absent"); }), "absent");
}

void TestImportedScores::refusesOtherTexts() {
  ScoresFixture fixture;
  const ScoreFile comet = fixture.read("c.json", kCometScore);
  QHOLDS(
      messageOf([&] { fixture.store("perfect", comet); }),
      "is not of perfect: line 1 differs: the file has 'The mouse.', the workspace 'The house.'");
  ScoreFile other = comet;
  other.systems[0].sources[1] = "Ein Haus!";
  QHOLDS(messageOf([&] { fixture.store("close", other); }),
         "line 2 differs: the file has 'Ein Haus!', the workspace 'Eine Maus!'");
  other = comet;
  other.systems[0].references[2] = "It is old.";
  QHOLDS(messageOf([&] { fixture.store("close", other); }),
         "other references than small/test: line 3");
  const ScoreFile shorter = fixture.read("s.seg.score", "close 1\nclose 2\n");
  QHOLDS(messageOf([&] { fixture.store("close", shorter); }),
         "has 2 scores and small/test has 3 sentences");
  ScoreFile named = comet;
  named.metric.metric = "BLEU";
  QHOLDS(messageOf([&] { fixture.store("close", named); }), "a metric that Strata computes");
  // Found by texts, although the name is another.
  const auto matched = matchScores(comet, listSystems(fixture.workspace).systems);
  QCOMPARE(matched[0], std::optional<std::size_t>(0));  // close, perfect
}

void TestImportedScores::keepsAndRestores() {
  ScoresFixture fixture;
  fixture.storeBoth();
  const StoredSystem close = fixture.system("close");
  QCOMPARE(close.importedScores.size(), std::size_t{1});
  QCOMPARE(close.importedScores[0].values(), (std::vector<double>{0.3, 0.95, 1.0}));
  QHOLDS(messageOf([&] { fixture.storeBoth(); }),
         "has scores of COMET Unbabel/wmt22-comet-da already");
  QCOMPARE(findScores(close, "comet").metric.model, std::string("Unbabel/wmt22-comet-da"));
  QHOLDS(messageOf([&] { findScores(close, "BLEURT"); }),
         "no imported scores of 'BLEURT'; it has: COMET Unbabel/wmt22-comet-da");

  const std::string id = trashScores(fixture.workspace, findScores(close, "COMET"));
  QVERIFY(fixture.system("close").importedScores.empty());
  QCOMPARE(trashedScores(fixture.workspace).size(), std::size_t{1});
  QCOMPARE(restoreScores(fixture.workspace, id).system, std::string("close"));
  QCOMPARE(fixture.system("close").importedScores[0].values(),
           (std::vector<double>{0.3, 0.95, 1.0}));
  QVERIFY(trashedScores(fixture.workspace).empty());

  // A system takes its scores into the trash and back.
  const std::string trashed = trashSystem(fixture.workspace, fixture.system("close"));
  QCOMPARE(trashedSystems(fixture.workspace)[0].name, std::string("close"));
  QHOLDS(messageOf([&] { restoreSystem(fixture.workspace, "far"); }), "there are: close");
  QCOMPARE(restoreSystem(fixture.workspace, "close"), std::string("close"));
  QCOMPARE(fixture.system("close").importedScores.size(), std::size_t{1});
  trashSystem(fixture.workspace, fixture.system("close"));
  fixture.import("close", SystemsFixture::textOf(kClose));
  QHOLDS(messageOf([&] { restoreSystem(fixture.workspace, trashed); }),
         "there is already a system 'close'");

  // Scores of a run's output are next to its text.
  fixture.output(fixture.run("ours"));
  const ScoreFile file = fixture.read("ours.seg.score", "ours 1\nours 2\nours 3\n");
  const StoredScores ours = fixture.store("ours", file);
  QVERIFY(ours.file.string().find("/outputs/test.step-00000100.beam5.mean.") != std::string::npos);
  QCOMPARE(fixture.system("ours").importedScores[0].values(), (std::vector<double>{1, 2, 3}));
}

void TestImportedScores::damageIsReported() {
  ScoresFixture fixture;
  fixture.storeBoth();
  const fs::path file = fixture.system("close").importedScores[0].file;
  std::string text = readFile(file);
  text.replace(text.find("0.95"), 4, "0.99");
  put(file, text);
  const StoredSystems listed = listSystems(fixture.workspace);
  QCOMPARE(listed.systems.size(), std::size_t{2});
  QCOMPARE(listed.problems.size(), std::size_t{1});
  QHOLDS(listed.problems[0], "its content has changed");
}

void TestImportedScores::comparesUnderThem() {
  ScoresFixture fixture;
  fixture.storeBoth();
  const Comparison found = fixture.compare({"COMET", "bleu"});
  const MetricComparison& comet = found.first();
  QCOMPARE(comet.metric->name(), std::string("COMET Unbabel/wmt22-comet-da"));
  QVERIFY(isNear(comet.systems[0].score, 2.25 / 3));
  QVERIFY(isNear(comet.systems[1].score, 2.85 / 3));
  QVERIFY(isNear(comet.systems[1].difference, 0.2));
  QCOMPARE(found.sentenceScores[0], (std::vector<double>{0.3, 0.95, 1.0}));
  QCOMPARE(found.sentenceDifference(1, 0), 0.9 - 0.3);
  // The resamples are those of every metric: means of the drawn values.
  const Resamples drawn(3, found.options.bootstrap);
  std::vector<double> means;
  for (std::size_t s = 0; s < drawn.count(); ++s) {
    const auto weights = drawn.weights(s);
    means.push_back((weights[0] * 0.3 + weights[1] * 0.95 + weights[2] * 1.0) / 3);
  }
  std::sort(means.begin(), means.end());
  QVERIFY(
      isNear(comet.systems[0].interval->halfWidth, (means[means.size() - 1 - 25] - means[25]) / 2));
  QVERIFY(comet.systems[1].test && comet.systems[1].test->pHolm <= 1);

  const Table table = scoreTable(found, 0);
  QCOMPARE(table.rows[0][1].text(), std::string("0.7500"));
  QCOMPARE(table.columns[4].title, std::string("worth to people"));
  QCOMPARE(table.rows[1][4].text(), std::string("96 %"));  // 20 points of COMET22: the limit
  QHOLDS(scoreColumnNote(found, 0, "worth to people"), "COMET22");
  const Json json = toJson(found);
  QVERIFY(isNear(json["systems"][1]["scores"][comet.metric->name()]["score"].get<double>(), 0.95));
  QVERIFY(json["significance"][0]["worth"]["preferred"] == "perfect");
  QHOLDS(latexOf(found), "\\textbf{0.9500}");
  // Buckets by the score, and a column next to another metric.
  const Comparison second = fixture.compare({"bleu", "comet"});
  QHOLDS(sentencesTsv(second), "close COMET Unbabel/wmt22-comet-da\t");
  const auto titled = [&](const BucketTable& each) {
    return each.title == "COMET Unbabel/wmt22-comet-da of close";
  };
  QVERIFY(std::ranges::any_of(second.buckets, titled));
  QHOLDS(messageOf([&] { fixture.compare({"bleurt"}); }),
         "unknown metric 'bleurt'; expected one of bleu, chrf");
  StoredComparison random{.testSet = "small/test",
                          .systems = {fixture.system("close"), fixture.system("perfect")}};
  random.options.metrics = {"COMET"};
  random.options.test = SignificanceTest::kRandomization;
  // One sentence differs: every exchange gives the same difference or its negative.
  QCOMPARE(
      compareSystems(comparisonInput(fixture.workspace, random)).first().systems[1].test->pValue,
      1 / 10001.0);
}

void TestImportedScores::missingValuesAreLeftOut() {
  ScoresFixture fixture;
  ScoreFile file = fixture.read("c.json", kCometScore);
  file.metric.model = "m";
  fixture.store("close", file);
  const Comparison found = fixture.compare({"COMET", "bleu"});
  QVERIFY(isNear(found.first().systems[0].score, (0.25 + 0.875) / 2));
  QVERIFY(std::isnan(found.first().systems[1].score));  // perfect has none
  QVERIFY(!found.first().systems[1].interval && !found.first().systems[1].test);
  QVERIFY(found.metrics[1].systems[1].test);
  QVERIFY(std::isnan(found.sentenceScores[0][1]));
  QCOMPARE(found.differenceHistogram(1).equal + found.differenceHistogram(1).worse, std::size_t{0});
  QCOMPARE(scoreTable(found, 0).rows[1][1].text(), std::string("\u2013"));
  const auto notes = comparisonNotes(found);
  QHOLDS(notes[0], "has no value for 1 of 3 sentences");
  QHOLDS(notes[1], "perfect has no imported COMET m");
  QHOLDS(comparisonPage(found), "[0.25,null,0.875]");
  QVERIFY(toJson(found)["systems"][0]["scores"]["COMET m"]["missing"] == 1);
  QCOMPARE(found.first().oracle.chosen, (std::vector<std::size_t>{0, 0, 0}));
}

// The percentages are those of a/(1 + exp(-b d)), calculated elsewhere.
void TestImportedScores::worthIsThatOfTheStudy() {
  const std::tuple<const char*, double, double> kExpected[] = {
      {"BLEU", 1, 63.988639},      {"BLEU", 2, 77.164214},        {"chrF", 1, 70.022013},
      {"spBLEU200", 2, 75.913698}, {"BLEURT-20", 0.5, 65.407064}, {"COMET20", 2, 78.890668},
      {"COMET22", 0.5, 77.461875}, {"CometKiwi22", 1, 92.766078}, {"xCOMET-XXL", 1, 75.374983}};
  QCOMPARE(worthMetrics().size(), std::size_t{8});
  for (const auto& [study, points, percent] : kExpected) {
    QVERIFY2(std::abs(100 * worthOf(study, points).share - percent) < 1e-5, study);
    QCOMPARE(worthOf(study, -points).share, worthOf(study, points).share);
  }
  QVERIFY(worthOf("BLEU", 0.27).isChance() && !worthOf("BLEU", 0.28).isChance());
  for (const std::string_view study : worthMetrics()) QVERIFY(worthOf(study, 0).isChance());

  const std::vector<Lines> one{{"a"}}, two{{"a"}, {"a"}};
  MetricOptions lower, other;
  lower.setLowercase(true);
  other.bleu.tokenizer = BleuTokenizer::kInternational;
  QCOMPARE(worthToPeople(*makeMetric("bleu", one), 1)->study, std::string_view("BLEU"));
  QCOMPARE(worthToPeople(*makeMetric("chrf", one), 1)->study, std::string_view("chrF"));
  QVERIFY(!worthToPeople(*makeMetric("bleu", two), 1));
  QVERIFY(!worthToPeople(*makeMetric("bleu", one, lower), 1));
  QVERIFY(!worthToPeople(*makeMetric("bleu", one, other), 1));
  for (const char* name : {"multi-bleu", "chrf++", "ter", "mteval-bleu", "mteval-nist"})
    QVERIFY2(!worthToPeople(*makeMetric(name, one), 1), name);
  const auto imported = [](const char* metric, const char* model, ScoreScale scale) {
    const ImportedMetric made({metric, model, true, scale}, 1);
    const auto worth = worthToPeople(made, 0.01);
    return worth ? std::string(worth->study) : std::string();
  };
  QCOMPARE(imported("COMET", "Unbabel/wmt22-comet-da", ScoreScale::kUnit), std::string("COMET22"));
  QCOMPARE(imported("COMET", "Unbabel/XCOMET-XXL", ScoreScale::kUnit), std::string("xCOMET-XXL"));
  QCOMPARE(imported("BLEURT-20", "", ScoreScale::kUnit), std::string("BLEURT-20"));
  QCOMPARE(imported("BLEURT-20-D3", "", ScoreScale::kUnit), std::string());
  QCOMPARE(imported("COMET", "", ScoreScale::kUnit), std::string());  // which model?
  QCOMPARE(imported("COMET", "wmt22-comet-da", ScoreScale::kOther), std::string());
  // 0.01 on a unit scale is one point.
  const ImportedMetric comet({"COMET", "wmt22-comet-da", true, ScoreScale::kUnit}, 1);
  QVERIFY(std::abs(worthToPeople(comet, 0.01)->share - worthOf("COMET22", 1).share) < 1e-12);
}

STRATA_GUILESS_TEST(TestImportedScores)
#include "test_imported_scores.moc"
