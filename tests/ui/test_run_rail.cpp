#include <QAction>
#include <QDateTime>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QTreeView>
#include <QtTest>

#include "core/run/checkpoint_files.h"
#include "tests/program.h"
#include "tests/ui/window_fixture.h"
#include "ui/data/drawn_runs.h"
#include "ui/panels/curves_panel.h"
#include "ui/panels/runs_panel.h"
#include "ui/widgets/share_delegate.h"
#include "ui/window/main_area.h"
#include "ui/window/run_rail.h"
#include "ui/window/stage.h"

using namespace strata;
using namespace strata::ui;

// The runs at the left of the window, and which of them are drawn.
class TestRunRail : public QObject, private WindowOnWorkspace {
  Q_OBJECT
 private slots:
  void init() { makeWorkspace(); }
  void cleanup() { removeWorkspace(); }
  void aRunThatIsListedBeforeItTrainsIsDrawn();
  void everyRunThatTrainsAtFirstIsDrawn();
  void theNewestRunsAreDrawnAtFirst();
  void aRunThatWaitsIsNotDrawn();
  void aRunThatWasHiddenStaysSo();
  void aRunThatComesBackFromTheTrashIsDrawnAsBefore();
  void seedsShareALineThatStays();
  void seedsAreAGroup();
  void aRunUnfoldsToItsCheckpoints();
  void theEyeDraws();
  void aClickMakesARunTheCurrentOneAndWithShiftTheOther();
  void theKeyboardDoesTheSame();
  void theFilterFindsRunsByNameAndDataset();
  void whatIsFoldedAndDrawnIsKept();
  void theRailFolds();
  void aRunThatTrainsSaysHowFarItIs();

 private:
  void train(const std::string& name, int seed, double dropout, const std::string& dataset = "toy");
  QTreeView* view() const { return window_->area()->rail()->view(); }
  RunTree* tree() const { return window_->area()->rail()->tree(); }
  QString text(const QModelIndex& index, int column = RunTree::kName) const {
    return index.siblingAtColumn(column).data().toString();
  }
  QModelIndex runNamed(const char* name) const;
  void click(const QModelIndex& index, Qt::KeyboardModifiers modifiers = {});
};

static RunRow railRow(qint64 id, RunStatus status, const QString& group = {}) {
  RunRow run;
  run.id = id;
  run.name = QString("run %1").arg(id);
  run.status = status;
  run.group = group;
  return run;
}

static QSet<qint64> drawn(const DrawnRuns& runs) {
  const QVector<qint64> ids = runs.ids();
  return {ids.begin(), ids.end()};
}

void TestRunRail::aRunThatIsListedBeforeItTrainsIsDrawn() {
  DrawnRuns runs;
  runs.setRuns({railRow(1, RunStatus::kRunning)});
  runs.setRuns({railRow(1, RunStatus::kRunning), railRow(2, RunStatus::kCreated)});
  QCOMPARE(drawn(runs), QSet<qint64>({1}));
  runs.setRuns({railRow(1, RunStatus::kRunning), railRow(2, RunStatus::kRunning)});
  QCOMPARE(drawn(runs), QSet<qint64>({1, 2}));
}

void TestRunRail::everyRunThatTrainsAtFirstIsDrawn() {
  DrawnRuns runs;
  runs.setRuns({railRow(1, RunStatus::kFinished), railRow(2, RunStatus::kRunning),
                railRow(3, RunStatus::kRunning)});
  QCOMPARE(drawn(runs), QSet<qint64>({2, 3}));
}

