#include <QAbstractButton>
#include <QComboBox>
#include <QLineEdit>
#include <QListWidget>
#include <QSignalSpy>
#include <QSlider>
#include <QSpinBox>
#include <QTableView>
#include <QtTest>

#include "tests/inside/recording_fixture.h"
#include "tests/program.h"
#include "tests/ui/window_fixture.h"
#include "ui/data/text.h"
#include "ui/panels/curves_panel.h"
#include "ui/panels/gradient_flow_panel.h"
#include "ui/panels/hop_weights_panel.h"
#include "ui/panels/log_panel.h"
#include "ui/panels/runs_panel.h"
#include "ui/panels/target_attention_panel.h"
#include "ui/plots/arc_view.h"

using namespace strata;
using namespace strata::ui;

// What holds for every panel of the window: it keeps its state, and follows what is chosen
// elsewhere.
class TestPanels : public QObject, private WindowOnWorkspace {
  Q_OBJECT
 private slots:
  void init() { makeWorkspace(); }
  void cleanup() { removeWorkspace(); }
  void everyPanelKeepsItsSettings();
  void everyPanelKeepsWhatItShows();
  void noPanelReadsAStateOfAnotherShape();
  void panelsFollowTheRunChosenInOneOfThem();
  void aSelectionDropsWhatBelongedToAnotherRun();
};

// Sets one setting of the panel to another than its first value.
static void change(const Panel& panel) {
  const auto other = [](QComboBox* box) { box->setCurrentIndex(box->count() - 1); };
  if (panel.name() == "data") panel.findChild<QLineEdit*>("importName")->setText("mine");
  if (panel.name() == "launch") panel.findChild<QLineEdit*>("launchName")->setText("mine");
  if (panel.name() == "runs") panel.findChild<QLineEdit*>("runsFilter")->setText("base");
  if (panel.name() == "curves") panel.findChild<QSlider*>("curveSmoothing")->setValue(40);
  if (panel.name() == "gradient-flow")
    panel.findChild<QAbstractButton*>("gradientLogarithmic")->toggle();
  if (panel.name() == "histograms") other(panel.findChild<QComboBox*>("histogramKind"));
  if (panel.name() == "hop-weights") panel.findChild<QAbstractButton*>("encoderSide")->click();
  if (panel.name() == "target-attention") panel.findChild<QSpinBox*>("historyLongest")->setValue(7);
  if (panel.name() == "attention") panel.findChild<QAbstractButton*>("attentionSums")->toggle();
  if (panel.name() == "translate") panel.findChild<QSpinBox*>("translateBeam")->setValue(9);
  if (panel.name() == "compare") other(panel.findChild<QComboBox*>("compareTest"));
  if (panel.name() == "samples") panel.findChild<QAbstractButton*>("samplesChanges")->toggle();
  if (panel.name() == "interventions") panel.findChild<QSpinBox*>("effectsLimit")->setValue(7);
  if (panel.name() == "readers") panel.findChild<QSpinBox*>("readersLimit")->setValue(7);
  if (panel.name() == "layers") panel.findChild<QSpinBox*>("layersLimit")->setValue(7);
  if (panel.name() == "monitor") panel.findChild<QSpinBox*>("monitorValidations")->setValue(3);
  if (panel.name() == "sweeps") panel.findChild<QLineEdit*>("sweepsFilter")->setText("base");
  if (panel.name() == "papers") panel.findChild<QSpinBox*>("papersSeeds")->setValue(5);
  if (panel.name() == "log") panel.findChild<QLineEdit*>("logFilter")->setText("loss");
}

void TestPanels::everyPanelKeepsItsSettings() {
  open();
  QMap<QString, Json> changed;
  for (Panel* panel : window_->panels()->all()) {
    const Json before = panel->saveState();
    change(*panel);
    QVERIFY2(panel->saveState() != before,
             qPrintable(panel->name() + " has no setting, or this test does not change one"));
    changed.insert(panel->name(), panel->saveState());
  }
  reopen();
  for (Panel* panel : window_->panels()->all()) {
    const std::string now = panel->saveState().dump(), then = changed[panel->name()].dump();
    QVERIFY2(now == then, (toStd(panel->name()) + ": " + now + " instead of " + then).c_str());
  }
}

