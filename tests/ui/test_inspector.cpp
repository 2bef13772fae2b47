#include <QAction>
#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QTreeWidget>
#include <QtTest>

#include "core/base/files.h"
#include "core/run/checkpoint_files.h"
#include "tests/program.h"
#include "tests/ui/window_fixture.h"
#include "ui/window/inspector.h"
#include "ui/window/main_area.h"
#include "ui/window/stage.h"

using namespace strata;
using namespace strata::ui;

// Everything about the current run, at the right of the stage.
class TestInspector : public QObject, private WindowOnWorkspace {
  Q_OBJECT
 private slots:
  void init() { makeWorkspace(); }
  void cleanup() { removeWorkspace(); }
  void itLiesOverANarrowWindowAndBesideAWideOne();
  void itShowsTheCurrentRunAndTheDifferencesFromTheOther();
  void startsAndFinalMetricsDiffer();
  void itSaysWhereTheRunComesFrom();
  void itSaysWhichPairsAreLeftOut();
  void theNoteIsKept();
  void checkpointsArePinnedAndRemoved();
  void aRunThatTrainsKeepsItsCheckpoints();

 private:
  RunSummary train(const std::string& name, double dropout);
  void inspect(qint64 run, qint64 other = 0);
  QAction* action(const char* name) const { return child<QAction>(name); }
};

RunSummary TestInspector::train(const std::string& name, double dropout) {
  Json config = fixture::config();
  config["model"]["dropout"] = dropout;
  const RunSummary run = createRun(*workspace_, {name, config, "mlrf/both-fnn-sa4"});
  RunSession session(*workspace_, run.id, fixture::start());
  fixture::train(session, 10, 100);
  for (const std::int64_t step : {50, 100}) {
    const std::filesystem::path folder = checkpointsFolder(session.folder()) / checkpointName(step);
    std::filesystem::create_directories(folder);
    for (const char* file : {kConfigFile, kModelFile, kTrainingFile})
      writeFileAtomic(folder / file, "{}");
    writeCheckpointManifest(folder, {.step = step, .scores = {{"valid/nll", 4.5 - 0.001 * step}}});
    session.checkpoint({run.id, step, "checkpoints/" + checkpointName(step), true});
  }
  session.end({run.id, 100, RunOutcome::kFinished, ""});
  return run;
}

void TestInspector::inspect(qint64 run, qint64 other) {
  open();
  action("showInspector")->setChecked(true);
  Selection choice{.run = run};
  if (other != 0) choice.other = other;
  window_->panels()->select(choice);
  QTRY_VERIFY(child<QTreeWidget>("inspectorSettings")->topLevelItemCount() > 0);
}

void TestInspector::itLiesOverANarrowWindowAndBesideAWideOne() {
  open();
  window_->resize(1280, 800);
  const int width = window_->stage()->width();
  QTest::keyClick(window_.get(), Qt::Key_F4);
  QVERIFY(window_->area()->inspector()->isVisible());
  QCOMPARE(child<QLabel>("inspectorTitle")->text(), QString("No run is chosen"));
  QCOMPARE(window_->stage()->width(), width);
  window_->resize(1700, 800);
  QTRY_VERIFY(!window_->area()->isInspectorOver());
  QTRY_COMPARE(window_->stage()->width(), width + 420 - MainArea::kInspectorWidth);
  action("closeInspector")->trigger();
  QVERIFY(!window_->area()->inspector()->isVisible());
  QTRY_COMPARE(window_->stage()->width(), width + 420);
}

void TestInspector::itShowsTheCurrentRunAndTheDifferencesFromTheOther() {
  train("base", 0.1);
  train("deep", 0.3);
  inspect(1, 2);
  QCOMPARE(child<QLabel>("inspectorTitle")->text(), QString("base"));
  const QString facts = child<QLabel>("inspectorFacts")->text();
  QVERIFY(facts.contains("finished"));
  QVERIFY(facts.contains("4.4 at step 100"));
  auto* settings = child<QTreeWidget>("inspectorSettings");
  const int all = settings->topLevelItemCount();
  auto* only = child<QCheckBox>("onlyDifferences");
  QCOMPARE(only->text(), QString("only the 1 difference from deep"));
  only->setChecked(true);
  QCOMPARE(settings->topLevelItemCount(), 1);
  QCOMPARE(settings->topLevelItem(0)->text(0), QString("model.dropout"));
  QCOMPARE(settings->topLevelItem(0)->text(1), QString("0.1"));
  QCOMPARE(settings->topLevelItem(0)->text(2), QString("0.3"));
  only->setChecked(false);
  QCOMPARE(settings->topLevelItemCount(), all);
  child<QLineEdit>("inspectorFilter")->setText("fusion.type");
  QCOMPARE(settings->topLevelItemCount(), 2);  // of the encoder and the decoder
}

void TestInspector::startsAndFinalMetricsDiffer() {
  train("base", 0.1);
  RunStart start = fixture::start();
  start.threads = 8;
  {
    RunSession session(*workspace_, createRun(*workspace_, {"long", fixture::config(), ""}).id,
                       start);
    fixture::train(session, 10, 200);
    session.end({session.run(), 200, RunOutcome::kFinished, ""});
  }
  inspect(1, 2);
  child<QCheckBox>("onlyDifferences")->setChecked(true);
  auto* settings = child<QTreeWidget>("inspectorSettings");
  const auto row = [&](const QString& name) -> QStringList {
    const auto found = settings->findItems(name, Qt::MatchExactly);
    return found.isEmpty() ? QStringList() : QStringList{found[0]->text(1), found[0]->text(2)};
  };
  QCOMPARE(row("model.dropout"), (QStringList{"0.1", ""}));
  QCOMPARE(row("last start: threads"), (QStringList{"1", "8"}));
  QCOMPARE(row("best valid/nll"), (QStringList{"4.4", "4.3"}));
  QVERIFY(row("last start: program").isEmpty());
}

