#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>
#include <QTreeView>
#include <QtTest>

#include "core/base/files.h"
#include "core/run/checkpoint_files.h"
#include "core/store/import_runs.h"
#include "core/systems/stored_systems.h"
#include "core/systems/test_sets.h"
#include "tests/program.h"
#include "tests/ui/window_fixture.h"
#include "ui/panels/gradient_flow_panel.h"
#include "ui/panels/hop_weights_panel.h"
#include "ui/panels/interventions_panel.h"
#include "ui/panels/layers_panel.h"
#include "ui/panels/translate_panel.h"
#include "ui/plots/heat_map.h"
#include "ui/widgets/run_box.h"
#include "ui/window/inspector.h"
#include "ui/window/main_area.h"
#include "ui/window/run_rail.h"
#include "ui/window/stage.h"

using namespace strata;
using namespace strata::ui;

// Views of the real window follow the one selection: sentences and steps, what a choice lacks, and
// when it asks the engine.
class TestFollowing : public QObject, private WindowOnWorkspace {
  Q_OBJECT
 private slots:
  void init() { makeWorkspace(); }
  void cleanup() { removeWorkspace(); }
  void aSentenceChosenInOneViewIsShownByOthers();
  void aViewInThePlaceOfAnotherShowsTheChosenSentence();
  void aStepChoosesTheCheckpointBeforeIt();
  void aStepTranslatesWithTheCheckpointBeforeIt();
  void aRunWithoutRecordingsIsSaidWithTheButtonThatHelps();
  void aRunWithoutAModelIsSaidWithTheButtonThatHelps();
  void anImportedRunIsSaidWithTheButtonThatHelps();
  void whatAModelLacksIsSaidWithTheButtonThatHelps();
  void anImportedSystemIsSaidWithTheButtonThatHelps();
  void onlyAVisibleInsideAsksTheEngine();
  void theLatestChoiceIsTranslated();
  void anotherRunTranslatesTheSentence();

 private:
  enum Parts { kNothing = 0, kRecordings = 1, kModels = 2 };
  RunSummary makeRun(const std::string& name, int parts, const Json& model = {});
  static void record(RunSession& session, std::int64_t step);
  void saveModel(RunSession& session, std::int64_t step);
  static LackPage* lackOf(Panel* panel) {
    return panel->findChild<EmptyStack*>()->findChild<LackPage*>();
  }
  static QPushButton* remedyOf(Panel* panel) {
    return panel->findChild<QPushButton*>("lackRemedy");
  }
  void chooseIn(Panel* panel, qint64 run);
  void theRemedyShows(Panel* panel, const RunSummary& saved);
};

// Two sentences, whose sources differ.
void TestFollowing::record(RunSession& session, std::int64_t step) {
  SentenceRecordings first = fixture::sentence(0, 1), second = fixture::sentence(1, 1);
  second.source = {"die", "Ma@@", "us", "</s>"};
  second.recordings[0].info.name = first.recordings[0].info.name;
  const std::string folder = "recordings/step-" + std::to_string(step);
  writeRecordings(session.folder() / folder, {first, second});
  session.recording({session.run(), step, folder});
  session.flush();
}

void TestFollowing::saveModel(RunSession& session, std::int64_t step) {
  const std::filesystem::path folder = checkpointsFolder(session.folder()) / checkpointName(step);
  std::filesystem::create_directories(folder);
  for (const char* file : {kConfigFile, kModelFile, kTrainingFile})
    writeFileAtomic(folder / file, "{}");
  writeCheckpointManifest(folder, {.step = step, .scores = {{"valid/nll", 4.5 - 0.001 * step}}});
  session.checkpoint({session.run(), step, "checkpoints/" + checkpointName(step), true});
}

RunSummary TestFollowing::makeRun(const std::string& name, int parts, const Json& model) {
  Json config = fixture::config();
  if (!model.is_null()) config["model"] = model;
  const RunSummary run = createRun(*workspace_, {name, config, "mlrf/both-fnn-sa4"});
  RunSession session(*workspace_, run.id, fixture::start());
  fixture::train(session, 10, 100);
  for (const std::int64_t step : {50, 100}) {
    if (parts & kRecordings) record(session, step);
    if (parts & kModels) saveModel(session, step);
  }
  session.end({run.id, 100, RunOutcome::kFinished, ""});
  return run;
}