// All that was trained before the window opened is drawn, in as many lines as colours tell apart.
void TestRunRail::theNewestRunsAreDrawnAtFirst() {
  DrawnRuns runs;
  QVector<RunRow> rows;
  for (int id = 1; id <= 10; ++id)
    rows << railRow(id, RunStatus::kFinished, QString("kind %1").arg(id));
  rows << railRow(11, RunStatus::kFinished, "kind 10")
       << railRow(12, RunStatus::kFinished, "kind 2");
  runs.setRuns(rows);
  QCOMPARE(drawn(runs), QSet<qint64>({2, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
}

// Queued runs take no line until they start.
void TestRunRail::aRunThatWaitsIsNotDrawn() {
  DrawnRuns runs;
  runs.setRuns({railRow(1, RunStatus::kFinished), railRow(2, RunStatus::kFinished),
                railRow(3, RunStatus::kQueued), railRow(4, RunStatus::kQueued)});
  QCOMPARE(drawn(runs), QSet<qint64>({1, 2}));
  runs.setRuns({railRow(1, RunStatus::kFinished), railRow(2, RunStatus::kFinished),
                railRow(3, RunStatus::kRunning), railRow(4, RunStatus::kQueued)});
  QCOMPARE(drawn(runs), QSet<qint64>({1, 2, 3}));
}

void TestRunRail::aRunThatWasHiddenStaysSo() {
  DrawnRuns runs;
  runs.setRuns({railRow(1, RunStatus::kRunning), railRow(2, RunStatus::kRunning)});
  runs.choose({2});
  runs.setRuns({railRow(1, RunStatus::kRunning), railRow(2, RunStatus::kRunning),
                railRow(3, RunStatus::kRunning)});
  QCOMPARE(drawn(runs), QSet<qint64>({2, 3}));
  runs.setRuns({railRow(1, RunStatus::kStopped), railRow(2, RunStatus::kRunning),
                railRow(3, RunStatus::kRunning)});
  QCOMPARE(drawn(runs), QSet<qint64>({2, 3}));
}

void TestRunRail::aRunThatComesBackFromTheTrashIsDrawnAsBefore() {
  const QVector<RunRow> all{railRow(1, RunStatus::kFinished), railRow(2, RunStatus::kFinished),
                            railRow(3, RunStatus::kFinished)};
  QVector<RunRow> trashed = all;
  trashed[0].trashed = trashed[1].trashed = true;
  DrawnRuns runs;
  runs.setRuns(all);
  runs.choose({1, 3});
  runs.setRuns(trashed);
  QCOMPARE(drawn(runs), QSet<qint64>({3}));
  runs.choose({});
  runs.setRuns(all);
  QCOMPARE(drawn(runs), QSet<qint64>({1}));
}

void TestRunRail::seedsShareALineThatStays() {
  const QVector<RunRow> rows{
      railRow(1, RunStatus::kFinished, "a"), railRow(2, RunStatus::kFinished, "b"),
      railRow(3, RunStatus::kFinished, "a"), railRow(4, RunStatus::kFinished)};
  DrawnRuns runs;
  const auto line = [&](qint64 run) {
    for (const DrawnRun& one : runs.all()) {
      if (one.run == run) return one.line;
    }
    return -1;
  };
  runs.setRuns({rows[3]});
  runs.setRuns(rows);
  runs.choose({2});
  QCOMPARE(line(2), 1);  // run 4 was drawn first
  runs.choose({1, 2, 3, 4});
  QCOMPARE(line(1), 2);
  QCOMPARE(line(3), 2);
  QCOMPARE(line(2), 1);
  QCOMPARE(line(4), 0);
  const Json state = runs.saveState();
  DrawnRuns later;
  later.restoreState(state);
  later.setRuns(rows);
  QCOMPARE(later.all(), runs.all());
}

void TestRunRail::train(const std::string& name, int seed, double dropout,
                        const std::string& dataset) {
  Json config = fixture::config(dataset);
  config["seed"] = seed;
  config["model"]["dropout"] = dropout;
  const RunSummary run = createRun(*workspace_, {name, config, "mlrf/both-fnn-sa4"});
  RunSession session(*workspace_, run.id, fixture::start());
  fixture::train(session, 10, 100);
  for (const std::int64_t step : {50, 100}) {
    const std::string folder = checkpointName(step);
    std::filesystem::create_directories(session.folder() / "checkpoints" / folder);
    session.checkpoint({run.id, step, "checkpoints/" + folder, step == 50});
  }
  session.end({run.id, 100, RunOutcome::kFinished, ""});
}

QModelIndex TestRunRail::runNamed(const char* name) const {
  for (const RunRow& run : window_->rows()) {
    if (run.name == QLatin1String(name)) return tree()->findRun(run.id);
  }
  return {};
}

void TestRunRail::click(const QModelIndex& index, Qt::KeyboardModifiers modifiers) {
  view()->scrollTo(index);
  QRect rect = view()->visualRect(index);
  QTest::mouseClick(view()->viewport(), Qt::LeftButton, modifiers,
                    QPoint(rect.right() - 4, rect.center().y()));
}

void TestRunRail::seedsAreAGroup() {
  train("base", 1, 0.1);
  for (int seed = 1; seed <= 3; ++seed) train("deep-s" + std::to_string(seed), seed, 0.3);
  open();
  QTRY_COMPARE(tree()->rowCount(), 2);
  const QModelIndex group = tree()->index(0, 0);
  QCOMPARE(text(group), QString("deep"));
  QCOMPARE(text(group, RunTree::kState), QString("3 seeds"));
  QVERIFY(view()->isExpanded(group));
  QCOMPARE(text(tree()->index(0, 0, group)), QString("seed 3"));                  // newest first
  QCOMPARE(text(tree()->index(0, 0, group), RunTree::kState), QString("4.400"));  // its best score
  QCOMPARE(text(tree()->index(1, 0)), QString("base"));
  QCOMPARE(child<QLabel>("railCount")->text(), QString("4"));
}

void TestRunRail::aRunUnfoldsToItsCheckpoints() {
  train("base", 1, 0.1);
  open();
  QTRY_COMPARE(tree()->rowCount(), 1);
  const QModelIndex run = tree()->index(0, 0);
  QVERIFY(!view()->isExpanded(run));
  QCOMPARE(tree()->rowCount(run), 2);
  QCOMPARE(text(tree()->index(0, 0, run)), QString("step 50"));
  QCOMPARE(text(tree()->index(0, 0, run), RunTree::kState), QString("best"));
  QCOMPARE(text(tree()->index(1, 0, run), RunTree::kState), QString("last"));
  view()->expand(run);
  click(tree()->index(0, 0, run));
  QCOMPARE(window_->panels()->selection().run, std::optional<qint64>(1));
  QCOMPARE(window_->panels()->selection().step, std::optional<qint64>(50));
}

void TestRunRail::theEyeDraws() {
  train("base", 1, 0.1);
  train("deep", 1, 0.3);
  open();
  auto* curves = window_->panel<CurvesPanel>();
  QTRY_VERIFY(curves->watched().contains({1, "train/nll"}));
  window_->panels()->select({.drawn = QVector<qint64>{2}});
  QTRY_VERIFY(curves->watched().contains({2, "train/nll"}));
  QVERIFY(!curves->watched().contains({1, "train/nll"}));
  tree()->setData(runNamed("base"), Qt::Checked, Qt::CheckStateRole);
  QVERIFY(window_->drawn()->isDrawn(1) && window_->drawn()->isDrawn(2));
  QTRY_VERIFY(curves->watched().contains({1, "train/nll"}));
  tree()->setData(runNamed("deep"), Qt::Unchecked, Qt::CheckStateRole);
  QTRY_VERIFY(!curves->watched().contains({2, "train/nll"}));
  child<QAction>("selectionBack")->trigger();
  QTRY_VERIFY(curves->watched().contains({2, "train/nll"}));
  QCOMPARE(window_->panels()->selection().run, std::optional<qint64>(2));  // drawing chooses none
}

void TestRunRail::aClickMakesARunTheCurrentOneAndWithShiftTheOther() {
  for (const char* name : {"a", "b", "c"}) train(name, 1, name[0] - 'a');
  open();
  QTRY_COMPARE(tree()->rowCount(), 3);
  click(runNamed("a"));
  QCOMPARE(window_->panels()->selection().run, std::optional<qint64>(1));
  QVERIFY(runNamed("a").data(Qt::FontRole).value<QFont>().bold());
  click(runNamed("c"), Qt::ShiftModifier);
  QCOMPARE(window_->panels()->selection().run, std::optional<qint64>(1));
  QCOMPARE(window_->panels()->selection().other, std::optional<qint64>(3));
  QVERIFY(text(runNamed("c"), RunTree::kState).startsWith("vs"));
  QCOMPARE(window_->panel<RunsPanel>()->selectedRuns(), QVector<qint64>{1});
}

void TestRunRail::theKeyboardDoesTheSame() {
  train("a", 1, 0.1);
  train("b", 1, 0.2);
  open();
  QTRY_COMPARE(tree()->rowCount(), 2);
  view()->setFocus();
  view()->setCurrentIndex(runNamed("a"));
  QCOMPARE(window_->panels()->selection().run,
           std::optional<qint64>(2));  // the cursor is not a choice
  QTest::keyClick(view(), Qt::Key_Return);
  QCOMPARE(window_->panels()->selection().run, std::optional<qint64>(1));
  QVERIFY(window_->drawn()->isDrawn(1));
  QTest::keyClick(view(), Qt::Key_Space);
  QVERIFY(!window_->drawn()->isDrawn(1));
  QTest::keyClick(view(), Qt::Key_Up);
  QTest::keyClick(view(), Qt::Key_Return, Qt::ShiftModifier);
  QCOMPARE(window_->panels()->selection().other, std::optional<qint64>(2));
  QTest::keyClick(view(), Qt::Key_Tab);
  QVERIFY(!view()->hasFocus());
}

void TestRunRail::theFilterFindsRunsByNameAndDataset() {
  train("base", 1, 0.1, "multi30k");
  train("deep", 1, 0.2, "ted");
  open();
  QTRY_COMPARE(tree()->rowCount(), 2);
  child<QLineEdit>("railFilter")->setText("TED");
  QCOMPARE(tree()->rowCount(), 1);
  QCOMPARE(text(tree()->index(0, 0)), QString("deep"));
  QCOMPARE(child<QLabel>("railCount")->text(), QString("1 of 2"));
  child<QLineEdit>("railFilter")->clear();
  QCOMPARE(tree()->rowCount(), 2);
}

void TestRunRail::whatIsFoldedAndDrawnIsKept() {
  for (int seed = 1; seed <= 2; ++seed) train("deep-s" + std::to_string(seed), seed, 0.3);
  train("base", 1, 0.1);
  open();
  QTRY_COMPARE(tree()->rowCount(), 2);
  view()->collapse(tree()->index(1, 0));
  view()->expand(runNamed("base"));
  tree()->setData(tree()->index(1, 0), Qt::Checked, Qt::CheckStateRole);  // all of the group
  const QVector<DrawnRun> before = window_->drawn()->all();
  QCOMPARE(before.size(), 3);
  reopen();
  QTRY_COMPARE(tree()->rowCount(), 2);
  QVERIFY(!view()->isExpanded(tree()->index(1, 0)));
  QVERIFY(view()->isExpanded(runNamed("base")));
  QTRY_COMPARE(window_->drawn()->all(), before);
}

void TestRunRail::theRailFolds() {
  open();
  QVERIFY(view()->isVisible());
  const int narrow = window_->stage()->width();
  QTest::keyClick(window_.get(), Qt::Key_B, Qt::ControlModifier);
  QVERIFY(!view()->isVisible());
  QTRY_VERIFY(window_->stage()->width() >= narrow + MainArea::kRailWidth);
  reopen();
  QVERIFY(!view()->isVisible());
  child<QAction>("showRail")->trigger();
  QVERIFY(view()->isVisible());
}

void TestRunRail::aRunThatTrainsSaysHowFarItIs() {
  open();
  Json config = fixture::config();
  config["training"] = {{"max_updates", 400}, {"max_epochs", 0}};
  const RunSummary run = createRun(*workspace_, {"learns", config, "mlrf/both-fnn-sa4"});
  RunSession session(*workspace_, run.id, fixture::start());
  const double now = double(QDateTime::currentSecsSinceEpoch());
  const auto train = [&](std::int64_t step) {  // ten updates a second
    session.scalars({{run.id, "train/nll", step, 4, now + double(step) / 10},
                     {run.id, "train/tokens_per_second", step, 4000, now + double(step) / 10}});
    session.flush();
  };
  for (std::int64_t step = 10; step <= 100; step += 10) train(step);
  const auto state = [&] { return text(tree()->findRun(run.id), RunTree::kState); };
  const auto share = [&] {
    return tree()->findRun(run.id).siblingAtColumn(RunTree::kState).data(ShareDelegate::kShareRole);
  };
  QTRY_COMPARE(state(), QString("30 s"));
  QCOMPARE(share(), QVariant(0.25));
  QVERIFY(tree()->findRun(run.id).data(Qt::ToolTipRole).toString().contains("25 % of 400 steps"));
  // However often news come, they are shown once per second.
  QVector<std::pair<qint64, double>> shown;
  QElapsedTimer clock;
  clock.start();
  connect(tree(), &RunTree::dataChanged, this, [&] {
    const double is = share().toDouble();
    if (is != (shown.isEmpty() ? 0.25 : shown.last().second))
      shown << std::pair(clock.elapsed(), is);
  });
  for (std::int64_t step = 110; step <= 200; step += 10) {
    train(step);
    QTest::qWait(260);
  }
  QTRY_COMPARE(state(), QString("20 s"));
  QVERIFY(shown.size() > 1 && shown.size() <= 5);
  for (qsizetype i = 1; i < shown.size(); ++i) QVERIFY(shown[i].first - shown[i - 1].first > 900);
  disconnect(tree(), &RunTree::dataChanged, this, nullptr);
  session.end({run.id, 200, RunOutcome::kStopped, ""});
  QTRY_COMPARE(state(), QString("stopped"));
  QVERIFY(!share().isValid());
}

STRATA_TEST(TestRunRail)
#include "test_run_rail.moc"
