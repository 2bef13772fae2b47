#include <QClipboard>
#include <QGuiApplication>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableWidget>
#include <QToolButton>
#include <QTreeView>
#include <QTreeWidget>
#include <QtTest>

#include "core/base/files.h"
#include "tests/ui/trained_window.h"
#include "ui/data/job_list.h"
#include "ui/panels/config_model.h"
#include "ui/panels/launch_panel.h"
#include "ui/panels/runs_model.h"
#include "ui/panels/runs_panel.h"
#include "ui/panels/translate_panel.h"
#include "ui/plots/category_plot.h"
#include "ui/plots/curve_plot.h"
#include "ui/plots/network_drawing.h"
#include "ui/widgets/choice_popup.h"
#include "ui/widgets/hypothesis_tree_view.h"
#include "ui/widgets/notice_bar.h"
#include "ui/widgets/token_strip.h"

using namespace strata;
using namespace strata::ui;

// Launch and Translate in the real window, next to what the real program prints and does.
class TestFormsAndRunner : public QObject, private TrainedWindow {
  Q_OBJECT
 private slots:
  void initTestCase();
  void theFormFitsTheSmallestWindow();
  void previewsAreThoseOfADryRun();
  void everyFamilyIsDrawn();
  void theCopiedLineTrainsWhatStartWould();
  void editedYamlChangesTheForm();
  void aRunIsCopiedIntoTheForm();
  void aRunStartsFromACheckpointOfAnother();
  void pastedLinesAreSentences();
  void anotherWordBeginsTheTranslation();
  void theBarChoosesTranslationAndWord();
  void aWordIsDroppedOrSwapped();
  void aRefusedTextLeavesNoOldTranslation();
  void checkpointsAreAveraged();
  void aFinishedRunGoesOn();  // it has more checkpoints then

 private:
  LaunchPanel* launch() const { return window_->panel<LaunchPanel>(); }
  TranslatePanel* translation() const { return window_->panel<TranslatePanel>(); }
  QByteArray runCopied(Panel* panel);
  void openForm();
  QByteArray storedConfig(const QString& run);
};

void TestFormsAndRunner::initTestCase() {
  Trained run = families()[0];
  run.settings << "checkpoint.keep_last=5";
  TrainedWindow::open({run});
}

// Runs the line that a panel's Copy command leaves in the clipboard, as a shell would.
QByteArray TestFormsAndRunner::runCopied(Panel* panel) {
  panel->findChild<QAction*>("copyCommand")->trigger();
  QProcess shell;
  shell.start("bash", {"-c", QGuiApplication::clipboard()->text()});
  if (!shell.waitForFinished(kPatience) || shell.exitCode() != 0)
    qWarning("%s", shell.readAllStandardError().constData());
  return shell.readAllStandardOutput();
}

void TestFormsAndRunner::openForm() {
  raise("launch");
  QTRY_VERIFY_WITH_TIMEOUT(launch()->isUpToDate() && launch()->isReady(), kPatience);
  launch()->choose("mlrf/dec-sa4-cpu", "toy");
  QTRY_VERIFY_WITH_TIMEOUT(launch()->isUpToDate(), kPatience);
  launch()->config()->clearOverrides();
  for (const char* setting :
       {"model.embed_dim=32", "model.ffn_dim=64", "model.fusion_attn_dim=32",
        "model.fusion_ffn_dim=64", "training.max_updates=2", "training.max_epochs=0",
        "training.threads=1", "training.batch.size=400", "validation.every_epochs=0",
        "validation.monitor=[]", "checkpoint.every_epochs=0", "training.init=default"}) {
    const QString text = QString::fromLatin1(setting);
    launch()->config()->setOverride(text.section('=', 0, 0), text.section('=', 1));
  }
  QTRY_VERIFY2_WITH_TIMEOUT(launch()->isUpToDate() && launch()->problem().isEmpty(),
                            qPrintable(launch()->problem()), kPatience);
}