void TestFollowing::aSentenceChosenInOneViewIsShownByOthers() {
  makeRun("recorded", kRecordings);
  open();
  window_->showPerspective("inside");
  auto* hops = child<QListWidget>("hopSentences");
  auto* attention = child<QListWidget>("attentionSentences");
  QTRY_VERIFY(hops->count() == 2 && attention->count() == 2);
  QVERIFY(!window_->panels()->selection().sentence);
  hops->setFocus();
  QTest::keyClick(hops, Qt::Key_Down);
  QCOMPARE(window_->panels()->selection().sentence, std::optional<QString>("die Maus"));
  QCOMPARE(child<QToolButton>("sentenceChip")->text(), QString("die Maus"));
  QCOMPARE(attention->currentRow(), 1);
  QTest::keyClick(hops, Qt::Key_Up);
  QCOMPARE(attention->currentRow(), 0);
  child<QAction>("selectionBack")->trigger();
  QCOMPARE(attention->currentRow(), 1);
  QCOMPARE(hops->currentRow(), 1);
  window_->panel<HopWeightsPanel>()->setPinned(true);
  child<QAction>("selectionForward")->trigger();
  QCOMPARE(attention->currentRow(), 0);
  QCOMPARE(hops->currentRow(), 1);
}

// Recordings of another step or run are shown for the chosen sentence.
void TestFollowing::aViewInThePlaceOfAnotherShowsTheChosenSentence() {
  const RunSummary first = makeRun("first", kRecordings);
  makeRun("second", kRecordings);
  open();
  auto* hops = child<QListWidget>("hopSentences");
  QTRY_COMPARE(hops->count(), 2);
  window_->panels()->select({.sentence = "Die Maus"});
  QCOMPARE(hops->currentRow(), 1);
  hops->setCurrentRow(-1);
  window_->panels()->select({.run = first.id});
  QTRY_COMPARE(hops->currentRow(), 1);
  QCOMPARE(window_->panels()->selection().sentence, std::optional<QString>("Die Maus"));
}

void TestFollowing::aStepChoosesTheCheckpointBeforeIt() {
  const RunSummary run = makeRun("saved", kModels);
  makeRun("newer", kModels);
  open();
  auto* box = child<QComboBox>("effectsCheckpoint");
  QTRY_VERIFY(box->count() > 2);
  QCOMPARE(box->currentData().toString(), QString("best"));
  window_->panels()->select({.run = run.id, .step = 70});
  QTRY_COMPARE(box->currentData().toString(), QString("50"));
  window_->panels()->select({.step = 100});
  QCOMPARE(box->currentData().toString(), QString("100"));
  window_->panels()->select({.checkpoint = "last"});
  QCOMPARE(box->currentData().toString(), QString("last"));
  window_->panels()->select({.step = 70});  // takes the checkpoint's place
  QCOMPARE(box->currentData().toString(), QString("50"));
  QVERIFY(!window_->panels()->selection().checkpoint);
  child<QAction>("selectionBack")->trigger();
  QCOMPARE(box->currentData().toString(), QString("last"));
}

// Translate lists the stored checkpoints; the one shown is in the request and in the command.
void TestFollowing::aStepTranslatesWithTheCheckpointBeforeIt() {
  makeRun("saved", kModels);
  open();
  window_->showPerspective("inside");
  auto* translate = window_->panel<TranslatePanel>();
  auto* box = child<QComboBox>("translateCheckpoint");
  QTRY_COMPARE(box->count(), 4);
  QStringList listed;
  for (int i = 0; i < box->count(); ++i) listed << box->itemText(i);
  QCOMPARE(listed, (QStringList{"best", "last", "step 100", "step 50"}));
  QSignalSpy requests(translate, &TranslatePanel::translationRequested);
  const auto asked = [&](const char* checkpoint) {
    const QString command = translate->translateCommand().join(' ');
    return box->currentData().toString() == checkpoint &&
           requests.last()[0].value<serve::TranslateRequest>().model.checkpoint == checkpoint &&
           command.contains(QString("--run saved@%1 ").arg(checkpoint));
  };
  window_->panels()->select({.sentence = "eine Maus"});
  QTRY_COMPARE(requests.size(), 1);
  QVERIFY(asked("best"));
  window_->panels()->select({.step = 70});
  QTRY_COMPARE(requests.size(), 2);
  QVERIFY(asked("50"));
  window_->panels()->select({.step = 90});  // the same model
  QTest::qWait(500);
  QCOMPARE(requests.size(), 2);
  window_->panels()->select({.checkpoint = "last"});
  QTRY_COMPARE(requests.size(), 3);
  QVERIFY(asked("last"));
  box->setCurrentIndex(box->findData("100"));
  emit box->activated(box->currentIndex());
  QTRY_COMPARE(requests.size(), 4);
  QVERIFY(asked("100"));
}

