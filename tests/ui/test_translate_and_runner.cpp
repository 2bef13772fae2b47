#include <QClipboard>
#include <QGuiApplication>
#include <QInputDialog>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableWidget>
#include <QToolButton>
#include <QTreeWidget>
#include <QtTest>

#include "core/base/files.h"
#include "tests/program.h"
#include "tests/ui/trained_window.h"
#include "ui/data/job_list.h"
#include "ui/panels/runs_model.h"
#include "ui/panels/runs_panel.h"
#include "ui/panels/translate_panel.h"
#include "ui/plots/heat_map.h"
#include "ui/widgets/choice_popup.h"
#include "ui/widgets/hypothesis_tree_view.h"
#include "ui/widgets/notice_bar.h"
#include "ui/widgets/token_strip.h"

using namespace strata;
using namespace strata::ui;

// Translate and what is done with a finished run in the real window, next to what the real program
// prints and does.
class TestTranslateAndRunner : public QObject, private TrainedWindow {
  Q_OBJECT
 private slots:
  void initTestCase();
  void pastedLinesAreSentences();
  void manyHopsCutNothing();
  void anotherWordBeginsTheTranslation();
  void theBarChoosesTranslationAndWord();
  void aWordIsDroppedOrSwapped();
  void aRefusedTextLeavesNoOldTranslation();
  void checkpointsAreAveraged();
  void aFinishedRunGoesOn();  // it has more checkpoints then

 private:
  TranslatePanel* translation() const { return window_->panel<TranslatePanel>(); }
};

void TestTranslateAndRunner::initTestCase() {
  Trained run = families()[0];
  run.settings << "checkpoint.keep_last=5";
  TrainedWindow::open({run});
  if (QTest::currentTestFailed()) return;
  window_->panels()->select({.run = idOf(run.name)});
}

void TestTranslateAndRunner::pastedLinesAreSentences() {
  raise("translate");
  translation()->findChild<QSpinBox*>("translateNbest")->setValue(2);
  translation()->findChild<QSpinBox*>("translateBeam")->setValue(2);
  translation()->setText("ein Hund .\n\n  die Katze  schläft .\nein Hund .\n");
  translation()->translate();
  QTRY_VERIFY_WITH_TIMEOUT(!translation()->isBusy(), kPatience);
  QCOMPARE(translation()->sentences(),
           QStringList({"ein Hund .", "die Katze schläft .", "ein Hund ."}));
  auto* table = child<QTableWidget>("translateSentences");
  QVERIFY(table->isVisible());
  const QList<QByteArray> lines = outputOfCopied(translation()).trimmed().split('\n');
  QCOMPARE(lines.size(), 6);  // three sentences, two alternatives of each
  for (int row = 0; row < 3; ++row) {
    table->setCurrentCell(row, 0);
    QCOMPARE(translation()->hypotheses().size(), std::size_t(2));
    for (int rank = 0; rank < 2; ++rank) {
      const QString line = QString::fromUtf8(lines[2 * row + rank]);
      QCOMPARE(line, QStringLiteral("%1\t%2\t%3")
                         .arg(row + 1)
                         .arg(rank + 1)
                         .arg(qs(translation()->hypotheses()[std::size_t(rank)].text)));
    }
  }
  QVERIFY(child<HypothesisTreeView>("translateTree")->topLevelItemCount() > 0);
}

// The hops of many words scroll by themselves, and the rest is as wide as the panel.
void TestTranslateAndRunner::manyHopsCutNothing() {
  raise("translate");
  translation()->setText("die Katze schläft .");
  translation()->translate();
  QTRY_VERIFY_WITH_TIMEOUT(!translation()->isBusy(), kPatience);
  QStringList words;
  for (int i = 0; i < 100; ++i) words << QString("word%1").arg(i);
  auto* map = child<HeatMapView>("translateHopMap");
  QVERIFY(map->isVisible());
  map->setMaps(words, {{.title = "hop 1", .rows = {"layer 1"}, .values = std::vector<float>(100)}});
  auto* page = translation()->findChild<QScrollArea*>();
  auto* part = map->parentWidget()->parentWidget();
  QTRY_VERIFY(map->width() > page->width());
  QCOMPARE(page->horizontalScrollBar()->maximum(), 0);
  QVERIFY(part->height() >= map->height());
  map->setFocus();
  QTest::keyClick(map, Qt::Key_End, Qt::ControlModifier);
  QVERIFY(qobject_cast<QScrollArea*>(part)->horizontalScrollBar()->value() > 0);
}