void TestFormsAndRunner::theFormFitsTheSmallestWindow() {
  window_->resize(1280, 800);
  openForm();
  auto* tree = launch()->findChild<QTreeView*>("configTree");
  int settings = 0;  // headings do not count
  for (QModelIndex index = tree->indexAt({2, 2});
       index.isValid() && tree->viewport()->rect().contains(tree->visualRect(index));
       index = tree->indexBelow(index))
    settings += index.parent().isValid();
  QVERIFY2(settings >= 18, qPrintable(QString::number(settings)));
  // The last line is in the window, outside of anything that scrolls.
  for (const char* name : {"launchParameters", "launchMemory", "launchTime", "launchStart"}) {
    const auto* widget = launch()->findChild<QWidget*>(QLatin1String(name));
    QVERIFY2(widget->isVisible() && widget->visibleRegion().boundingRect() == widget->rect(), name);
  }
}

void TestFormsAndRunner::previewsAreThoseOfADryRun() {
  openForm();
  QStringList arguments = launch()->command();
  const Json report = printed(arguments << "--dry-run");
  const auto* drawing = launch()->findChild<NetworkDrawing*>("launchNetwork");
  QVERIFY(drawing->network().json() == report.at("network"));
  const qint64 parameters = report.at("parameters").get<qint64>();
  QCOMPARE(qint64(drawing->network().parameters()), parameters);
  QCOMPARE(launch()->findChild<QLabel*>("launchParameters")->text(), countText(parameters));
  // A click shows the equation.
  auto* tabs = launch()->findChild<QTabWidget*>("launchPreview");
  tabs->setCurrentIndex(0);
  auto* shown = const_cast<NetworkDrawing*>(drawing);
  QTest::mouseClick(shown, Qt::LeftButton, {}, shown->boxOf(1).center().toPoint());
  QCOMPARE(shown->chosen(), 1);
  QVERIFY(launch()->findChild<QLabel*>("launchPart")->text().contains("LN(x + SelfAtt(x))"));
  // Every sentence that is not left out is in one batch.
  double sentences = 0;
  for (const double count : launch()->findChild<CategoryPlot*>("launchBatches")->series()[0].values)
    sentences += count;
  QCOMPARE(qint64(sentences), report.at("sentences").get<qint64>());
  std::int64_t tokens = 0, positions = 0;
  for (const Json& each : report.at("batch_lengths")) {
    tokens += each.at("tokens").get<std::int64_t>();
    positions += each.at("positions").get<std::int64_t>();
  }
  QCOMPARE(tokens, report.at("source_tokens").get<std::int64_t>() +
                       report.at("target_tokens").get<std::int64_t>());
  QCOMPARE(1 - double(tokens) / double(positions), report.at("padding").get<double>());
  // The range holds the estimate, and says what it rests on.
  const double seconds = report.at("seconds").get<double>();
  QVERIFY(report.at("seconds_range")[0].get<double>() <= seconds);
  QVERIFY(report.at("seconds_range")[1].get<double>() >= seconds);
  const QString basis = launch()->findChild<QLabel*>("launchBasis")->text();
  QVERIFY2(basis.startsWith("3 steps measured here, 1 thread"), qPrintable(basis));
}

// The boxes' parameters sum to the figure that the model itself gives.
void TestFormsAndRunner::everyFamilyIsDrawn() {
  const auto* drawing = launch()->findChild<NetworkDrawing*>("launchNetwork");
  auto* tabs = launch()->findChild<QTabWidget*>("launchPreview");
  const QString pictures = qEnvironmentVariable("STRATA_TEST_PICTURES");
  for (const char* preset :
       {"densenmt/8l-2", "deepatt/att-2-2-cpu", "dhea/gate-cpu", "mlrf/dec-sa4-cpu"}) {
    launch()->config()->clearOverrides();
    launch()->choose(preset, "toy");
    QTRY_VERIFY2_WITH_TIMEOUT(launch()->isUpToDate() && launch()->problem().isEmpty(),
                              qPrintable(launch()->problem()), kPatience);
    QCOMPARE(launch()->request().preset, QString(preset));
    QCOMPARE(launch()->findChild<QLabel*>("launchParameters")->text(),
             countText(drawing->network().parameters()));
    for (int tab = 0; tab < 3 && !pictures.isEmpty(); ++tab) {
      tabs->setCurrentIndex(tab);
      QTest::qWait(100);
      window_->grab().save(
          QStringLiteral("%1/%2-%3.png").arg(pictures, QString(preset).replace('/', '-')).arg(tab));
    }
  }
}