void TestFollowing::aRunWithoutRecordingsIsSaidWithTheButtonThatHelps() {
  const RunSummary empty = makeRun("empty", kNothing);
  const RunSummary recorded = makeRun("recorded", kRecordings);
  open();
  window_->showPerspective("inside");
  auto* hops = window_->panel<HopWeightsPanel>();
  QTRY_VERIFY(!hops->isEmpty() && hops->isUpToDate());
  window_->panels()->select({.run = empty.id});
  QVERIFY(hops->lack().contains("empty"));
  QVERIFY(lackOf(hops)->isVisible());
  QCOMPARE(remedyOf(hops)->text(), QString("Show recorded"));
  QTest::mouseClick(remedyOf(hops), Qt::LeftButton);
  QCOMPARE(window_->panels()->selection().run, std::optional<qint64>(recorded.id));
  QCOMPARE(hops->lack(), QString());
  QVERIFY(hops->meanMap()->isVisible());
  // What is recorded while it is chosen takes the place of the words.
  window_->panels()->select({.run = empty.id});
  RunSession session(*workspace_, empty.id, fixture::start());
  record(session, 150);
  QTRY_COMPARE(hops->lack(), QString());
  QCOMPARE(child<QComboBox>("hopRun")->currentText(), QString("empty"));
  QTRY_VERIFY(hops->isUpToDate());
}

void TestFollowing::chooseIn(Panel* panel, qint64 run) {
  window_->bringUp(panel->name());
  window_->panels()->select({.run = run});
}

// The button of a panel that lacks a model chooses `saved`, which has one.
void TestFollowing::theRemedyShows(Panel* panel, const RunSummary& saved) {
  QCOMPARE(remedyOf(panel)->text(), "Show " + QString::fromStdString(saved.name));
  QTest::mouseClick(remedyOf(panel), Qt::LeftButton);
  QCOMPARE(window_->panels()->selection().run, std::optional<qint64>(saved.id));
  QCOMPARE(panel->lack(), QString());
}

void TestFollowing::aRunWithoutAModelIsSaidWithTheButtonThatHelps() {
  const RunSummary empty = makeRun("empty", kNothing);
  const RunSummary saved = makeRun("saved", kModels);
  open();
  window_->showPerspective("inside");
  const QVector<Panel*> panels{window_->panel<TranslatePanel>(),
                               window_->panel<InterventionsPanel>()};
  for (Panel* panel : panels) QTRY_VERIFY(!panel->isEmpty());
  for (Panel* panel : panels) {
    chooseIn(panel, empty.id);
    QVERIFY2(panel->lack().contains("no checkpoint yet"), qPrintable(panel->lack()));
    theRemedyShows(panel, saved);
  }
  window_->panels()->select({.run = empty.id});
  RunSession session(*workspace_, empty.id, fixture::start());
  saveModel(session, 150);
  for (Panel* panel : panels) QTRY_COMPARE(panel->lack(), QString());
  QCOMPARE(child<QComboBox>("translateRun")->currentText(), QString("empty"));
  QCOMPARE(child<QComboBox>("effectsRun")->currentText(), QString("empty"));
}

