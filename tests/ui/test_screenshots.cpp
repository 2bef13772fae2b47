#include <QDir>
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <random>

#include "core/base/files.h"
#include "core/systems/stored_systems.h"
#include "tests/program.h"
#include "tests/ui/store_fixture.h"

using namespace strata;

static const QString kStrata = QStringLiteral(STRATA_BIN_DIR "/strata");

// `strata --screenshot` as the README and the demo use it, on a workspace with five runs.
class TestScreenshots : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase();
  void everyPanelThatNeedsNoEngineIsDrawn_data();
  void everyPanelThatNeedsNoEngineIsDrawn();
  void fewColoursMakeASmallFile();
  void whatElseQtSaysIsShown();
  void aPanelThatFailsIsNamed();
  void wrongUsageIsRefused_data();
  void wrongUsageIsRefused();
  void withoutADisplayTheWindowSaysSo();

 private:
  int strata(const QStringList& arguments, const QMap<QString, QString>& environment = {});

  QTemporaryDir folder_;
  QByteArray errors_;
};

// Weights that grow with `score`; they sum to 1.
static std::vector<float> softmax(const std::vector<double>& scores) {
  double sum = 0;
  for (const double score : scores) sum += std::exp(score);
  std::vector<float> weights;
  for (const double score : scores) weights.push_back(float(std::exp(score) / sum));
  return weights;
}

// Four layers of a decoder with two memories, or with one for both.
static SentenceRecordings historyOf(SentenceRecordings made, bool joint, std::mt19937& random) {
  std::normal_distribution<double> normal;
  const auto sources = std::int64_t(made.source.size()), words = std::int64_t(made.target.size());
  for (int layer = 0; layer < 4; ++layer) {
    Recording source, history, both, gate, norms;
    const auto name = [&](Recording& r, const char* last, const char* kind, const char* axis,
                          std::int64_t columns) {
      r.info = {"decoder.layers." + std::to_string(layer) + "." + last,
                kind,
                "decoder",
                layer,
                {"target", axis}};
      r.shape = {words, columns};
    };
    name(source, "source_attn", "attention", "source", sources);
    name(history, "buffer_attn", "history_attention", "history", words);
    name(both, "hybrid_attn", "joint_attention", "memory", sources + words);
    name(gate, "gate", "gate", "feature", 16);
    name(norms, "context_norms", "context_norms", "part", 2);
    for (std::int64_t i = 0; i < words; ++i) {
      std::vector<double> scores;
      for (std::int64_t j = 0; j < sources; ++j)
        scores.push_back(-std::abs(double(j - i)) * (0.3 + 0.3 * layer) + 0.8 * normal(random));
      const auto overSource = softmax(scores);
      std::vector<double> past;
      for (std::int64_t j = 0; j <= i; ++j)
        past.push_back(1.3 * normal(random) + (j == i) - 0.5 * (j == 0));
      auto overPast = softmax(past);
      scores.insert(scores.end(), past.begin(), past.end());
      auto overBoth = softmax(scores);
      overPast.resize(std::size_t(words));
      overBoth.resize(std::size_t(sources + words));
      source.values.insert(source.values.end(), overSource.begin(), overSource.end());
      history.values.insert(history.values.end(), overPast.begin(), overPast.end());
      both.values.insert(both.values.end(), overBoth.begin(), overBoth.end());
      for (int f = 0; f < 16; ++f)
        gate.values.push_back(float(1 / (1 + std::exp(-normal(random) - 0.4 + 0.05 * double(i)))));
      norms.values.push_back(float(2 + 0.5 * normal(random)));
      norms.values.push_back(float(0.5 + 0.3 * layer + 0.1 * double(i)));
    }
    if (joint) {
      made.recordings.insert(made.recordings.end(), {both, norms});
    } else {
      made.recordings.insert(made.recordings.end(), {source, history, gate, norms});
    }
  }
  return made;
}