void TestTranslateAndRunner::anotherWordBeginsTheTranslation() {
  raise("translate");
  translation()->setText("ein Hund .");
  translation()->translate();
  QTRY_VERIFY_WITH_TIMEOUT(!translation()->isBusy(), kPatience);
  auto* strip = child<TokenStrip>("translateTokens");
  strip->setFocus();
  QTest::keyClick(strip, Qt::Key_Right);
  QTest::keyClick(strip, Qt::Key_Left);
  QTest::keyClick(strip, Qt::Key_Return);
  auto* words = child<QTableWidget>("translateNextWords");
  QTRY_VERIFY_WITH_TIMEOUT(words->rowCount() == 12, kPatience);
  double sum = 0;
  for (int row = 0; row < 12; ++row) sum += words->item(row, 1)->text().toDouble();
  QVERIFY(sum > 0 && sum < 1.01);
  const QString word = words->item(5, 0)->text();
  emit words->cellActivated(5, 0);
  QTRY_VERIFY_WITH_TIMEOUT(!translation()->isBusy(), kPatience);
  QCOMPARE(qs(translation()->hypotheses().front().words.front()), word);
  auto* begins = child<NoticeBar>("translateBegins");
  QVERIFY(begins->text().startsWith("Begins with: "));
  QTest::mouseClick(begins->findChild<QPushButton*>("translateFreely"), Qt::LeftButton);
  QTRY_VERIFY_WITH_TIMEOUT(!translation()->isBusy(), kPatience);
  QVERIFY(begins->text().isEmpty());
}

void TestTranslateAndRunner::theBarChoosesTranslationAndWord() {
  raise("translate");
  translation()->findChild<QSpinBox*>("translateNbest")->setValue(2);
  translation()->findChild<QSpinBox*>("translateBeam")->setValue(2);
  translation()->setText("ein Hund .");
  translation()->translate();
  QTRY_VERIFY_WITH_TIMEOUT(!translation()->isBusy(), kPatience);
  QCOMPARE(child<QToolButton>("sentenceChip")->text(), QString("ein Hund ."));
  const auto choose = [this](const char* chip, int index) {
    child<QToolButton>(chip)->click();
    auto* popup = window_->findChild<ChoicePopup*>();
    const auto* model = popup->findChild<QListView*>()->model();
    QStringList texts;
    for (int row = 0; row < model->rowCount(); ++row)
      texts << model->index(row, 0).data().toString();
    popup->close();
    emit popup->chosen(index);
    [&] { QTRY_VERIFY(!window_->findChild<ChoicePopup*>()); }();
    return texts;
  };
  const QStringList texts = choose("hypothesisChip", 1);
  QCOMPARE(texts.size(), 2);
  QCOMPARE(texts[1], qs(translation()->hypotheses()[1].text));
  QCOMPARE(child<QTableWidget>("translateTable")->currentRow(), 1);
  QCOMPARE(child<QToolButton>("hypothesisChip")->text(), QString("translation 2"));
  const QStringList words = choose("wordChip", 0);
  QVERIFY(!words.isEmpty() && !words.contains("</s>"));
  const auto* strip = child<TokenStrip>("translateTokens");
  QCOMPARE(strip->current(), 0);
  QVERIFY(words[0].startsWith(QString(strip->tokens()[0]).remove("@@")));
  QCOMPARE(child<QToolButton>("wordChip")->text(), QString("word 1"));
  child<QAction>("selectionBack")->trigger();  // to no word
  QVERIFY(!window_->panels()->selection().word);
  QCOMPARE(window_->panels()->selection().hypothesis, std::optional(1));
  child<QAction>("selectionForward")->trigger();
  QCOMPARE(window_->panels()->selection().word, std::optional(0));
  QVERIFY(!translation()->isBusy());  // the sentence is translated already
  // Of a sentence that is yet to be translated.
  window_->panels()->select({.sentence = "ein Hund schläft .", .hypothesis = 1, .word = 0});
  QVERIFY(!translation()->isUpToDate());
  QTRY_VERIFY_WITH_TIMEOUT(translation()->isUpToDate(), kPatience);
  QCOMPARE(child<QTableWidget>("translateTable")->currentRow(), 1);
  QCOMPARE(strip->current(), 0);
  QCOMPARE(window_->panels()->selection().hypothesis, std::optional(1));
}

