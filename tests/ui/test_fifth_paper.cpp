#include <QComboBox>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include "core/store/runs.h"
#include "core/store/scalars.h"
#include "core/store/workspace.h"
#include "tests/program.h"
#include "tests/ui/light_window.h"
#include "tests/ui/patience.h"
#include "ui/data/text.h"
#include "ui/panels/hop_weights_panel.h"
#include "ui/panels/launch_panel.h"
#include "ui/panels/preset_box.h"
#include "ui/panels/preset_model.h"
#include "ui/plots/heat_map.h"
#include "ui/window/main_window.h"

using namespace strata;
using namespace strata::ui;

// A paper that is added with one line (tests/fifth_paper) is trained, translated with and drawn by
// the program and the window as they are.
class TestFifthPaper : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase();
  void learns();
  void translates();
  void isDrawnInHopWeights();
  void isListedInLaunch();

 private:
  QByteArray outputOf(const QStringList& arguments, const QByteArray& input = {}) const;

  QTemporaryDir folder_;
  QString runner_;
  std::unique_ptr<MainWindow> window_;
};

QByteArray TestFifthPaper::outputOf(const QStringList& arguments, const QByteArray& input) const {
  QProcess process;
  process.setProcessChannelMode(QProcess::SeparateChannels);
  process.start(runner_,
                QStringList{"--workspace", folder_.path(), "--log-level", "error"} + arguments);
  process.write(input);
  process.closeWriteChannel();
  if (!process.waitForFinished(kPatience) || process.exitCode() != 0)
    qWarning("%s", process.readAllStandardError().constData());
  return process.readAllStandardOutput();
}

void TestFifthPaper::initTestCase() {
  runner_ = QFileInfo(STRATA_BIN_DIR "/fifth/strata-run").absoluteFilePath();
  QVERIFY2(QFileInfo::exists(runner_), "bin/fifth/strata-run is not built");
  qputenv("STRATA_RUN", runner_.toUtf8());
  outputOf({"data", "generate", "--name", "toy", "--size", "300", "--seed", "4"});
  outputOf({"train", "--preset", "fifth/base", "--data", "toy", "--name", "made-up"});
  window_ = lightWindow(folder_.path(), {1280, 800});
}

void TestFifthPaper::learns() {
  Workspace workspace(folder_.path().toStdString());
  const RunSummary run = findRun(workspace, "made-up");
  QCOMPARE(nameOf(run.status), std::string_view("finished"));
  QCOMPARE(run.family, std::string("fifth"));
  const auto nll = readSeries(workspace, run.id, "valid/nll");
  QCOMPARE(nll.size(), std::size_t(2));
  QVERIFY2(nll[1].value < nll[0].value, qPrintable(QString::number(nll[1].value)));
}

void TestFifthPaper::translates() {
  const Json found = parseJson(outputOf({"--json", "translate", "--run", "made-up", "--beam", "3",
                                         "--nbest", "2", "--max-length", "0,6"},
                                        "der Hund\n")
                                   .toStdString(),
                               "the translations");
  const Json& hypotheses = found.at("translations").at(0).at("hypotheses");
  QCOMPARE(hypotheses.size(), std::size_t(2));
  QVERIFY(hypotheses[0].at("score").get<double>() >= hypotheses[1].at("score").get<double>());
}

void TestFifthPaper::isDrawnInHopWeights() {
  window_->showPerspective("inside");
  HopWeightsPanel* panel = window_->panel<HopWeightsPanel>();
  QTRY_VERIFY_WITH_TIMEOUT(!panel->isEmpty() && panel->isUpToDate(), kPatience);
  QCOMPARE(panel->meanMap()->columns(), QStringList({"hop 1", "hop 2"}));
  const HeatMap& map = panel->meanMap()->maps().at(0);
  QCOMPARE(map.rows.size(), 3);
  for (std::size_t hop = 0; hop < 2; ++hop) {
    float sum = 0;
    for (std::size_t level = 0; level < 3; ++level) sum += map.values.at(level * 2 + hop);
    QVERIFY2(std::abs(sum - 1) < 1e-5, qPrintable(QString::number(sum)));
  }
  QCOMPARE(panel->sentenceMap()->maps().size(), 2);
}

void TestFifthPaper::isListedInLaunch() {
  LaunchPanel* launch = window_->panel<LaunchPanel>();
  window_->showPerspective("train");
  launch->reload();
  QTRY_VERIFY_WITH_TIMEOUT(launch->isUpToDate(), kPatience);
  const auto* presets =
      static_cast<const PresetModel*>(launch->findChild<PresetBox*>("launchPreset")->model());
  const int row = presets->rowOf("fifth/base");
  QVERIFY(row > 0);
  QCOMPARE(presets->index(row - 1, PresetModel::kName).data().toString(), QString("A fifth paper"));
  QTRY_VERIFY_WITH_TIMEOUT(presets->preset(row)->parameters.value_or(0) > 0, kPatience);
  launch->choose("fifth/base", "toy");
  QCOMPARE(launch->request().preset, QString("fifth/base"));
}

STRATA_TEST(TestFifthPaper)
#include "test_fifth_paper.moc"