QByteArray TestFormsAndRunner::storedConfig(const QString& run) {
  const Json shown = printed({"runs", "show", run});
  return QByteArray::fromStdString(
      readFile(fs::path(shown.at("folder").get<std::string>()) / "config.effective.yaml"));
}

void TestFormsAndRunner::theCopiedLineTrainsWhatStartWould() {
  openForm();
  auto* name = launch()->findChild<QLineEdit*>("launchName");
  auto* start = launch()->findChild<QPushButton*>("launchStart");
  name->setText("copied");
  runCopied(launch());
  QVERIFY(printed({"runs", "show", "copied"}).at("status") == "finished");
  // The same form again: the window says that there is such a run, and queues nothing.
  name->setText("clicked");
  QTest::mouseClick(start, Qt::LeftButton);
  QTRY_VERIFY2(launch()->problem().contains("copied"), qPrintable(launch()->problem()));
  QVERIFY(launch()->problem().contains("finished"));
  QCOMPARE(printed({"runs", "list"}).at("runs").size(), std::size_t(2));
  QTest::mouseClick(launch()->findChild<QPushButton*>("launchAnyway"), Qt::LeftButton);
  QTRY_COMPARE_WITH_TIMEOUT(window_->rows().size(), 3, kPatience);
  QCOMPARE(storedConfig("clicked"), storedConfig("copied"));
  QTRY_COMPARE(window_->perspective(), QString("watch"));
  // Another seed differs in nothing else.
  raise("launch");
  name->setText("seeded");
  QTest::mouseClick(start, Qt::LeftButton);
  QTRY_VERIFY(launch()->problem().contains("exactly this configuration"));
  QTest::mouseClick(launch()->findChild<QPushButton*>("launchOtherSeed"), Qt::LeftButton);
  QTRY_COMPARE_WITH_TIMEOUT(window_->rows().size(), 4, kPatience);
  const QByteArray other = storedConfig("seeded.s2");
  QCOMPARE(QByteArray(other).replace("seed: 2", "seed: 1"), storedConfig("copied"));
  QVERIFY(other != storedConfig("copied"));
}

// The form then is the run's configuration, to be changed: as it is, Start finds the run itself.
// What cannot be taken over says its line and changes nothing.
void TestFormsAndRunner::editedYamlChangesTheForm() {
  openForm();
  auto* yaml = launch()->findChild<QPlainTextEdit*>("launchYaml");
  auto* apply = launch()->findChild<QPushButton*>("launchYamlApply");
  auto* problem = launch()->findChild<QLabel*>("launchYamlProblem");
  launch()->findChild<QTabWidget*>("launchPreview")->setCurrentIndex(3);
  QVERIFY(!apply->isVisible());
  const QString before = yaml->toPlainText();
  const QStringList overrides = launch()->request().overrides;
  const auto edit = [&](const QString& from, const QString& to) {
    QVERIFY2(before.contains(from), qPrintable(from));
    yaml->setPlainText(QString(before).replace(from, to));
    QVERIFY(apply->isVisible());
    QTest::mouseClick(apply, Qt::LeftButton);
  };
  const auto lineOf = [&](const QString& text) {
    return QStringLiteral("YAML:%1: ").arg(before.left(before.indexOf(text)).count('\n') + 1);
  };
  edit("ffn_dim: 64", "ffn_dims: 64");
  QVERIFY2(problem->text().startsWith(lineOf("ffn_dim: 64")) &&
               problem->text().contains("no setting model.ffn_dims"),
           qPrintable(problem->text()));
  edit("max_updates: 2", "max_updates: many");
  QVERIFY2(problem->text().startsWith(lineOf("max_updates: 2")), qPrintable(problem->text()));
  edit("dataset: toy", "dataset: other");
  QVERIFY2(problem->text().contains("is chosen above"), qPrintable(problem->text()));
  edit("  ffn_dim: 64", "\tffn_dim: 64");
  QVERIFY2(!problem->text().isEmpty(), "a tab");
  QCOMPARE(launch()->request().overrides, overrides);
  edit("max_updates: 2", "max_updates: 3");
  QVERIFY2(problem->text().isEmpty(), qPrintable(problem->text()));
  QVERIFY(!apply->isVisible());
  QVERIFY(launch()->request().overrides.contains("training.max_updates=3"));
  QTRY_VERIFY_WITH_TIMEOUT(launch()->isUpToDate(), kPatience);
  QCOMPARE(yaml->toPlainText(), QString(before).replace("max_updates: 2", "max_updates: 3"));
  yaml->appendPlainText("# later");
  QTest::mouseClick(launch()->findChild<QPushButton*>("launchYamlDiscard"), Qt::LeftButton);
  QVERIFY(!apply->isVisible() && yaml->toPlainText().contains("max_updates: 3"));
  launch()->findChild<QTabWidget*>("launchPreview")->setCurrentIndex(0);
}