// Every other one has a shorter translation.
static SentenceRecordings sentenceOf(int n) {
  SentenceRecordings s;
  s.sentence = n;
  s.source = {"der",   "alte", "Mann",   "gibt", "dem",   "Kind",  ",", "das", "im",
              "Gar@@", "ten",  "spielt", ",",    "einen", "Apfel", ".", "</s>"};
  s.target = {"the", "old", "man",   "gives", "the", "child", "that", "plays",
              "in",  "the", "gar@@", "den",   "an",  "apple", ".",    "</s>"};
  if (n % 2) s.target = {"she", "does", "not", "see", "him", ".", "</s>"};
  return s;
}

static void fillHistory(Workspace& workspace, const char* name, bool joint, std::mt19937& random) {
  const RunSummary run = fixture::makeRun(workspace, name);
  RunSession session(workspace, run.id, fixture::start());
  for (const std::int64_t step : {1000, 2000}) {
    std::vector<SentenceRecordings> sentences;
    for (int n = 0; n < 6; ++n) sentences.push_back(historyOf(sentenceOf(n), joint, random));
    const std::string at = "recordings/step-" + std::to_string(step);
    writeRecordings(session.folder() / at, sentences);
    session.recording({run.id, step, at});
  }
  session.end({run.id, 2000, RunOutcome::kFinished, ""});
}

static void fillSystems(Workspace& workspace) {
  const std::filesystem::path folder = workspace.root().parent_path();
  std::string references, close, far;
  const char* const words[] = {"the", "old", "man", "gives", "a", "child", "an", "apple"};
  for (int i = 0; i < 40; ++i) {
    for (int w = 0; w < 8; ++w) {
      const std::string word = std::string(words[(w + i) % 8]) + " ";
      references += word;
      close += (w + i) % 9 == 0 ? "one " : word;
      far += (w + i) % 3 == 0 ? "one " : word;
    }
    for (std::string* text : {&references, &close, &far}) *text += "\n";
  }
  writeFileAtomic(folder / "references", references);
  writeFileAtomic(folder / "close", close);
  writeFileAtomic(folder / "far", far);
  importTestSet(workspace, {.name = "generated", .references = {folder / "references"}});
  for (const char* name : {"close", "far"})
    importSystem(workspace, {.name = name, .testSet = "generated", .file = folder / name});
}

