#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QListWidget>
#include <QSlider>
#include <QToolButton>
#include <QtTest>

#include "core/data/generator/dataset.h"
#include "tests/program.h"
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
  void chipsAreThoseOfThePerspective();
  void theSliderStopsAtEveryRecordedStep();
  void aViewSaysWhichStepItShows();
  void sentencesComeFromTheViews();
  void setsComeFromTheWorkspace();

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
  fixture::makeThreeRuns(*workspace_);
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

void TestSelectionBar::chipsAreThoseOfThePerspective() {
  makeRuns();
  window_->panels()->select({.other = 1, .sentence = "ein Haus am See"});
  const QStringList all{"runChip", "otherChip",    "stepChip",       "stepSlider",
                        "setChip", "sentenceChip", "hypothesisChip", "wordChip"};
  const auto visible = [&](const char* perspective) {
    window_->showPerspective(perspective);
    QStringList found;
    for (const QString& name : all) {
      if (window_->findChild<QWidget*>(name)->isVisible()) found << name;
    }
    return found;
  };
  QCOMPARE(visible("prepare"), QStringList{"setChip"});
  QCOMPARE(visible("train"), QStringList{"runChip"});
  QCOMPARE(visible("watch"),
           QStringList({"runChip", "otherChip", "stepChip", "stepSlider", "sentenceChip"}));
  QCOMPARE(visible("inside"), QStringList({"runChip", "otherChip", "stepChip", "stepSlider",
                                           "sentenceChip", "hypothesisChip", "wordChip"}));
  QCOMPARE(visible("compare"), QStringList({"runChip", "otherChip", "setChip", "sentenceChip"}));
  window_->resize(1280, 800);
  window_->showPerspective("inside");
  QVERIFY(child<QWidget>("selectionBar")->rect().contains(child<QWidget>("wordChip")->geometry()));
}

void TestSelectionBar::theSliderStopsAtEveryRecordedStep() {
  makeRuns();
  window_->showPerspective("inside");
  auto* slider = child<QSlider>("stepSlider");
  QCOMPARE(slider->maximum(), 1);
  QCOMPARE(slider->value(), 1);  // the newest
  QCOMPARE(chip("stepChip"), QString("newest step"));
  slider->setFocus();
  QTest::keyClick(slider, Qt::Key_Left);
  QTRY_COMPARE(window_->panels()->selection().step, std::optional<qint64>(50));
  QCOMPARE(chip("stepChip"), QString("step 50"));
  QCOMPARE(child<QSlider>("hopStep")->value(), 0);
  QCOMPARE(child<QSlider>("attentionStep")->value(), 0);
  child<QAction>("selectionBack")->trigger();
  QCOMPARE(slider->value(), 1);
  // A movement with the mouse is one choice, whatever it passes.
  slider->setSliderDown(true);
  for (const int value : {0, 1, 0}) {
    slider->setSliderPosition(value);
    QTest::qWait(100);
  }
  slider->setSliderDown(false);
  QTRY_COMPARE(window_->panels()->selection().step, std::optional<qint64>(50));
  child<QAction>("selectionBack")->trigger();
  QVERIFY(!window_->panels()->selection().step);
  // A recording that comes later lengthens it.
  RunSession session(*workspace_, 3, fixture::start());
  fixture::record(session, 150, 1);
  QTRY_COMPARE(slider->maximum(), 2);
  QCOMPARE(slider->value(), 2);
  window_->showPerspective("train");
  QVERIFY(!slider->isVisible());
}

void TestSelectionBar::aViewSaysWhichStepItShows() {
  makeRuns();
  window_->showPerspective("inside");
  const auto shown = [this] { return child<QLabel>("hopStepLabel")->text(); };
  QTRY_COMPARE(shown(), QString("step 100 (2 of 2)"));
  window_->panels()->select({.step = 70});  // between two, as a point of a curve may be
  QCOMPARE(shown(), QString("step 50 (1 of 2), nearest to 70"));
  QCOMPARE(child<QSlider>("stepSlider")->value(), 0);
  window_->panels()->select({.step = 10});
  QCOMPARE(shown(), QString("step 50 (1 of 2), nearest to 10"));
  window_->panels()->select({.step = 100});
  QCOMPARE(shown(), QString("step 100 (2 of 2)"));
}

void TestSelectionBar::sentencesComeFromTheViews() {
  makeRuns();
  window_->bringUp("attention");
  QTRY_VERIFY(child<QListWidget>("attentionSentences")->count() == 2);
  child<QToolButton>("sentenceChip")->click();
  const auto* list = popup()->findChild<QListView*>();
  const QString second = child<QListWidget>("attentionSentences")->item(1)->text();
  QStringList offered;
  for (int row = 0; row < list->model()->rowCount(); ++row)
    offered << list->model()->index(row, 0).data().toString();
  const auto at = offered.indexOf(second);
  QVERIFY2(at >= 0, qPrintable(offered.join("; ")));
  emit popup()->chosen(int(at));
  popup()->close();
  QCOMPARE(window_->panels()->selection().sentence, std::optional(second));
  QCOMPARE(chip("sentenceChip"), second);
  // Without a translation there is no word yet: the bar says how to get one.
  QTRY_VERIFY(!popup());
  child<QToolButton>("wordChip")->click();
  QVERIFY(popup()->findChild<QLabel*>("choiceEmpty")->text().startsWith("Translate a sentence"));
}

void TestSelectionBar::setsComeFromTheWorkspace() {
  generator::GeneratorOptions options;
  options.size = 40;
  for (const char* name : {"first", "second"})
    generator::generateDataset(workspace_->datasetsFolder(), name, options, false);
  open();
  window_->showPerspective("prepare");
  auto* datasets = child<QListWidget>("dataList");
  QTRY_COMPARE(datasets->count(), 2);
  QCOMPARE(chip("setChip"), QString("choose a set"));
  child<QToolButton>("setChip")->click();
  emit popup()->chosen(1);
  popup()->close();
  QCOMPARE(chip("setChip"), QString("second"));
  QCOMPARE(datasets->currentItem()->text(), QString("second"));
  QTRY_VERIFY(!popup());
  QTest::mouseClick(datasets->viewport(), Qt::LeftButton, {},
                    datasets->visualItemRect(datasets->item(0)).center());
  QCOMPARE(chip("setChip"), QString("first"));
  child<QAction>("selectionBack")->trigger();
  QCOMPARE(datasets->currentItem()->text(), QString("second"));
  window_->showPerspective("compare");
  const auto offered = [this] {
    child<QToolButton>("setChip")->click();
    const int rows = popup()->findChild<QListView*>()->model()->rowCount();
    popup()->close();
    return rows;
  };
  QTRY_VERIFY(offered() >= 4);  // valid and test of each
}

STRATA_TEST(TestSelectionBar)
#include "test_selection_bar.moc"
