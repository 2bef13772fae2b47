#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QEventLoop>
#include <QLineEdit>
#include <QListWidget>
#include <QTabWidget>
#include <QTableView>
#include <QTimer>
#include <QTreeView>
#include <QtTest>
#include <cmath>
#include <functional>
#include <map>
#include <thread>

#include "tests/program.h"
#include "tests/ui/long_sentence.h"
#include "tests/ui/longest_turn.h"
#include "tests/ui/window_fixture.h"
#include "ui/data/drawn_runs.h"
#include "ui/panels/attention_panel.h"
#include "ui/panels/attention_views.h"
#include "ui/panels/curves_panel.h"
#include "ui/panels/history_sentence_view.h"
#include "ui/panels/hop_views.h"
#include "ui/panels/hop_weights_panel.h"
#include "ui/panels/runs_panel.h"
#include "ui/panels/target_attention_panel.h"
#include "ui/plots/arc_view.h"
#include "ui/plots/heat_map.h"
#include "ui/window/loop_watch.h"
#include "ui/window/main_area.h"
#include "ui/window/run_rail.h"
#include "ui/window/stage.h"

using namespace strata;
using namespace strata::ui;

static constexpr int kRuns = 1000, kTokens = 2000;

static WatchedApplication* application() {
  return static_cast<WatchedApplication*>(qApp);
}

// What took longer than the limit, and the longest turns of it.
using Overruns = std::map<QString, QString>;

// A window over 1,000 runs and a sentence of 2,000 tokens answers at once, whatever it is asked.
class TestEventLoop : public QObject, private WindowOnWorkspace {
  Q_OBJECT
 public:
  const Overruns& overruns() const { return overruns_; }

 private slots:
  void initTestCase();
  void cleanupTestCase();
  void turnsAreMeasured();
  void everyPanelComesUp();
  void runsAreChosen();
  void listsAreFilteredSortedAndUnfolded();
  void manyRunsAreDrawnAndZoomed();
  void aLongSentenceIsDrawn();
  void whatIsNotANumberIsDrawn();
  void pointsArrive();

 private:
  void makeRun(int number);
  void record(qint64 run, std::int64_t step, const SentenceRecordings& sentence);
  // Does something in a turn of its own, as a click would, and waits until nothing follows.
  void step(const QString& what, const std::function<void()>& work);
  void settle();
  bool isDrawn() const;  // what is in sight
  qint64 idOf(const QString& name) const;

  std::unique_ptr<RunSession> live_;  // of a run that trains
  Overruns overruns_;
};

void TestEventLoop::makeRun(int number) {
  static const char* const kPresets[] = {"mlrf/both-fnn-sa4", "mlrf/base", "dhea/gate",
                                         "densenmt/8l-4", "deepatt/att-9-7"};
  const int configuration = number / 5;
  Json config = fixture::config(number % 3 == 0 ? "toy" : "wmt14-en-de");
  const char* preset = kPresets[configuration % 5];
  config["seed"] = 1 + number % 5;
  config["preset"] = preset;
  config["training"] = {{"lr", 1e-4 * (1 + configuration % 20)},
                        {"dropout", 0.05 * (configuration % 7)},
                        {"batch", {{"size", 1000 + 500 * (configuration % 11)}}}};
  const RunSummary run = createRun(*workspace_, {"sweep-" + std::to_string(configuration) + ".s" +
                                                     std::to_string(1 + number % 5),
                                                 config, preset});
  RunSession session(*workspace_, run.id, fixture::start());
  fixture::train(session, 10, 200);
  if (number == 7) return;  // killed
  const bool diverged = number == 11;
  if (diverged) session.scalars({{run.id, "train/nll", 210, NAN, 1.7e9 + 210}});
  session.end({.runId = run.id,
               .step = 200,
               .outcome = diverged ? RunOutcome::kFailed : RunOutcome::kFinished,
               .message = diverged ? "the loss is NaN" : "",
               .diverged = diverged});
}

void TestEventLoop::record(qint64 run, std::int64_t step, const SentenceRecordings& sentence) {
  RunSession session(*workspace_, run, fixture::start());
  fixture::train(session, 10, step);
  const std::string folder = "recordings/step-" + std::to_string(step);
  writeRecordings(session.folder() / folder, {sentence});
  session.recording({run, step, folder});
  session.end({.runId = run, .step = step, .outcome = RunOutcome::kFinished, .message = ""});
}

