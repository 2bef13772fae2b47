#include <QElapsedTimer>
#include <QTest>
#include <cmath>
#include <limits>

#include "core/store/chunk.h"
#include "core/store/index.h"
#include "core/store/maintenance.h"
#include "core/store/run_session.h"
#include "core/store/scalars.h"
#include "store/store_fixture.h"
#include "tests/program.h"

using namespace strata;

class TestScalars : public QObject {
  Q_OBJECT

 private:
  static void write(Workspace& workspace, std::int64_t run,
                    const std::vector<ScalarEvent>& events) {
    const LogRecord record{RecordKind::kScalars, packScalars(events)};
    appendToRun(workspace, run, record);
  }
  static std::vector<std::int64_t> stepsOf(const std::vector<ScalarPoint>& points) {
    std::vector<std::int64_t> steps;
    for (const auto& p : points) steps.push_back(p.step);
    return steps;
  }

 private slots:
  void chunksKeepEveryBit() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    const std::vector<std::vector<PackedPoint>> cases{
        {{5, 100, 0.1}},
        {{0, 0, 0.5}, {50, 10, 0.25}, {100, 20, nan}},        // constant stride, singles
        {{1, 10, 0.1}, {2, 5, -infinity}, {9, 1, infinity}},  // clock set back, uneven steps
        {{1, 0, 1e300}, {5'000'000'000'000, 1, -0.0}},
    };
    for (const auto& points : cases) {
      const std::string data = encodeChunk(points);
      std::vector<PackedPoint> back;
      QVERIFY(decodeChunk(std::as_bytes(std::span(data)), back));
      QCOMPARE(back.size(), points.size());
      for (std::size_t i = 0; i < points.size(); ++i) {
        QCOMPARE(back[i].step, points[i].step);
        QCOMPARE(back[i].wall, points[i].wall);
        if (std::isnan(points[i].value)) {
          QVERIFY(std::isnan(back[i].value));
        } else {
          QCOMPARE(back[i].value, points[i].value);
        }
      }
      back.clear();
      QVERIFY(!decodeChunk(std::as_bytes(std::span(data)).first(data.size() - 1), back));
    }
  }

  void readsAllPointsAndIncrements() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const auto run = createRun(workspace, {"a", smallConfig(), ""}).id;
    SeriesCursor cursor;
    std::vector<std::int64_t> seen;
    for (const std::int64_t end : {1000, 4095, 4096, 4097, 9000, 12288}) {
      write(workspace, run, series("train/nll", std::ssize(seen), end));
      const auto more = readSeriesSince(workspace, run, "train/nll", cursor);
      QCOMPARE(more.replaces, seen.empty());
      for (const auto& p : more.points) seen.push_back(p.step);
      cursor = more.next;
      QCOMPARE(std::ssize(seen), end);
    }
    const auto all = readSeries(workspace, run, "train/nll");
    QCOMPARE(stepsOf(all), seen);
    for (std::int64_t i = 0; i < 12288; ++i) {
      QCOMPARE(all[std::size_t(i)].step, i);
      QCOMPARE(all[std::size_t(i)].value, 1.0 / double(i + 3));
      QCOMPARE(all[std::size_t(i)].wallTime, 1.7e9 + 0.25 * double(i));
    }
    const auto summary = listSeries(workspace, run).at(0);
    QCOMPARE(summary.count, 12288);
    QCOMPARE(summary.maximumStep, 0);
    QCOMPARE(summary.minimumStep, 12287);
  }

  // The first and the last step with an extreme, over chunks, and after a run went back.
  void extremesHaveTheirLastSteps() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const auto run = createRun(workspace, {"a", smallConfig(), ""}).id;
    std::vector<ScalarEvent> events;
    for (std::int64_t step = 0; step < 9000; ++step) {
      const bool low = step == 7 || step == 5000 || step == 8999;
      events.push_back({.name = "x", .step = step, .value = low ? 1.0 : step == 4097 ? 3.0 : 2.0});
    }
    write(workspace, run, events);
    const auto summary = [&] { return listSeries(workspace, run).at(0); };
    QCOMPARE(summary().minimumStep, 7);
    QCOMPARE(summary().minimumLast, 8999);
    QCOMPARE(summary().maximumStep, 4097);
    QCOMPARE(summary().maximumLast, 4097);
    write(workspace, run, {{.name = "x", .step = 6000, .value = 2}});
    QCOMPARE(summary().minimumLast, 5000);
    write(workspace, run, {{.name = "x", .step = 20, .value = 2}});
    QCOMPARE(summary().minimumLast, 7);
    QCOMPARE(summary().maximumLast, 20);
  }

  // The end of a run packs its newest points; the curve is the same, also when the run goes on.
  void packsTheNewestPointsWhenTheRunEnds_data() {
    QTest::addColumn<int>("points");
    QTest::addColumn<int>("back");  // the step from which it goes on
    for (const int points : {1, 300, 4096, 5000}) {
      QTest::addRow("%d, goes on", points) << points << points;
      QTest::addRow("%d, goes back", points) << points << points / 2;
    }
  }
  void packsTheNewestPointsWhenTheRunEnds() {
    QFETCH(int, points);
    QFETCH(int, back);
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const auto run = createRun(workspace, {"a", smallConfig(), ""}).id;
    const auto rows = [&](const char* sql) {
      Query row(workspace.database(), sql);
      row.next();
      return row.integer(0);
    };
    const auto inRows = [&] { return rows("SELECT COUNT(*) FROM points"); };
    {
      RunSession session(workspace, run, {.fromStep = -1});
      session.scalars(series("x", 0, points));
      session.flush();
      QCOMPARE(inRows(), points % 4096);
      session.end({.runId = run, .step = points - 1, .message = {}});
    }
    QCOMPARE(inRows(), 0);
    const auto ended = readSeriesSince(workspace, run, "x", {});
    QCOMPARE(std::ssize(ended.points), points);
    QCOMPARE(readLastPoints(workspace, run, "x", 1).at(0).step, points - 1);
    {
      RunSession session(workspace, run, {.fromStep = back - 1});
      session.scalars(series("x", back, points + 700));
      session.flush();
      QCOMPARE(inRows(), (points + 700) % 4096);
      const auto more = readSeriesSince(workspace, run, "x", ended.next);
      QCOMPARE(more.replaces, back < points);
      QCOMPARE(std::ssize(more.points), back < points ? points + 700 : 700);
      session.end({.runId = run, .step = points + 699, .message = {}});
    }
    QCOMPARE(inRows(), 0);
    const auto all = readSeries(workspace, run, "x");
    QCOMPARE(std::ssize(all), points + 700);
    for (std::int64_t i = 0; i < std::ssize(all); ++i) {
      QCOMPARE(all[std::size_t(i)].step, i);
      QCOMPARE(all[std::size_t(i)].value, 1.0 / double(i + 3));
    }
    const auto summary = listSeries(workspace, run).at(0);
    QCOMPARE(summary.count, points + 700);
    QCOMPARE(summary.lastValue, 1.0 / double(points + 702));
    QCOMPARE(summary.minimumStep, points + 699);
    QCOMPARE(summary.maximumStep, 0);
    const std::string live = contentOf(workspace);
    repairWorkspace(folder / "w");
    QCOMPARE(contentOf(workspace), live);
  }

  void keepsNanAndInfinity() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const auto run = createRun(workspace, {"a", smallConfig(), ""}).id;
    write(workspace, run,
          {{0, "x", 1, 2.5, 1}, {0, "x", 2, std::nan(""), 2}, {0, "x", 3, -HUGE_VAL, 3}});
    const auto points = readSeries(workspace, run, "x");
    QCOMPARE(points.size(), std::size_t(3));
    QVERIFY(std::isnan(points[1].value));
    QCOMPARE(points[2].value, -HUGE_VAL);
    const auto summary = listSeries(workspace, run).at(0);
    QCOMPARE(summary.nonFinite, 2);
    QCOMPARE(summary.minimum, 2.5);
  }

  // A NaN has no sign, be its point a row, in the chunk of a run that has ended, or read anew from
  // the log: `runs export` prints the same.
  void aNanHasNoSign() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const auto run = createRun(workspace, {"a", smallConfig(), ""}).id;
    const auto isPlain = [&] {
      const double value = readSeries(workspace, run, "x").at(1).value;
      return std::isnan(value) && !std::signbit(value);
    };
    const double negative = std::copysign(std::nan(""), -1.0);
    RunSession session(workspace, run, {});
    session.scalars({{run, "x", 1, 2.5, 1}, {run, "x", 2, negative, 2}});
    session.flush();
    QVERIFY(isPlain());
    session.scalars({{run, "x", 3, negative, 3}});
    session.end({.runId = run, .step = 3, .message = ""});
    QVERIFY(isPlain());
    QVERIFY(!std::signbit(readSeries(workspace, run, "x").at(2).value));
    repairWorkspace(folder / "w");
    QVERIFY(isPlain());
  }

  // A run that goes back to an earlier step does its steps again.
  void replacesStepsThatAreDoneAgain_data() {
    QTest::addColumn<int>("back");
    for (const int step : {9500, 8191, 4096, 4095, 10, 0}) QTest::addRow("%d", step) << step;
  }
  void replacesStepsThatAreDoneAgain() {
    QFETCH(int, back);
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const auto run = createRun(workspace, {"a", smallConfig(), ""}).id;
    write(workspace, run, series("x", 0, 10000));
    const auto before = readSeriesSince(workspace, run, "x", {});
    auto again = series("x", back, back + 20);
    for (auto& event : again) event.value = -5;
    write(workspace, run, again);
    const auto after = readSeriesSince(workspace, run, "x", before.next);
    QVERIFY(after.replaces);
    QCOMPARE(std::ssize(after.points), back + 20);
    for (int i = 0; i < back + 20; ++i) {
      QCOMPARE(after.points[std::size_t(i)].step, i);
      QCOMPARE(after.points[std::size_t(i)].value, i < back ? 1.0 / (i + 3) : -5.0);
    }
    const auto summary = listSeries(workspace, run).at(0);
    QCOMPARE(summary.minimum, -5.0);
    QCOMPARE(summary.minimumStep, back);
    QCOMPARE(summary.lastStep, back + 19);
  }

  void startingFromAStepCutsAllSeries() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const auto run = createRun(workspace, {"a", smallConfig(), ""}).id;
    {
      RunSession session(workspace, run, {});
      session.scalars(series("train/nll", 0, 100));
      session.scalars(series("valid/nll", 98, 99));
      session.end({.runId = run, .step = 99, .outcome = RunOutcome::kStopped, .message = ""});
    }
    RunSession session(workspace, run, {.fromStep = 50});
    QCOMPARE(readSeries(workspace, run, "train/nll").back().step, 50);
    QVERIFY(readSeries(workspace, run, "valid/nll").empty());
    QCOMPARE(runById(workspace, run).step, 50);
    session.end({.runId = run, .step = 50, .message = ""});
  }

  // The figure depends on the computer and is printed; the bound is far above it.
  void readsMillionsOfPointsQuickly() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const auto run = createRun(workspace, {"a", smallConfig(), ""}).id;
    constexpr std::int64_t kPoints = 5'000'000, kBatch = 250'000;
    QElapsedTimer timer;
    timer.start();
    for (std::int64_t begin = 0; begin < kPoints; begin += kBatch)
      write(workspace, run, series("train/nll", begin, begin + kBatch));
    const double written = double(timer.nsecsElapsed()) / 1e9;
    double best = 1e9;
    for (int i = 0; i < 5; ++i) {
      timer.restart();
      const auto points = readSeries(workspace, run, "train/nll");
      best = std::min(best, double(timer.nsecsElapsed()) / 1e9);
      QCOMPARE(std::ssize(points), kPoints);
    }
    const auto bytes = fs::file_size(folder / "w" / "workspace.db");
    qInfo("5,000,000 points: written in %.2f s, read in %.3f s, %.1f bytes a point in the index",
          written, best, double(bytes) / double(kPoints));
    QVERIFY(best < 1.0);
  }
};

STRATA_GUILESS_TEST(TestScalars)
#include "test_scalars.moc"
