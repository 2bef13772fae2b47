#include <QtTest>
#include <fstream>

#include "core/store/event_log.h"
#include "core/store/histograms.h"
#include "core/store/index.h"
#include "core/store/run_session.h"
#include "core/store/scalars.h"
#include "store/store_fixture.h"
#include "tests/program.h"

using namespace strata;

class TestHistograms : public QObject {
  Q_OBJECT
 private slots:
  void everyCountComesBack();
  void aLogIsReadOn();
  void aResumedRunReplacesItsSteps();
  void aTornRecordIsLeftOut();
  void aRunKeepsThemInItsLog();
};

static ValueHistogram counts(std::initializer_list<std::pair<int, std::int64_t>> bins) {
  ValueHistogram values;
  for (const auto& [bin, count] : bins) values.counts[static_cast<std::size_t>(bin)] = count;
  return values;
}

static HistogramEvent countsAt(std::int64_t step, std::int64_t count = 1) {
  return {.step = step,
          .layers = {{HistogramKind::kGradients, "encoder.layers.0", counts({{114, count}})},
                     {HistogramKind::kWeights, "encoder.layers.0", counts({{7, 2}})},
                     {HistogramKind::kWeights, "decoder.output", counts({{9, 3}})}}};
}

static void appendRecord(const fs::path& run, const LogRecord& record) {
  fs::create_directories(run);
  appendRecords(eventLogOf(run), {record});
}

static void appendRecord(const fs::path& run, const HistogramEvent& event) {
  appendRecord(run, {RecordKind::kHistograms, packHistograms(event)});
}

static void start(const fs::path& run, std::int64_t from) {
  appendRecord(run, eventRecord({{"type", "started"}, {"from_step", from}}));
}

static const HistogramFilter kGradients{.kind = HistogramKind::kGradients,
                                        .layer = "encoder.layers.0"};

void TestHistograms::everyCountComesBack() {
  TemporaryFolder folder;
  const ValueHistogram values =
      counts({{0, 1}, {1, 127}, {114, 128}, {200, 3'000'000'000}, {228, 1}, {229, 5}});
  appendRecord(folder / "run",
               {.step = 123'456'789, .layers = {{HistogramKind::kActivations, "a.b", values}}});
  HistogramLog log(folder / "run", {});
  QVERIFY(log.read());
  QCOMPARE(log.steps(), std::vector<std::int64_t>{123'456'789});
  QCOMPARE(log.found().size(), std::size_t{1});
  QVERIFY(log.found()[0].kind == HistogramKind::kActivations);
  QCOMPARE(log.found()[0].layer, std::string("a.b"));
  QVERIFY(log.found()[0].values == values);
}

void TestHistograms::aLogIsReadOn() {
  TemporaryFolder folder;
  HistogramLog log(folder / "run", kGradients), one(folder / "run", {.step = 20});
  QVERIFY(!log.read());  // there is no log yet
  appendRecord(folder / "run", countsAt(10));
  QVERIFY(log.read());
  QVERIFY(!log.read());
  appendRecord(folder / "run", countsAt(20, 7));
  QVERIFY(log.read());
  QCOMPARE(log.steps(), (std::vector<std::int64_t>{10, 20}));
  QCOMPARE(log.found().size(), std::size_t{2});
  QCOMPARE(log.found()[1].values.counts[114], std::int64_t{7});
  QCOMPARE(log.layers().size(), std::size_t{3});
  one.read();
  QCOMPARE(one.found().size(), std::size_t{3});
  QCOMPARE(one.steps().size(), std::size_t{2});
}

void TestHistograms::aResumedRunReplacesItsSteps() {
  TemporaryFolder folder;
  HistogramLog watched(folder / "run", kGradients);
  start(folder / "run", 0);
  for (const std::int64_t step : {10, 20, 30}) appendRecord(folder / "run", countsAt(step));
  watched.read();
  QCOMPARE(watched.steps().size(), std::size_t{3});
  start(folder / "run", 15);  // and killed before its next histogram
  QVERIFY(watched.read());
  QCOMPARE(watched.steps(), std::vector<std::int64_t>{10});
  QCOMPARE(watched.found().size(), std::size_t{1});
  start(folder / "run", 15);
  appendRecord(folder / "run", countsAt(20, 5));
  HistogramLog fresh(folder / "run", kGradients);
  for (HistogramLog* log : {&watched, &fresh}) {
    QVERIFY(log->read());
    QCOMPARE(log->steps(), (std::vector<std::int64_t>{10, 20}));
    QCOMPARE(log->found().back().values.counts[114], std::int64_t{5});
  }
  // A step in two records: its update was refused after its gradients had been counted.
  appendRecord(folder / "run", {.step = 30, .layers = {countsAt(30).layers[0]}});
  appendRecord(folder / "run", {.step = 30, .layers = {countsAt(30).layers[1]}});
  HistogramLog both(folder / "run", {.step = 30});
  both.read();
  QCOMPARE(both.found().size(), std::size_t{2});
  QCOMPARE(both.steps(), (std::vector<std::int64_t>{10, 20, 30}));
}

void TestHistograms::aTornRecordIsLeftOut() {
  TemporaryFolder folder;
  appendRecord(folder / "run", countsAt(10));
  const auto whole = fs::file_size(eventLogOf(folder / "run"));
  appendRecord(folder / "run", countsAt(20));
  for (auto length = whole; length < fs::file_size(eventLogOf(folder / "run")); ++length) {
    const fs::path copy = folder / std::to_string(length);
    fs::create_directories(copy);
    fs::copy_file(eventLogOf(folder / "run"), eventLogOf(copy));
    fs::resize_file(eventLogOf(copy), length);
    HistogramLog log(copy, kGradients);
    log.read();
    QCOMPARE(log.steps(), std::vector<std::int64_t>{10});
    appendRecord(copy, countsAt(20, 9));
    log.read();
    QCOMPARE(log.found().back().values.counts[114], std::int64_t{9});
  }
  // A record that a newer program wrote otherwise.
  appendRecord(folder / "run", {RecordKind::kHistograms, std::string("\x1e\x01\xff\xff\xff\xff")});
  HistogramLog log(folder / "run", kGradients);
  log.read();
  QCOMPARE(log.found().size(), std::size_t{2});
}

// The index, and a repair of it, pass over them.
void TestHistograms::aRunKeepsThemInItsLog() {
  TemporaryFolder folder;
  Workspace workspace(folder / "workspace");
  const RunSummary run = createRun(workspace, {.name = "one", .config = smallConfig()});
  {
    RunSession session(workspace, run.id, {});
    session.scalars(series("train/nll", 0, 3));
    session.histograms(countsAt(2));
    session.scalars(series("train/nll", 3, 5));
    session.flush();
    HistogramLog log(run.folder, kGradients);
    QVERIFY(log.read());
    QCOMPARE(log.steps(), std::vector<std::int64_t>{2});
    session.end({.runId = run.id, .step = 5, .message = ""});
  }
  QCOMPARE(readSeries(workspace, run.id, "train/nll").size(), std::size_t{5});
}

STRATA_GUILESS_TEST(TestHistograms)
#include "test_histograms.moc"