static void fillWorkspace(const std::filesystem::path& folder) {
  Workspace workspace(folder);
  fillSystems(workspace);
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  fillHistory(workspace, "gate-stable", false, random);
  fillHistory(workspace, "hybrid-stable", true, random);
  const char* const names[] = {"base-mle", "enc-fnn-dec-sa2", "both-fnn-sa4"};
  for (int r = 0; r < 3; ++r) {
    const RunSummary run = fixture::makeRun(workspace, names[r]);
    RunSession session(workspace, run.id, fixture::start());
    std::vector<ScalarEvent> events;
    for (std::int64_t step = 10; step <= 6000; step += 10) {
      const double s = double(step), time = 1.7e9 + s / 8 + r * 900;
      const double loss = 1.6 - 0.15 * r + 6 * std::exp(-s / 900);
      events.push_back({run.id, "train/nll", step, loss + 0.12 * normal(random), time});
      events.push_back({run.id, "lr", step, 5e-4 * std::min(s / 800, std::sqrt(800 / s)), time});
      events.push_back(
          {run.id, "train/tokens_per_second", step, 4100 + 150 * normal(random), time});
      for (const char* side : {"encoder", "decoder"}) {
        for (int layer = 0; layer < 6; ++layer) {
          events.push_back(
              {run.id, std::string("grad_norm/") + side + ".layers." + std::to_string(layer), step,
               std::exp(-0.5 * layer * (r == 0) - s / 4000 + 0.3 * normal(random) +
                        0.4 * (*side == 'd')),
               time});
        }
      }
      if (step % 300 != 0) continue;
      events.push_back({run.id, "valid/nll", step, loss + 0.2 + 0.02 * normal(random), time});
      events.push_back({run.id, "valid/multi-bleu", step,
                        34 * (1 - std::exp(-s / 1500)) + r + 0.4 * normal(random), time});
    }
    if (r == 1) events[events.size() / 2].value = NAN;
    session.scalars(events);
    for (const std::int64_t step : {1500, 3000, 4500, 6000}) {
      std::vector<SentenceRecordings> sentences;
      for (int n = 0; n < 5; ++n) {
        SentenceRecordings s = sentenceOf(n);
        Recording w;
        w.info = {
            "decoder.fusion.hop_weights", "hop_weights", "decoder", -1, {"target", "hop", "level"}};
        const auto positions = std::int64_t(s.target.size());
        w.shape = {positions, 4, 4};
        for (std::int64_t p = 0; p < positions; ++p) {
          for (int hop = 0; hop < 4; ++hop) {
            double sum = 0, e[4];
            for (int l = 0; l < 4; ++l)
              sum += e[l] =
                  std::exp(double(step) / 1500 * (l == (hop + 3) % 4) + 0.8 * normal(random));
            for (const double v : e) w.values.push_back(float(v / sum));
          }
        }
        s.recordings = {w};
        sentences.push_back(s);
      }
      const std::string at = "recordings/step-" + std::to_string(step);
      writeRecordings(session.folder() / at, sentences);
      session.recording({run.id, step, at});
    }
    session.end({run.id, 6000, r == 1 ? RunOutcome::kStopped : RunOutcome::kFinished, ""});
  }
}

void TestScreenshots::initTestCase() {
  QVERIFY2(QFileInfo::exists(kStrata), "bin/strata is not built");
  fillWorkspace(folder_.filePath("workspace").toStdString());
}

int TestScreenshots::strata(const QStringList& arguments,
                            const QMap<QString, QString>& environment) {
  QProcess process;
  QProcessEnvironment variables = QProcessEnvironment::systemEnvironment();
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
    variables.remove(QLatin1String(name));
  variables.insert("STRATA_RUN", "/nowhere/strata-run");
  for (auto it = environment.begin(); it != environment.end(); ++it)
    variables.insert(it.key(), it.value());
  process.setProcessEnvironment(variables);
  process.start(kStrata, QStringList{"--workspace", folder_.filePath("workspace")} + arguments);
  if (!process.waitForFinished(120000)) return -1;
  errors_ = process.readAllStandardError();
  return process.exitCode();
}

void TestScreenshots::everyPanelThatNeedsNoEngineIsDrawn_data() {
  QTest::addColumn<QString>("panel");
  QTest::addColumn<QString>("theme");
  for (const char* theme : {"light", "dark"}) {
    for (const char* panel : {"data", "runs", "sweeps", "curves", "gradient-flow", "histograms",
                              "hop-weights", "target-attention", "attention", "readers", "layers",
                              "interventions", "compare", "samples", "monitor", "log", "window"})
      QTest::addRow("%s, %s", panel, theme) << QString(panel) << QString(theme);
  }
}

void TestScreenshots::everyPanelThatNeedsNoEngineIsDrawn() {
  QFETCH(QString, panel);
  QFETCH(QString, theme);
  const QString keep =
      qEnvironmentVariable("STRATA_TEST_PICTURES", folder_.path());  // to look at them
  const QString to = keep + '/' + theme;
  QCOMPARE(strata({"--theme", theme, "--screenshot", to, "--panel", panel, "--size", "1280x800"}),
           0);
  QVERIFY2(!errors_.contains("propagateSizeHints"), errors_);
  const QStringList files = QDir(to).entryList(
      {panel == "window" ? "window.png" : "*[0-9]-" + panel + ".png"}, QDir::Files);
  QCOMPARE(files.size(), 1);
  const QImage picture(to + '/' + files[0]);
  QVERIFY(!picture.isNull());
  if (panel == "window") QCOMPARE(picture.size(), QSize(1280, 800));
  QSet<QRgb> colours;
  for (int y = 0; y < picture.height(); y += 3) {
    for (int x = 0; x < picture.width(); x += 3) colours.insert(picture.pixel(x, y));
  }
  QVERIFY2(colours.size() > 20, "a picture with next to nothing on it");
  double light = 0;
  int count = 0;
  for (int y = 0; y < picture.height(); y += 3) {
    for (int x = 0; x < picture.width(); x += 3, ++count)
      light += QColor(picture.pixel(x, y)).lightnessF();
  }
  const bool dark = light / count < 0.5;
  QCOMPARE(dark, theme == "dark");
}

