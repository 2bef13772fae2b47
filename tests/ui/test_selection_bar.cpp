#include <QAction>
#include <QComboBox>
#include <QLineEdit>
#include <QListView>
#include <QSlider>
#include <QToolButton>
#include <QtTest>

#include "tests/ui/window_fixture.h"
#include "ui/data/selection_history.h"
#include "ui/panels/hop_weights_panel.h"
#include "ui/panels/log_panel.h"
#include "ui/widgets/choice_popup.h"
#include "ui/window/view_tabs.h"

using namespace strata;
using namespace strata::ui;

// What is chosen for the window, and how the user walks through it.
class TestSelectionBar : public QObject, private WindowOnWorkspace {
  Q_OBJECT
 private slots:
  void init() { makeWorkspace(); }
  void cleanup() { removeWorkspace(); }
  void historyForgetsWhatWasGoneBackFrom();
  void chipsSayWhatIsChosen();
  void aRunIsChosenByTyping();
  void stepsBackAndForwardReachThePanels();
  void aPinnedPanelStays();

 private:
  void makeRuns();
  QString chip(const char* name) const { return child<QToolButton>(name)->text(); }
  ChoicePopup* popup() const { return window_->findChild<ChoicePopup*>(); }
};

void TestSelectionBar::historyForgetsWhatWasGoneBackFrom() {
  SelectionHistory history;
  QVERIFY(!history.canGoBack() && !history.canGoForward());
  for (const qint64 run : {1, 2, 2, 3}) history.add({.run = run});
  QCOMPARE(history.back().run, std::optional<qint64>(2));  // 2 was added once
  QCOMPARE(history.back().run, std::optional<qint64>(1));
  QVERIFY(!history.canGoBack());
  QCOMPARE(history.forward().run, std::optional<qint64>(2));
  history.add({.run = 4});
  QVERIFY(!history.canGoForward());
  QCOMPARE(history.back().run, std::optional<qint64>(2));
  for (qint64 run = 10; run < 1010; ++run) history.add({.run = run});
  int steps = 0;
  for (; history.canGoBack(); ++steps) history.back();
  QCOMPARE(steps, 199);
}

void TestSelectionBar::makeRuns() {
  for (const char* name : {"first", "second", "third"}) {
    const RunSummary run = fixture::makeRun(*workspace_, name);
    RunSession session(*workspace_, run.id, fixture::start());
    fixture::train(session, 10, 100);
    fixture::record(session, 50, 1);
    fixture::record(session, 100, 1);
    session.end({run.id, 100, RunOutcome::kFinished, ""});
  }
  open();
  QTRY_COMPARE(child<QComboBox>("hopRun")->currentText(), QString("third"));
}

void TestSelectionBar::chipsSayWhatIsChosen() {
  makeRuns();
  QCOMPARE(chip("runChip"), QString("third"));  // the newest
  window_->panels()->select({.run = 2, .sentence = "ein Haus am See", .hypothesis = 1, .word = 3});
  QCOMPARE(chip("runChip"), QString("second"));
  QCOMPARE(chip("otherChip"), QString("compare with…"));
  QCOMPARE(chip("stepChip"), QString("newest step"));
  QCOMPARE(chip("sentenceChip"), QString("ein Haus am See"));
  QCOMPARE(chip("hypothesisChip"), QString("translation 2"));
  QCOMPARE(chip("wordChip"), QString("word 4"));
  window_->panels()->select({.other = 1, .step = 50});
  QCOMPARE(chip("otherChip"), QString("vs first"));
  QCOMPARE(chip("stepChip"), QString("step 50"));
  child<QToolButton>("stepChip")->click();
  QVERIFY(popup());
  QCOMPARE(popup()->findChild<QListView*>()->model()->rowCount(), 2);
  emit popup()->chosen(1);
  QCOMPARE(window_->panels()->selection().step, std::optional<qint64>(100));
  QTRY_COMPARE(child<QSlider>("hopStep")->value(), 1);
}

void TestSelectionBar::aRunIsChosenByTyping() {
  for (int i = 0; i < 40; ++i) fixture::makeRun(*workspace_, "run-" + std::to_string(i));
  open();
  QTRY_COMPARE(int(window_->rows().size()), 40);
  child<QToolButton>("runChip")->click();
  auto* filter = popup()->findChild<QLineEdit*>();
  auto* list = popup()->findChild<QListView*>();
  QVERIFY(filter->isVisible());
  QCOMPARE(list->model()->rowCount(), 40);
  filter->setText("RUN-3");  // 3 and 30 to 39, the newest first
  QCOMPARE(list->model()->rowCount(), 11);
  QTest::keyClick(filter, Qt::Key_Down);
  QTest::keyClick(filter, Qt::Key_Return);
  QCOMPARE(chip("runChip"), QString("run-38"));
  QTRY_VERIFY(!popup());
}

void TestSelectionBar::stepsBackAndForwardReachThePanels() {
  makeRuns();
  auto* back = child<QAction>("selectionBack");
  auto* forward = child<QAction>("selectionForward");
  QVERIFY(!back->isEnabled() && !forward->isEnabled());
  window_->panels()->select({.run = 1});
  window_->panels()->select({.step = 50});
  window_->panels()->select({.run = 2});
  QCOMPARE(child<QComboBox>("hopRun")->currentText(), QString("second"));
  back->trigger();
  QCOMPARE(child<QComboBox>("hopRun")->currentText(), QString("first"));
  QCOMPARE(chip("stepChip"), QString("step 50"));
  QTRY_COMPARE(child<QSlider>("hopStep")->value(), 0);
  back->trigger();
  QCOMPARE(chip("stepChip"), QString("newest step"));
  back->trigger();  // the first run, which nobody chose
  QVERIFY(!back->isEnabled());
  QCOMPARE(chip("runChip"), QString("third"));
  forward->trigger();
  forward->trigger();
  forward->trigger();
  QCOMPARE(child<QComboBox>("hopRun")->currentText(), QString("second"));
  QVERIFY(!forward->isEnabled());
}

void TestSelectionBar::aPinnedPanelStays() {
  makeRuns();
  window_->showPerspective("inside");
  auto* hops = window_->panel<HopWeightsPanel>();
  auto* tabs = qobject_cast<ViewTabs*>(hops->parentWidget()->parentWidget());
  auto* pin = tabs->findChild<QToolButton*>("pinView");
  pin->click();
  QVERIFY(hops->isPinned());
  window_->panels()->select({.run = 1});
  QCOMPARE(child<QComboBox>("hopRun")->currentText(), QString("third"));
  QCOMPARE(child<QComboBox>("logRun")->currentText(), QString("first"));
  tabs->setCurrentIndex(1);  // the pin is the view's, not the tabs'
  QVERIFY(!pin->isChecked());
  tabs->setCurrentIndex(0);
  QVERIFY(pin->isChecked());
  pin->click();
  window_->panels()->select({.run = 2});
  QCOMPARE(child<QComboBox>("hopRun")->currentText(), QString("second"));
}

QTEST_MAIN(TestSelectionBar)
#include "test_selection_bar.moc"