// Runs, steps and sentences arrive after the states have been read.
void TestPanels::everyPanelKeepsWhatItShows() {
  for (const char* name : {"first", "second", "looks back"}) {
    const RunSummary run = fixture::makeRun(*workspace_, name);
    RunSession session(*workspace_, run.id, fixture::start());
    fixture::train(session, 10, 200);
    if (run.name == "looks back") {
      const std::string at = "recordings/step-200";
      writeRecordings(session.folder() / at, {fixture::gateSentence(0), fixture::jointSentence(1)});
      session.recording({run.id, 200, at});
    } else {
      fixture::record(session, 100, 0);
      fixture::record(session, 200, 2);
    }
    session.end({run.id, 200, RunOutcome::kFinished, ""});
  }
  const auto arrived = [this] {
    const auto* hops = window_->panel<HopWeightsPanel>();
    const auto* attention = window_->panel<TargetAttentionPanel>();
    return !hops->isEmpty() && hops->isUpToDate() && !attention->isEmpty() &&
           attention->isUpToDate();
  };
  open();
  window_->showPerspective("inside");
  QTRY_VERIFY(arrived());
  child<QListWidget>("historySentences")->setCurrentRow(1);
  window_->panel<TargetAttentionPanel>()->setPinned(true);  // to the only run that looks back
  window_->panels()->select({.drawn = QVector<qint64>{1}, .run = 1});
  child<QSlider>("hopStep")->setValue(0);
  QTRY_VERIFY(arrived());
  child<QListWidget>("hopSentences")->setCurrentRow(1);
  auto* series = child<QListWidget>("curveSeries");
  QTRY_VERIFY(!series->findItems("lr", Qt::MatchExactly).isEmpty());
  window_->panel<CurvesPanel>()->showSeries({"lr"});
  QMap<QString, Json> shown;
  for (Panel* panel : window_->panels()->all()) shown.insert(panel->name(), panel->saveState());
  reopen();
  QTRY_VERIFY(arrived());
  QTRY_VERIFY(window_->panel<CurvesPanel>()->series({1, "lr"}));
  QVERIFY(!window_->panel<CurvesPanel>()->series({2, "lr"}));
  QCOMPARE(child<QComboBox>("hopRun")->currentText(), QString("first"));
  QCOMPARE(child<QSlider>("hopStep")->value(), 0);
  QCOMPARE(child<QListWidget>("hopSentences")->currentRow(), 1);
  QCOMPARE(child<QListWidget>("historySentences")->currentRow(), 1);
  QCOMPARE(child<QComboBox>("logRun")->currentText(), QString("first"));
  QVERIFY(window_->panel<TargetAttentionPanel>()->isPinned());
  QVERIFY(!window_->panel<HopWeightsPanel>()->isPinned());
  for (Panel* panel : window_->panels()->all()) {
    const std::string now = panel->saveState().dump(), then = shown[panel->name()].dump();
    QVERIFY2(now == then, (toStd(panel->name()) + ": " + now + " instead of " + then).c_str());
  }
}

void TestPanels::noPanelReadsAStateOfAnotherShape() {
  open();
  for (Panel* panel : window_->panels()->all()) {
    const Json before = panel->saveState();
    Json damaged = Json::object();
    for (const auto& [key, value] : before.items()) damaged[key] = Json::array({Json::object()});
    for (const Json& state : {Json(nullptr), Json(3), Json::array(), damaged})
      panel->restoreState(state);
    QVERIFY2(panel->saveState() == before, qPrintable(panel->name()));
  }
}

void TestPanels::panelsFollowTheRunChosenInOneOfThem() {
  fixture::makeThreeRuns(*workspace_);
  open();
  QTRY_COMPARE(child<QComboBox>("logRun")->currentText(), QString("third"));
  QTRY_COMPARE(child<QComboBox>("hopRun")->currentText(), QString("third"));
  QCOMPARE(child<QComboBox>("gradientFirstRun")->currentText(), QString("third"));
  QSignalSpy chosen(window_->panel<LogPanel>(), &Panel::selected);
  auto* runs = child<QComboBox>("logRun");
  runs->setCurrentIndex(1);  // not by the user: nobody follows
  QCOMPARE(chosen.size(), 0);
  emit runs->activated(1);
  QCOMPARE(chosen.size(), 1);
  QCOMPARE(chosen[0][0].value<Selection>(), Selection{.run = 2});
  QCOMPARE(child<QComboBox>("gradientFirstRun")->currentText(), QString("second"));
  QCOMPARE(child<QComboBox>("hopRun")->currentText(), QString("second"));
  QCOMPARE(window_->panels()->selection().run, std::optional<qint64>(2));
  // A step is shown by the panels that show its run; a run of the table is also drawn.
  child<QSlider>("hopStep")->setValue(0);
  QCOMPARE(window_->panels()->selection().step, std::optional<qint64>(50));
  auto* table = window_->panel<RunsPanel>()->table();
  emit table->activated(table->model()->index(2, 0));
  QCOMPARE(window_->perspective(), QString("watch"));
  QCOMPARE(window_->panels()->selection(),
           (Selection{.drawn = QVector<qint64>{1}, .run = 1}));  // another run: no step
  QCOMPARE(runs->currentText(), QString("first"));
  QCOMPARE(chosen.size(), 1);  // who follows chooses nothing
  QVERIFY(window_->panel<CurvesPanel>()->watched().contains({1, QString()}));
  QVERIFY(!window_->panel<CurvesPanel>()->watched().contains({3, QString()}));
}

void TestPanels::aSelectionDropsWhatBelongedToAnotherRun() {
  const Selection before{.drawn = QVector<qint64>{1, 2},
                         .run = 1,
                         .other = 2,
                         .step = 100,
                         .checkpoint = "best",
                         .testSet = "toy/test",
                         .sentence = "ein Haus",
                         .hypothesis = 2,
                         .word = 4};
  QCOMPARE(before.after({}), before);
  QCOMPARE(before.after({.run = 1}), before);
  QCOMPARE(before.after({.run = 2}), (Selection{.drawn = QVector<qint64>{1, 2},
                                                .run = 2,
                                                .other = 2,
                                                .testSet = "toy/test",
                                                .sentence = "ein Haus"}));
  Selection wanted = before;
  wanted.hypothesis = 0;
  wanted.word = {};
  QCOMPARE(before.after({.hypothesis = 0}), wanted);
  wanted.sentence = "eine Maus";
  wanted.hypothesis = {};
  QCOMPARE(before.after({.sentence = "eine Maus"}), wanted);
  wanted.word = 3;
  QCOMPARE(before.after({.sentence = "eine Maus", .word = 3}), wanted);
}

STRATA_TEST(TestPanels)
#include "test_panels.moc"