void TestFormsAndRunner::aRunIsCopiedIntoTheForm() {
  openForm();
  const QString run = families()[0].name;
  window_->showPerspective("watch");
  auto* runs = window_->panel<RunsPanel>();
  runs->selectRun(idOf(run));
  QTRY_VERIFY(runs->findChild<QAction*>("copyIntoLaunch")->isEnabled());
  runs->findChild<QAction*>("copyIntoLaunch")->trigger();
  QTRY_COMPARE(window_->perspective(), QString("train"));
  QTRY_VERIFY_WITH_TIMEOUT(launch()->isUpToDate() && launch()->problem().isEmpty(), kPatience);
  QVERIFY(launch()->request().overrides.contains("model.fusion_ffn_dim=64"));
  QVERIFY(!launch()->request().overrides.contains("training.max_updates=2"));  // of the form before
  QTest::mouseClick(launch()->findChild<QPushButton*>("launchStart"), Qt::LeftButton);
  QTRY_VERIFY2(launch()->problem().contains(run + " has exactly this configuration"),
               qPrintable(launch()->problem()));
}

void TestFormsAndRunner::aRunStartsFromACheckpointOfAnother() {
  openForm();
  const QString run = families()[0].name;
  window_->panels()->select({.run = idOf(run)});
  child<QAction>("showInspector")->setChecked(true);
  auto* checkpoints = child<QTreeWidget>("inspectorCheckpoints");
  QTRY_VERIFY_WITH_TIMEOUT(checkpoints->topLevelItemCount() > 0, kPatience);
  checkpoints->setCurrentItem(checkpoints->topLevelItem(0));
  window_->showPerspective("watch");
  child<QAction>("forkCheckpoint")->trigger();
  QTRY_COMPARE(window_->perspective(), QString("train"));
  QTRY_VERIFY_WITH_TIMEOUT(launch()->isUpToDate() && launch()->problem().isEmpty(), kPatience);
  const auto step = checkpoints->topLevelItem(0)->text(0).remove(',');
  QVERIFY2(launch()->request().overrides.contains("training.from=" + run + "@" + step),
           qPrintable(launch()->request().overrides.join(' ')));
  child<QAction>("showInspector")->setChecked(false);
}

void TestFormsAndRunner::aFinishedRunGoesOn() {
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

void TestFormsAndRunner::pastedLinesAreSentences() {
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
  const QList<QByteArray> lines = runCopied(translation()).trimmed().split('\n');
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

void TestFormsAndRunner::anotherWordBeginsTheTranslation() {
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

void TestFormsAndRunner::theBarChoosesTranslationAndWord() {
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

void TestFormsAndRunner::aWordIsDroppedOrSwapped() {
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

void TestFormsAndRunner::aRefusedTextLeavesNoOldTranslation() {
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
void TestFormsAndRunner::checkpointsAreAveraged() {
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

QTEST_MAIN(TestFormsAndRunner)
#include "test_forms_and_runner.moc"