void TestFollowing::anImportedRunIsSaidWithTheButtonThatHelps() {
  const ToolRun theirs{.tool = kFairseq,
                       .name = "theirs",
                       .source = "/logs/theirs.log",
                       .curves = {{"valid/nll", {{10, 1000, 3}, {20, 1010, 2}}}}};
  const qint64 imported = importRuns(*workspace_, std::span(&theirs, 1), {}).at(0).id;
  const RunSummary saved = makeRun("saved", kModels);
  open();
  window_->showPerspective("inside");
  const QVector<Panel*> panels{window_->panel<TranslatePanel>(),
                               window_->panel<InterventionsPanel>()};
  for (Panel* panel : panels) QTRY_VERIFY(!panel->isEmpty());
  for (Panel* panel : panels) {
    chooseIn(panel, imported);
    QCOMPARE(panel->lack(), QString("theirs was imported from fairseq and has no model."));
    theRemedyShows(panel, saved);
  }
  window_->panels()->select({.run = imported});
  auto* inspector = window_->findChild<Inspector*>();
  child<QAction>("showInspector")->setChecked(true);
  QTRY_VERIFY(inspector->findChild<QLabel*>("inspectorFacts")
                  ->text()
                  .contains("from fairseq: it has curves and no model"));
}

// Another model if one has what this one lacks, else another view of it.
void TestFollowing::whatAModelLacksIsSaidWithTheButtonThatHelps() {
  const Json plain{{"family", "deepatt"}, {"fast_forward", false}};
  const RunSummary first = makeRun("plain", kModels, plain);
  open();
  window_->showPerspective("inside");
  const auto lacks = [this](const QString& prefix, const QString& remedy) {
    const auto* lack = window_->findChild<QLabel*>(prefix + "Lack");
    const auto* button = window_->findChild<QPushButton*>(prefix + "LackRemedy");
    return lack->isVisible() && !lack->text().isEmpty() && button->text() == remedy;
  };
  window_->bringUp("interventions");
  QTRY_VERIFY(lacks("effects", "Show its layers"));
  QTest::mouseClick(child<QPushButton>("effectsLackRemedy"), Qt::LeftButton);
  QVERIFY(window_->panel<LayersPanel>()->isVisible());
  const RunSummary heads = makeRun("heads", kModels, {{"family", "transformer"}, {"heads", 2}});
  makeRun("newer", kModels, plain);
  QTRY_COMPARE(child<QComboBox>("effectsRun")->count(), 3);
  window_->panels()->select({.run = heads.id});
  window_->panels()->select({.run = first.id});
  window_->bringUp("interventions");
  QTRY_VERIFY(lacks("effects", "Show heads"));
  QTest::mouseClick(child<QPushButton>("effectsLackRemedy"), Qt::LeftButton);
  QCOMPARE(window_->panels()->selection().run, std::optional<qint64>(heads.id));
  QTRY_VERIFY(!child<QLabel>("effectsLack")->isVisible());
  // It reads no blocks side by side: the newest that does is offered.
  window_->bringUp("readers");
  QTRY_VERIFY(lacks("readers", "Show newer"));
}

void TestFollowing::anImportedSystemIsSaidWithTheButtonThatHelps() {
  const RunSummary run = makeRun("ours", kRecordings | kModels);
  const auto file = std::filesystem::path(folder_->path().toStdString()) / "lines.txt";
  writeFileAtomic(file, "the mouse\nthe house\n");
  importTestSet(*workspace_, {.name = "wmt", .references = {file}});
  importSystem(*workspace_,
               {.name = "marian", .testSet = listTestSets(*workspace_)[0].id, .file = file});
  open();
  window_->showPerspective("inside");
  auto* hops = window_->panel<HopWeightsPanel>();
  QTRY_VERIFY(!hops->isEmpty() && hops->isUpToDate());
  // The rail lists it before Compare has been looked at.
  RunRail* rail = window_->area()->rail();
  const auto system = [&] {
    const RunTree* tree = rail->tree();
    const QModelIndex group = tree->find("imported");
    return group.isValid() ? tree->index(0, 0, group) : QModelIndex();
  };
  QTRY_VERIFY(system().isValid());
  rail->view()->expand(system().parent());
  QTest::mouseClick(rail->view()->viewport(), Qt::LeftButton, {},
                    rail->view()->visualRect(system()).center());
  QCOMPARE(window_->panels()->selection().system, std::optional<QString>("marian"));
  QVERIFY(!window_->panels()->selection().run);
  QCOMPARE(child<QToolButton>("runChip")->text(), QString("marian"));
  QVERIFY(system().data(Qt::FontRole).value<QFont>().bold());
  int views = 0;
  for (Panel* panel : window_->panels()->all()) {
    if (!panel->findChild<RunBox*>()) continue;
    ++views;
    QVERIFY2(panel->lack().contains("marian"), qPrintable(panel->name()));
    QCOMPARE(remedyOf(panel)->text(), QString("Compare it"));
  }
  QVERIFY2(views >= 10, qPrintable(QString::number(views)));
  QTest::qWait(300);  // the list of runs that comes again chooses none
  QVERIFY(!window_->panels()->selection().run);
  QTest::mouseClick(remedyOf(hops), Qt::LeftButton);
  QCOMPARE(window_->perspective(), QString("compare"));
  child<QAction>("showInspector")->setChecked(true);
  QCOMPARE(child<QLabel>("inspectorTitle")->text(), QString("marian"));
  child<QAction>("selectionBack")->trigger();
  QCOMPARE(window_->panels()->selection().run, std::optional<qint64>(run.id));
  QVERIFY(!window_->panels()->selection().system);
  for (Panel* panel : window_->panels()->all())
    QVERIFY2(!panel->lack().contains("marian"), qPrintable(panel->name()));
  QCOMPARE(hops->lack(), QString());
}