void TestEventLoop::initTestCase() {
  makeWorkspace();
  for (int number = 0; number < kRuns - 3; ++number) makeRun(number);
  const auto words = fixture::manyWords(kTokens);
  record(fixture::makeRun(*workspace_, "long").id, 100, fixture::evenSentence(words, words));
  SentenceRecordings broken =
      fixture::evenSentence({"ein", "Haus", "</s>"}, {"a", "house", "</s>"});
  for (Recording& each : broken.recordings) each.values[1] = NAN;
  record(fixture::makeRun(*workspace_, "broken").id, 100, broken);
  const RunSummary live = fixture::makeRun(*workspace_, "live");
  live_ = std::make_unique<RunSession>(*workspace_, live.id, fixture::start());
  fixture::train(*live_, 10, 100'000);
  QElapsedTimer clock;
  clock.start();
  open();
  application()->watch(1);
  settle();
  qInfo("open and still after %lld ms", clock.elapsed());
  application()->takeTurns();
  QCOMPARE(window_->rows().size(), kRuns);
}

void TestEventLoop::cleanupTestCase() {
  live_.reset();
  removeWorkspace();
}

bool TestEventLoop::isDrawn() const {
  return std::ranges::all_of(window_->panels()->all(), [](const Panel* panel) {
    // The one waits for a program, which is not there.
    return !panel->isVisible() || panel->isUpToDate() || panel->name() == "launch";
  });
}

void TestEventLoop::settle() {
  QElapsedTimer clock;
  clock.start();
  for (int still = 0; still < 3 && clock.elapsed() < 5000;) {
    const auto before = application()->turnsSoFar();
    QTest::qWait(50);
    still = application()->turnsSoFar() == before && isDrawn() ? still + 1 : 0;
  }
}

void TestEventLoop::step(const QString& what, const std::function<void()>& work) {
  application()->takeTurns();
  QTimer::singleShot(0, window_.get(), work);
  settle();
  const QVector<LoopTurn> turns = application()->takeTurns();
  QString slow;
  for (const LoopTurn& turn : turns) {
    if (turn.cpu > kLongestTurn / 4)
      slow += QString("\n    %1 ms (%2): %3")
                  .arg(turn.cpu, 0, 'f', 0)
                  .arg(turn.wall, 0, 'f', 0)
                  .arg(turn.what);
  }
  qInfo("%s: %.0f ms%s", qPrintable(what), turns.isEmpty() ? 0 : turns[0].cpu, qPrintable(slow));
  if (!turns.isEmpty() && turns[0].cpu > kLongestTurn) overruns_[what] = slow;
}

qint64 TestEventLoop::idOf(const QString& name) const {
  const auto& rows = window_->rows();
  const auto found = std::ranges::find(rows, name, &RunRow::name);
  return found == rows.end() ? 0 : found->id;
}

void TestEventLoop::turnsAreMeasured() {
  const auto longest = [](double LoopTurn::*time, const std::function<void()>& work) {
    application()->takeTurns();
    QTimer::singleShot(0, qApp, work);
    QTest::qWait(50);
    const auto turns = application()->takeTurns();  // others than the work's are short
    return turns.isEmpty() ? LoopTurn{} : *std::ranges::max_element(turns, {}, time);
  };
  const auto compute = [](double milliseconds) {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    const double end = double(now.tv_sec) * 1e3 + double(now.tv_nsec) / 1e6 + milliseconds;
    do {
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while (double(now.tv_sec) * 1e3 + double(now.tv_nsec) / 1e6 < end);
  };
  const LoopTurn computing = longest(&LoopTurn::cpu, [&] { compute(30); });
  QVERIFY(computing.cpu >= 30 && computing.wall >= 30);
  const LoopTurn waiting = longest(&LoopTurn::wall, [] { QThread::msleep(30); });
  QVERIFY2(waiting.wall >= 30 && waiting.cpu < 15, "waiting takes no CPU time");
  // A loop within the turn ends it.
  const LoopTurn inner = longest(&LoopTurn::cpu, [&] {
    compute(20);
    QEventLoop loop;
    QTimer::singleShot(0, &loop, [&] { compute(25), loop.quit(); });
    loop.exec();
    compute(15);
  });
  QVERIFY2(inner.cpu >= 25 && inner.cpu < 35, qPrintable(QString::number(inner.cpu)));
}

void TestEventLoop::everyPanelComesUp() {
  for (const Panel* panel : window_->panels()->all())
    step("show " + panel->name(), [this, panel] { window_->bringUp(panel->name()); });
  for (const Panel* panel : window_->panels()->all())
    step("show again " + panel->name(), [this, panel] { window_->bringUp(panel->name()); });
}

void TestEventLoop::runsAreChosen() {
  for (const char* panel : {"curves", "gradient-flow", "hop-weights", "attention", "samples", "log",
                            "compare", "interventions", "layers", "readers", "runs"}) {
    window_->bringUp(panel);
    settle();
    for (const char* run : {"sweep-3.s2", "broken", "sweep-1.s3", "sweep-2.s2", "live"}) {
      step(QString("choose %1 in %2").arg(run, panel),
           [this, id = idOf(run)] { window_->panels()->select({.run = id}); });
    }
    step(QString("choose another in %1").arg(panel),
         [this] { window_->panels()->select({.other = idOf("sweep-9.s1")}); });
  }
}

void TestEventLoop::listsAreFilteredSortedAndUnfolded() {
  window_->bringUp("runs");
  settle();
  auto* filter = child<QLineEdit>("runsFilter");
  for (const char* text : {"s", "sw", "swe", "sweep-1", "best<3.5", ""})
    step(QString("filter runs by %1").arg(text), [=] { filter->setText(text); });
  auto* table = child<QTableView>("runsTable");
  for (int column = 0; column < table->model()->columnCount(); ++column)
    step(QString("sort by column %1").arg(column),
         [=] { table->sortByColumn(column, Qt::AscendingOrder); });
  step("select all", [=] { table->selectAll(); });
  step("select none", [=] { table->clearSelection(); });
  auto* rail = child<QLineEdit>("railFilter");
  for (const char* text : {"s", "sw", "sweep-19", ""})
    step(QString("filter the rail by %1").arg(text), [=] { rail->setText(text); });
  QTreeView* tree = window_->area()->rail()->view();
  step("unfold all", [=] { tree->expandAll(); });
  step("fold all", [=] { tree->collapseAll(); });
  step("unfold all again", [=] { tree->expandAll(); });
  window_->bringUp("sweeps");
  settle();
  for (const char* name : {"sweepsMetric", "sweepsX", "sweepsLines", "sweepsBaseline"}) {
    auto* box = child<QComboBox>(name);
    for (int index = std::min(box->count(), 6) - 1; index >= 0; --index)
      step(QString("%1 %2").arg(name, box->itemText(index)), [=] { box->setCurrentIndex(index); });
  }
  step("parallel coordinates", [this] { child<QTabWidget>("sweepsTabs")->setCurrentIndex(1); });
  step("filter the sweep", [this] { child<QLineEdit>("sweepsFilter")->setText("sweep-1"); });
  step("all runs again", [this] { child<QLineEdit>("sweepsFilter")->clear(); });
}

void TestEventLoop::manyRunsAreDrawnAndZoomed() {
  window_->bringUp("curves");
  settle();
  QVector<qint64> many;
  for (int i = 0; i < 50; ++i) many << window_->rows()[i * 7].id;
  many << idOf("live");
  step("draw 50 runs", [&] { window_->panels()->select({.drawn = many}); });
  step("draw two", [&] { window_->panels()->select({.drawn = many.mid(0, 2)}); });
  step("draw 50 runs again", [&] { window_->panels()->select({.drawn = many}); });
  for (CurvePlot* chart : window_->panel<CurvesPanel>()->findChildren<CurvePlot*>()) {
    if (!chart->isVisible()) continue;
    step("zoom in", [=] { chart->setXRange(20, 120); });
    step("zoom out", [=] { chart->fit(); });
  }
}

void TestEventLoop::aLongSentenceIsDrawn() {
  window_->bringUp("hop-weights");
  settle();
  step("hop weights of a long sentence",
       [this] { window_->panels()->select({.run = idOf("long")}); });
  auto* hops = window_->panel<HopWeightsPanel>();
  QTRY_COMPARE(hops->sentenceMap()->columns().size(), kTokens);
  for (int view = 1; view < 4; ++view)
    step(QString("view %1 of the hops").arg(view), [=] { hops->views()->setCurrentIndex(view); });
  step("target-side attention", [this] { window_->bringUp("target-attention"); });
  auto* history = window_->panel<TargetAttentionPanel>();
  QTRY_COMPARE(history->sentence()->arcs()->words().size(), kTokens);
  HeatMapView* map = history->sentence()->map();
  QTRY_VERIFY(!map->maps().isEmpty());
  step("the last cell", [=] {
    map->setFocus();
    QTest::keyClick(map, Qt::Key_End, Qt::ControlModifier);
  });
  step("point at a cell", [=] { QTest::mouseMove(map, QPoint(400, 300)); });
  step("point at a word", [=] { QTest::mouseMove(history->sentence()->arcs(), QPoint(900, 60)); });
  step("whole words", [this] { child<QCheckBox>("historyWords")->setChecked(true); });
  step("tokens", [this] { child<QCheckBox>("historyWords")->setChecked(false); });
  step("over sentences", [this] { child<QTabWidget>("historyTabs")->setCurrentIndex(1); });
  step("of the sentence", [this] { child<QTabWidget>("historyTabs")->setCurrentIndex(0); });
  step("attention", [this] { window_->bringUp("attention"); });
  auto* attention = window_->panel<AttentionPanel>();
  QTRY_VERIFY(!attention->views()->matrix()->maps().isEmpty());
  for (const int tab : {1, 2, 0})
    step(QString("tab %1 of the attention").arg(tab),
         [=] { attention->views()->setCurrentIndex(tab); });
  step("point at attention",
       [=] { QTest::mouseMove(attention->views()->matrix(), QPoint(400, 300)); });
  step("whole words of attention",
       [this] { child<QCheckBox>("attentionWords")->setChecked(true); });
  step("another run", [this] { window_->panels()->select({.run = idOf("broken")}); });
}

void TestEventLoop::whatIsNotANumberIsDrawn() {
  for (const char* panel : {"hop-weights", "target-attention", "attention"})
    step(QString("%1 with NaN").arg(panel), [=, this] {
      window_->bringUp(panel);
      window_->panels()->select({.run = idOf("broken")});
    });
}

// 50 a second, for five seconds, in sight of each panel that follows them.
void TestEventLoop::pointsArrive() {
  std::atomic<bool> ended = false;
  std::thread trainer([&] {
    for (std::int64_t step = 100'010; !ended; step += 10) {
      fixture::train(*live_, step, step);
      std::this_thread::sleep_for(std::chrono::milliseconds(60));
    }
  });
  for (const char* panel : {"curves", "runs", "sweeps", "monitor", "samples"}) {
    application()->takeTurns();
    window_->bringUp(panel);
    window_->panels()->select({.run = idOf("live")});
    QTest::qWait(3000);
    const auto turns = application()->takeTurns();
    for (const LoopTurn& turn : turns)
      if (turn.cpu > kLongestTurn / 4)
        qInfo("%s: %.0f ms %s", panel, turn.cpu, qPrintable(turn.what));
    if (!turns.isEmpty() && turns[0].cpu > kLongestTurn)
      overruns_[QString("points arrive in %1").arg(panel)] = turns[0].what;
  }
  ended = true;
  trainer.join();
}

// A turn that is long in one of three windows may be the computer's, which others use, too; one
// that is long in each of them is the window's. Whatever else fails has failed at once.
static int inThreeWindows(int argc, char** argv) {
  // Nothing here has to survive a power cut: without waiting for a disk, 1,000 runs take seconds.
  if (QFileInfo(QStringLiteral("/dev/shm")).isWritable()) qputenv("TMPDIR", "/dev/shm");
  WatchedApplication watched(argc, argv);
  watched.setAttribute(Qt::AA_Use96Dpi);
  Overruns always;
  for (int window = 0; window < 3; ++window) {
    TestEventLoop test;
    const int failures = QTest::qExec(&test, argc, argv);
    if (failures != 0) return failures;
    if (window == 0) always = test.overruns();
    std::erase_if(always, [&](const auto& each) { return !test.overruns().contains(each.first); });
    if (always.empty()) return 0;
  }
  for (const auto& [what, turns] : always)
    qWarning("longer than %.0f ms each time: %s%s", kLongestTurn, qPrintable(what),
             qPrintable(turns));
  return 1;
}

STRATA_TEST_RUN(inThreeWindows)
#include "test_event_loop.moc"
