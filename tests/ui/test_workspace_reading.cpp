// What the reader's thread reads of a workspace, without the thread.
#include <QTemporaryDir>
#include <QtTest>
#include <stdexcept>

#include "store_fixture.h"
#include "tests/program.h"
#include "ui/data/means_watch.h"
#include "ui/data/run_rows.h"
#include "ui/data/series_watch.h"

using namespace strata;
using namespace strata::ui;

class TestWorkspaceReading : public QObject {
  Q_OBJECT
 private slots:
  void init();
  void cleanup();
  void seriesArriveOnceAndThenGrow();
  void aSeriesWatchedAgainArrivesWhole();
  void manyPointsComeInParts();
  void rowsSayWhatARunHasRecorded();
  void damagedRecordingsAreReported();
  void meansAreReadWhenStepsCome();

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<RunSession> session_;
  qint64 run_ = 0;
};

void TestWorkspaceReading::init() {
  folder_ = std::make_unique<QTemporaryDir>();
  workspace_ = std::make_unique<Workspace>(folder_->path().toStdString());
  run_ = fixture::makeRun(*workspace_, "run").id;
  session_ = std::make_unique<RunSession>(*workspace_, run_, fixture::start());
}

void TestWorkspaceReading::cleanup() {
  session_->end({.runId = run_, .step = 1000, .outcome = RunOutcome::kFinished, .message = ""});
  session_.reset();
  workspace_.reset();
}

void TestWorkspaceReading::seriesArriveOnceAndThenGrow() {
  SeriesWatch watch({{run_, ""}, {run_, "lr"}});
  QVERIFY(watch.read(*workspace_).names.first().second.isEmpty());
  fixture::train(*session_, 10, 100);
  SeriesWatch::News news = watch.read(*workspace_);
  QCOMPARE(news.names.size(), 1);
  QVERIFY(news.names.first().second.contains("valid/nll"));
  QCOMPARE(news.points.size(), 1);
  QCOMPARE(news.points.first().key, (SeriesKey{run_, "lr"}));
  QCOMPARE(news.points.first().points.size(), std::size_t(10));
  news = watch.read(*workspace_);
  QVERIFY(news.names.isEmpty() && news.points.isEmpty());
  fixture::train(*session_, 110, 120);
  news = watch.read(*workspace_);
  QVERIFY(news.names.isEmpty());
  QCOMPARE(news.points.first().points.size(), std::size_t(2));
  QVERIFY(!news.points.first().replaces);
}

void TestWorkspaceReading::aSeriesWatchedAgainArrivesWhole() {
  fixture::train(*session_, 10, 100);
  SeriesWatch first({{run_, "lr"}});
  first.read(*workspace_);
  SeriesWatch more({{run_, "lr"}, {run_, "train/nll"}});
  more.goOnFrom(first);  // "lr" goes on
  SeriesWatch::News news = more.read(*workspace_);
  QCOMPARE(news.points.size(), 1);
  QCOMPARE(news.points.first().key.name, QString("train/nll"));
  SeriesWatch none({}), again({{run_, "lr"}});
  none.goOnFrom(more);
  again.goOnFrom(none);
  news = again.read(*workspace_);
  QCOMPARE(news.points.first().points.size(), std::size_t(10));
}

void TestWorkspaceReading::manyPointsComeInParts() {
  const auto points = [](std::int64_t from, std::int64_t to) {
    std::vector<ScalarPoint> made;
    for (std::int64_t step = from; step < to; ++step) made.push_back({step, 0, 0.5});
    return made;
  };
  const SeriesKey first{run_, "a"}, second{run_, "b"}, empty{run_, "c"};
  const auto parts = SeriesWatch::inParts(
      {{first, points(0, 7), true}, {second, points(0, 2), false}, {empty, {}, true}}, 3);
  QStringList told;
  for (const auto& part : parts) {
    QStringList pieces;
    for (const SeriesPoints& piece : part) {
      const QString range =
          piece.points.empty()
              ? QString()
              : QString("%1-%2").arg(piece.points.front().step).arg(piece.points.back().step);
      pieces << piece.key.name + range + (piece.replaces ? "!" : "");
    }
    told << pieces.join(' ');
  }
  QCOMPARE(told, (QStringList{"a0-2!", "a3-5", "a6-6 b0-1", "c!"}));
  QVERIFY(SeriesWatch::inParts({}, 3).isEmpty());
}

void TestWorkspaceReading::rowsSayWhatARunHasRecorded() {
  RunRows rows([](const std::exception& error) { QFAIL(error.what()); });
  QVERIFY(!rows.find(run_));
  const auto read = [&] { return rows.rowOf(*workspace_, runById(*workspace_, run_)); };
  QVERIFY(read().fusionSteps.isEmpty());
  QCOMPARE(rows.find(run_)->name, QString("run"));
  fixture::record(*session_, 200, 0);
  fixture::record(*session_, 100, 1);
  QCOMPARE(read().fusionSteps, (QVector<qint64>{100, 200}));
  QCOMPARE(*rows.find(run_), read());
}

// They do not hide the run.
void TestWorkspaceReading::damagedRecordingsAreReported() {
  fixture::record(*session_, 100, 0);
  std::filesystem::remove(session_->folder() / "recordings/step-100/index.json");
  int reports = 0;
  RunRows rows([&](const std::exception&) { ++reports; });
  const RunRow row = rows.rowOf(*workspace_, runById(*workspace_, run_));
  QCOMPARE(row.name, QString("run"));
  QVERIFY(row.fusionSteps.isEmpty());
  QCOMPARE(reports, 1);
}

void TestWorkspaceReading::meansAreReadWhenStepsCome() {
  MeansWatch watch(run_);
  QVERIFY(!watch.read(*workspace_, {}).has_value());
  fixture::record(*session_, 100, 0);
  fixture::record(*session_, 200, 1);
  const auto means = watch.read(*workspace_, {100, 200});
  QVERIFY(means.has_value());
  for (const QVector<HopMeans>& side : *means) {
    QCOMPARE(side.size(), 2);
    QCOMPARE(side[0].step, 100);
    QCOMPARE(side[1].step, 200);
  }
  QVERIFY(!watch.read(*workspace_, {100, 200}).has_value());
  MeansWatch again(run_);  // whoever watches anew wants them all
  again.goOnFrom(watch);
  QVERIFY(again.read(*workspace_, {100, 200}).has_value());
}

STRATA_GUILESS_TEST(TestWorkspaceReading)
#include "test_workspace_reading.moc"