void TestFollowing::onlyAVisibleInsideAsksTheEngine() {
  makeRun("saved", kModels);
  open();
  auto* translate = window_->panel<TranslatePanel>();
  QTRY_VERIFY(!translate->isEmpty());
  QSignalSpy requests(translate, &TranslatePanel::translationRequested);
  window_->showPerspective("watch");
  window_->panels()->select({.sentence = "eine Maus"});
  QTest::qWait(600);
  QCOMPARE(requests.size(), 0);
  window_->showPerspective("inside");
  QElapsedTimer clock;
  clock.start();
  QTRY_COMPARE(requests.size(), 1);
  QVERIFY2(clock.elapsed() >= 250, qPrintable(QString::number(clock.elapsed())));
  QCOMPARE(translate->sentences(), QStringList("eine Maus"));
  // It was chosen once: nothing is added to walk back through.
  child<QAction>("selectionBack")->trigger();
  QVERIFY(!window_->panels()->selection().sentence);
  // Behind a view that fills the page it goes on working for the others.
  window_->stage()->setFills(window_->panel<HopWeightsPanel>(), true);
  QVERIFY(!translate->isVisible());
  window_->panels()->select({.sentence = "ein Haus"});
  QTRY_COMPARE(requests.size(), 2);
}

void TestFollowing::theLatestChoiceIsTranslated() {
  makeRun("saved", kModels);
  open();
  window_->showPerspective("inside");
  auto* translate = window_->panel<TranslatePanel>();
  QTRY_VERIFY(!translate->isEmpty());
  QSignalSpy requests(translate, &TranslatePanel::translationRequested);
  for (const char* sentence : {"eins", "zwei", "drei"}) {
    window_->panels()->select({.sentence = QString(sentence)});
    QTest::qWait(120);  // quicker than the wait
    QCOMPARE(requests.size(), 0);
  }
  QTRY_COMPARE(requests.size(), 1);
  QTest::qWait(500);
  QCOMPARE(requests.size(), 1);
  QCOMPARE(translate->sentences(), QStringList("drei"));
}

void TestFollowing::anotherRunTranslatesTheSentence() {
  const RunSummary first = makeRun("first", kModels);
  makeRun("second", kModels);
  open();
  window_->showPerspective("inside");
  auto* translate = window_->panel<TranslatePanel>();
  QTRY_COMPARE(child<QComboBox>("translateRun")->currentText(), QString("second"));
  QSignalSpy requests(translate, &TranslatePanel::translationRequested);
  window_->panels()->select({.run = first.id});
  QTest::qWait(500);
  QCOMPARE(requests.size(), 0);  // no sentence is chosen
  window_->panels()->select({.sentence = "eine Maus"});
  QTRY_COMPARE(requests.size(), 1);
  window_->panels()->select({.run = 2});
  QTRY_COMPARE(requests.size(), 2);
  QCOMPARE(requests[1][0].value<serve::TranslateRequest>().model.run, std::string("2"));
}

STRATA_TEST(TestFollowing)
#include "test_following.moc"