void TestInspector::itSaysWhereTheRunComesFrom() {
  const RunSummary run = train("base", 0.1);
  {
    RunStart again = fixture::start();
    again.fromStep = 50;
    again.program = "9.9.9";
    again.processes = 16;
    again.command = "strata-run train --resume base";
    again.datasetDigest = "abcdef0123456789";
    RunSession session(*workspace_, run.id, again);
    session.sample({run.id, "valid", 100, 0, "ein Haus", "a house", "the house"});
    session.end({run.id, 100, RunOutcome::kFinished, ""});
  }
  inspect(1);
  const QString facts = child<QLabel>("inspectorFacts")->text();
  QVERIFY2(facts.contains("resumed from step 50"), qPrintable(facts));
  QVERIFY2(facts.contains("on disk") && facts.contains("checkpoints "), qPrintable(facts));
  const QString starts = child<QLabel>("inspectorStarts")->text();
  for (const char* fact :
       {"9.9.9", "strata-run train --resume base", "abcdef01", "cpu", ">processes<", ">16<"})
    QVERIFY2(starts.contains(fact), qPrintable(starts));
  const QString samples = child<QLabel>("inspectorSamples")->text();
  QVERIFY2(samples.contains("the house") && samples.contains("a house"), qPrintable(samples));
}

// In the words of `runs show` and of the log.
void TestInspector::itSaysWhichPairsAreLeftOut() {
  const RunSummary run = train("base", 0.1);
  RunStart again = fixture::start();
  again.trained = {.pairs = 1200, .leftOut = 12, .longest = 100, .dropped = 1};
  {
    RunSession session(*workspace_, run.id, again);
    session.end({run.id, 100, RunOutcome::kFinished, ""});
  }
  inspect(1);
  const QString text =
      "1200 pairs; 12 are left out: longer than 100 tokens, </s> included (data.max_length, or a "
      "full batch); 1 was dropped when the dataset was prepared: too many units (max_subwords)";
  QCOMPARE(textOf(again.trained), text.toStdString());
  for (const char* label : {"inspectorFacts", "inspectorStarts"}) {
    const QString shown = child<QLabel>(label)->text();
    QVERIFY2(shown.contains(text.toHtmlEscaped()), qPrintable(shown));
    QCOMPARE(shown.count(">trained on<"), 1);  // of the first start it is not known
  }
}

void TestInspector::theNoteIsKept() {
  train("base", 0.1);
  inspect(1);
  auto* note = child<QPlainTextEdit>("inspectorNote");
  window_->activateWindow();
  note->setFocus();
  QTRY_VERIFY(note->hasFocus());
  QTest::keyClicks(note, "for the paper");
  child<QTabWidget>("inspectorTabs")->setFocus();
  QTRY_COMPARE(runById(*workspace_, 1).note, std::string("for the paper"));
  reopen();
  window_->panels()->select({.run = 1});
  QTRY_COMPARE(child<QPlainTextEdit>("inspectorNote")->toPlainText(), QString("for the paper"));
}

void TestInspector::checkpointsArePinnedAndRemoved() {
  const RunSummary run = train("base", 0.1);
  inspect(1);
  auto* list = child<QTreeWidget>("inspectorCheckpoints");
  QCOMPARE(list->topLevelItemCount(), 2);
  QVERIFY(!action("pinCheckpoint")->isEnabled());
  list->setCurrentItem(list->topLevelItem(0));
  action("pinCheckpoint")->trigger();
  QTRY_VERIFY(listCheckpoints(run.folder)[0].pinned);
  QTRY_VERIFY(list->topLevelItem(0)->text(2).contains("pinned"));
  QVERIFY(action("pinCheckpoint")->isChecked());
  list->setCurrentItem(list->topLevelItem(1));
  action("removeCheckpoint")->trigger();
  auto* box = window_->findChild<QMessageBox*>("removeCheckpointBox");
  QVERIFY(box && listCheckpoints(run.folder).size() == 2);  // nothing happens before the answer
  for (QAbstractButton* button : box->buttons()) {
    if (box->buttonRole(button) == QMessageBox::DestructiveRole) button->click();
  }
  QTRY_COMPARE(listCheckpoints(run.folder).size(), std::size_t(1));
  QTRY_COMPARE(list->topLevelItemCount(), 1);
  QCOMPARE(list->topLevelItem(0)->text(0), QString("50"));
}

void TestInspector::aRunThatTrainsKeepsItsCheckpoints() {
  train("base", 0.1);
  RunSession again(*workspace_, 1, fixture::start());
  inspect(1);
  auto* list = child<QTreeWidget>("inspectorCheckpoints");
  list->setCurrentItem(list->topLevelItem(0));
  QTRY_VERIFY(!action("removeCheckpoint")->isEnabled());
  QVERIFY_EXCEPTION_THROWN(removeRunCheckpoint(*workspace_, 1, 50), Error);
  QCOMPARE(listCheckpoints(again.folder()).size(), std::size_t(2));
}

STRATA_TEST(TestInspector)
#include "test_inspector.moc"