void TestTranslateAndRunner::aWordIsDroppedOrSwapped() {
  raise("translate");
  translation()->setText("ein Hund schläft .");
  translation()->translate();
  QTRY_VERIFY_WITH_TIMEOUT(!translation()->isBusy(), kPatience);
  auto* words = child<TokenStrip>("translateWords");
  QCOMPARE(words->tokens(), QStringList({"ein", "Hund", "schläft", "."}));
  emit words->chosen(1);
  child<QMenu>("translateEdits")->actions()[1]->trigger();
  QCOMPARE(translation()->sentences(), QStringList{"ein schläft Hund ."});
  QTRY_VERIFY_WITH_TIMEOUT(!translation()->isBusy(), kPatience);
  child<QMenu>("translateEdits")->close();
  QTRY_VERIFY(!child<QMenu>("translateEdits"));
  emit words->chosen(0);
  child<QMenu>("translateEdits")->actions()[0]->trigger();
  QCOMPARE(translation()->sentences(), QStringList{"schläft Hund ."});
  QTRY_VERIFY_WITH_TIMEOUT(!translation()->isBusy(), kPatience);
  QCOMPARE(child<QPlainTextEdit>("translateSource")->toPlainText(), QString("schläft Hund ."));
  // The text as it was is in the history; the one that is kept stands before it.
  auto* menu = child<QMenu>("translateHistoryMenu");
  const auto texts = [&] {
    emit menu->aboutToShow();
    QStringList listed;
    for (const QAction* each : menu->actions()) {
      if (!each->isSeparator() && !each->isCheckable()) listed << each->text();
    }
    return listed;
  };
  QCOMPARE(texts().value(0), QString("ein Hund schläft ."));
  menu->findChild<QAction*>("translateKeep")->trigger();
  QCOMPARE(texts().mid(0, 2), (QStringList{"schläft Hund .", "ein Hund schläft ."}));
  QVERIFY(menu->findChild<QAction*>("translateKeep")->isChecked());
  menu->findChild<QAction*>("translateKeep")->trigger();
  QCOMPARE(texts().value(0), QString("ein Hund schläft ."));
}

void TestTranslateAndRunner::aRefusedTextLeavesNoOldTranslation() {
  raise("translate");
  translation()->setText("ein Hund .");
  translation()->translate();
  QTRY_VERIFY_WITH_TIMEOUT(!translation()->isBusy(), kPatience);
  QVERIFY(!translation()->hypotheses().empty());
  translation()->setText(QString("Hund ").repeated(1100));
  translation()->translate();
  QTRY_VERIFY_WITH_TIMEOUT(!translation()->isBusy(), kPatience);
  QVERIFY(child<QLabel>("translateBest")->text().isEmpty());
  QCOMPARE(child<QTableWidget>("translateTable")->rowCount(), 0);
  QVERIFY(child<TokenStrip>("translateTokens")->tokens().isEmpty());
  const QString said = child<NoticeBar>("translateRefused")->text();
  QVERIFY2(said.contains("tokens, 1024 are allowed"), qPrintable(said));
}

