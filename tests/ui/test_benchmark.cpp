#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/json.h"
#include "core/base/text_limits.h"
#include "core/store/scalars.h"
#include "tests/program.h"
#include "tests/ui/store_fixture.h"
#include "ui/window/benchmark_figure.h"
#include "ui/window/benchmark_workspace.h"

using namespace strata;
using namespace strata::ui;

static const QString kProgram = QStringLiteral(STRATA_BIN_DIR "/strata");

// `strata --benchmark`, in small: that all is measured, not how long it takes.
class TestBenchmark : public QObject {
  Q_OBJECT
 private slots:
  void figuresSayWhetherTheirLimitWasKept();
  void aSmallOneHasEnoughOfEverything();
  void theWorkspaceHoldsWhatIsSaid();
  void everyFigureIsPrinted();
  void theStartIsTimedFromOutside();
  void wrongScalesAreRefused();

 private:
  int strata(const QStringList& arguments);

  QByteArray output_, errors_;
};

int TestBenchmark::strata(const QStringList& arguments) {
  QProcess program;
  program.start(QFileInfo(kProgram).absoluteFilePath(), arguments);
  if (!program.waitForFinished(240'000)) return -1;
  output_ = program.readAllStandardOutput();
  errors_ = program.readAllStandardError();
  return program.exitCode();
}

void TestBenchmark::figuresSayWhetherTheirLimitWasKept() {
  BenchmarkFigure figure{"zoom", "a frame", 50, {20, 60, 30, 40}};
  QCOMPARE(jsonOf(figure), Json({{"what", "a frame"},
                                 {"times", 4},
                                 {"min", 20.0},
                                 {"median", 35.0},
                                 {"max", 60.0},
                                 {"limit", 50.0},
                                 {"within", 3},
                                 {"kept", false}}));
  figure.times = {50, 10, 20};
  const Json kept = jsonOf(figure);
  QVERIFY(kept["kept"] == true && kept["median"] == 20.0);
  figure.times.clear();
  const Json nothing = jsonOf(figure);
  QVERIFY(nothing["kept"] == false && nothing["median"].is_null());
}

void TestBenchmark::aSmallOneHasEnoughOfEverything() {
  const BenchmarkSizes small = BenchmarkSizes().scaled(1e-6);
  QVERIFY(small.curves >= 2 && small.runs >= small.curves + 2);
  QVERIFY(small.points >= 1 && small.words >= 2 && small.repeats >= 3 && small.seconds >= 1);
  const BenchmarkSizes all = BenchmarkSizes().scaled(1);
  QVERIFY(all.runs == 1000 && all.curves == 50 && all.points == 100'000 && all.words == 512);
  QVERIFY(all.pointsPerSecond == 1000);
}

void TestBenchmark::theWorkspaceHoldsWhatIsSaid() {
  QTemporaryDir folder;
  Workspace workspace(folder.path().toStdString());
  BenchmarkSizes sizes = BenchmarkSizes().scaled(1e-6);
  sizes.runs = 7;
  sizes.curves = 3;
  sizes.points = 2500;
  const BenchmarkRuns made = makeBenchmarkRuns(workspace, sizes);
  QCOMPARE(listRuns(workspace).size(), std::size_t(7));
  QCOMPARE(made.curves.size(), 3);
  for (const qint64 run : made.curves) {
    const auto points = readSeries(workspace, run, kBenchmarkSeries);
    QCOMPARE(points.size(), std::size_t(2500));
    QCOMPARE(points.back().step, 2500);
    QCOMPARE(points.back().value, benchmarkLoss(run, 2500));
  }
  const auto recordings = listRecordingRows(workspace, made.sentence);
  QCOMPARE(recordings.size(), std::size_t(1));
  const auto sentences = readRecordings(recordings[0].folder);
  QCOMPARE(sentences[0].recordings[0].shape, std::vector<std::int64_t>({sizes.words, sizes.words}));
  QVERIFY(refreshWorkspace(workspace) == 0);  // the index has what the folders have
}

static void checkFigure(const Json& figure, double limit) {
  QCOMPARE(figure["limit"], limit);
  QVERIFY(!figure["what"].get<std::string>().empty());
  const int times = figure["times"], within = figure["within"];
  QVERIFY(times >= 3 && within >= 0 && within <= times);
  const double least = figure["min"], median = figure["median"], most = figure["max"];
  QVERIFY(0 <= least && least <= median && median <= most);
  QCOMPARE(figure["kept"].get<bool>(), most <= limit);
  QCOMPARE(figure["kept"].get<bool>(), within == times);
}

void TestBenchmark::everyFigureIsPrinted() {
  QCOMPARE(strata({"--benchmark", "--scale", "0.002"}), 0);
  const Json json = Json::parse(output_.toStdString());
  QCOMPARE(json["unit"], "milliseconds");
  QVERIFY(json["program"].is_string() && json["processors"] >= 1);
  QCOMPARE(json["window"].size(), std::size_t(2));
  for (const char* size : {"runs", "curves", "points_each", "words", "points_per_second"})
    QVERIFY2(json["sizes"][size] >= 1, size);
  const std::map<std::string, double> limits{
      {"start", 400},    {"draw", 1000}, {"zoom", 50},          {"pan", 50},
      {"smoothing", 50}, {"live", 2000}, {"attention_map", 16}, {"attention_overview", 16}};
  const Json& figures = json["figures"];
  QCOMPARE(figures.size(), limits.size() + 1);
  bool kept = true;
  for (const auto& [name, limit] : limits) {
    QVERIFY2(figures.contains(name), name.c_str());
    checkFigure(figures[name], limit);
    kept = kept && figures[name]["kept"];
  }
  QVERIFY(figures["live"]["points"] >= 20 && figures["live"]["seconds"] >= 1);
  const Json& turn = figures["longest_turn"];
  QVERIFY(turn["max"] > 0.0 && turn["cpu"].is_number() && turn["limit"] == 50.0);
  QVERIFY(turn["event"].is_string());
  QCOMPARE(turn["parts"][turn["during"].get<std::string>()], turn["max"]);
  for (const char* part : {"open", "show data", "show curves", "show monitor", "draw", "zoom",
                           "pan", "smoothing", "live", "attention_map", "attention_overview"})
    QVERIFY2(turn["parts"].contains(part), part);
  QCOMPARE(json["kept"].get<bool>(), kept && turn["kept"].get<bool>());
}

// The window is left as a user leaves it, and the workspace is not among those lately opened.
void TestBenchmark::theStartIsTimedFromOutside() {
  QTemporaryDir folder, settings;
  {
    Workspace workspace(folder.path().toStdString());
    fixture::makeThreeRuns(workspace);
  }
  qputenv("XDG_CONFIG_HOME", settings.path().toUtf8());
  QCOMPARE(strata({"--workspace", folder.path(), "--exit-when-usable"}), 0);
  QCOMPARE(output_, QByteArray("usable\n"));
  const Json session = readJson(folder.filePath("ui/session.json").toStdString());
  QCOMPARE(session["unclean"], 0);
  QVERIFY(!QFileInfo::exists(settings.filePath("strata/recent.json")));
}

void TestBenchmark::wrongScalesAreRefused() {
  for (const char* scale : {"0", "-1", "1.5", "nan", "much"}) {
    QCOMPARE(strata({"--benchmark", "--scale", scale}), 2);
    QVERIFY2(errors_.contains("--scale") && errors_.contains(scale), errors_.constData());
  }
}

STRATA_TEST(TestBenchmark)
#include "test_benchmark.moc"