void TestScreenshots::fewColoursMakeASmallFile() {
  QVector<QImage> pictures;
  QVector<qint64> sizes;
  for (const QStringList& colours : {QStringList(), QStringList{"--colours", "64"}}) {
    const QString to = folder_.filePath("colours" + colours.join(QString()));
    QCOMPARE(strata(QStringList{"--screenshot", to, "--panel", "hop-weights"} + colours), 0);
    const QFileInfo file = QDir(to).entryInfoList({"*.png"})[0];
    pictures << QImage(file.filePath());
    sizes << file.size();
  }
  QVERIFY(pictures[1].colorCount() > 2 && pictures[1].colorCount() <= 64);
  QVERIFY2(sizes[1] * 4 < sizes[0] * 3,
           qPrintable(QString("%1 of %2").arg(sizes[1]).arg(sizes[0])));
  QCOMPARE(pictures[1].size(), pictures[0].size());
  double difference = 0;
  int count = 0;
  for (int y = 0; y < pictures[0].height(); y += 2) {
    for (int x = 0; x < pictures[0].width(); x += 2, ++count)
      difference += std::abs(qGray(pictures[0].pixel(x, y)) - qGray(pictures[1].pixel(x, y)));
  }
  QVERIFY2(difference / count < 2, qPrintable(QString::number(difference / count)));
}

void TestScreenshots::whatElseQtSaysIsShown() {
  const QString to = folder_.filePath("loud");
  QCOMPARE(strata({"--screenshot", to, "--panel", "log"}, {{"QT_DEBUG_PLUGINS", "1"}}), 0);
  QVERIFY2(errors_.contains("factoryloader"), errors_);
  QVERIFY2(!errors_.contains("propagateSizeHints"), errors_);
}

void TestScreenshots::aPanelThatFailsIsNamed() {
  QCOMPARE(strata({"--screenshot", folder_.filePath("failed"), "--panel", "launch"}), 1);
  QVERIFY2(errors_.contains("launch") && errors_.contains("/nowhere/strata-run"), errors_);
}

void TestScreenshots::wrongUsageIsRefused_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<QByteArray>("named");
  QTest::newRow("theme") << QStringList{"--theme", "pink", "--screenshot", "x"}
                         << QByteArray("pink");
  QTest::newRow("size") << QStringList{"--size", "12", "--screenshot", "x"} << QByteArray("--size");
  QTest::newRow("colours") << QStringList{"--colours", "1000", "--screenshot", "x"}
                           << QByteArray("--colours 1000");
  QTest::newRow("argument") << QStringList{"--screenshot", "x", "more"} << QByteArray("more");
}

void TestScreenshots::wrongUsageIsRefused() {
  QFETCH(QStringList, arguments);
  QFETCH(QByteArray, named);
  QCOMPARE(strata(arguments), 2);
  QVERIFY2(errors_.contains(named), errors_);
}

void TestScreenshots::withoutADisplayTheWindowSaysSo() {
  QCOMPARE(strata({}), 1);
  QVERIFY2(errors_.contains("no display"), errors_);
}

STRATA_GUILESS_TEST(TestScreenshots)
#include "test_screenshots.moc"