// From the inspector, as a job; the model is the one that the command line makes.
void TestTranslateAndRunner::checkpointsAreAveraged() {
  child<QAction>("showInspector")->setChecked(true);
  window_->panels()->select({.run = idOf("mlrf-dec-sa4-zhen.toy.s1")});
  auto* list = child<QTreeWidget>("inspectorCheckpoints");
  QTRY_COMPARE(list->topLevelItemCount(), 3);
  child<QTabWidget>("inspectorTabs")->setCurrentIndex(2);
  auto* average = child<QAction>("averageCheckpoints");
  list->setCurrentItem(list->topLevelItem(0));
  QVERIFY(!average->isEnabled());  // one is no average
  list->topLevelItem(1)->setSelected(true);
  QVERIFY(average->isEnabled() && !child<QAction>("pinCheckpoint")->isEnabled());
  average->trigger();
  QCOMPARE(window_->jobs()->rows().size(), 1);
  QCOMPARE(window_->jobs()->rows()[0].name,
           QString("Average of 2 checkpoints of mlrf-dec-sa4-zhen.toy.s1"));
  QTRY_COMPARE_WITH_TIMEOUT(list->topLevelItemCount(), 4, kPatience);
  QVERIFY(window_->jobs()->rows().isEmpty());
  QCOMPARE(list->topLevelItem(3)->text(0), QString("20 + 40"));
  const fs::path folder =
      printed({"runs", "show", "mlrf-dec-sa4-zhen.toy.s1"}).at("folder").get<std::string>();
  outputOf({"average", "--run", "mlrf-dec-sa4-zhen.toy.s1", "--steps", "40,20", "--output",
            path("average")});
  const auto model = [](const fs::path& of) { return readFile(of / "model.safetensors"); };
  QVERIFY(model(folder / "averages/steps-20-40") == model(toStd(path("average"))));
  QVERIFY(model(folder / "averages/steps-20-40") != model(folder / "checkpoints/step-00000020"));
  // It can be opened: to look at its files, and to translate.
  list->clearSelection();
  list->setCurrentItem(list->topLevelItem(3));
  QVERIFY(child<QAction>("openCheckpoint")->isEnabled());
  QVERIFY(!outputOf({"translate", "--model", qs((folder / "averages/steps-20-40").string()),
                     "--beam", "1", "--max-length", "0,12"},
                    "ein Hund .\n")
               .isEmpty());
  // The copied line does the same for others.
  list->clearSelection();
  for (const int row : {1, 2}) list->topLevelItem(row)->setSelected(true);
  child<QAction>("copyAverage")->trigger();
  QCOMPARE(QProcess::execute("bash", {"-c", QGuiApplication::clipboard()->text()}), 0);
  QVERIFY(fs::exists(folder / "averages/steps-40-60/model.safetensors"));
  // Deleting one leaves the checkpoints.
  child<QAction>("showInspector")->setChecked(false);
  child<QAction>("showInspector")->setChecked(true);
  QTRY_COMPARE(list->topLevelItemCount(), 5);
  list->clearSelection();
  list->setCurrentItem(list->topLevelItem(4));
  child<QAction>("removeCheckpoint")->trigger();
  auto* box = window_->findChild<QMessageBox*>("removeCheckpointBox");
  for (QAbstractButton* button : box->buttons()) {
    if (box->buttonRole(button) == QMessageBox::DestructiveRole) button->click();
  }
  QTRY_COMPARE(list->topLevelItemCount(), 4);
  QVERIFY(!fs::exists(folder / "averages/steps-40-60"));
  QVERIFY(fs::exists(folder / "checkpoints/step-00000060"));
  child<QAction>("showInspector")->setChecked(false);
}

void TestTranslateAndRunner::aFinishedRunGoesOn() {
  const QString run = families()[0].name;
  window_->showPerspective("watch");
  auto* runs = window_->panel<RunsPanel>();
  runs->selectRun(idOf(run));
  auto* more = runs->findChild<QAction*>("continueRun");
  QTRY_VERIFY(more->isEnabled());
  const qint64 made = runs->model()->run(idOf(run))->step;
  more->trigger();
  auto* dialog = runs->findChild<QInputDialog*>("continueDialog");
  QVERIFY(dialog && dialog->labelText().contains(QString::number(made)));
  QCOMPARE(dialog->intMinimum(), int(made) + 1);
  dialog->setIntValue(int(made) + 2);
  dialog->accept();
  QTRY_COMPARE_WITH_TIMEOUT(runs->model()->run(idOf(run))->step, made + 2, kPatience);
  QTRY_COMPARE_WITH_TIMEOUT(runs->model()->run(idOf(run))->status, RunStatus::kFinished, kPatience);
}

STRATA_TEST(TestTranslateAndRunner)
#include "test_translate_and_runner.moc"
