#include <QTest>
#include <fstream>
#include <set>

#include "core/base/json.h"
#include "core/base/text_limits.h"
#include "core/run/checkpoint_files.h"
#include "core/store/event_log.h"
#include "core/store/left_out.h"
#include "core/store/merge.h"
#include "core/store/merge_log.h"
#include "core/store/merge_origin.h"
#include "core/store/run_session.h"
#include "core/store/scalars.h"
#include "fixture.h"
#include "store/store_fixture.h"
#include "tests/program.h"
#include "tests/store/checkpoint_steps.h"

using namespace strata;

namespace {

void addEmptyCheckpoint(const fs::path& run, std::int64_t step) {
  const fs::path folder = checkpointsFolder(run) / checkpointName(step);
  for (const char* name : {kConfigFile, kModelFile, kTrainingFile})
    writeFileAtomic(folder / name, std::string(100, 'x'));
  writeCheckpointManifest(folder, {.step = step, .scores = {{"valid/nll", 1.0}}});
}

// Trains from one update to the next, as another process does after a pause.
void train(Workspace& workspace, const RunSummary& run, std::int64_t from, std::int64_t to) {
  RunSession session(workspace, run.id, {});
  session.scalars(series("valid/nll", from, to));
  session.end({.runId = run.id, .step = to - 1, .outcome = RunOutcome::kStopped, .message = {}});
}

std::string logOf(const RunSummary& run) {
  return readFile(eventLogOf(run.folder));
}

void appendTo(const RunSummary& run, std::string_view bytes) {
  std::ofstream(eventLogOf(run.folder), std::ios::binary | std::ios::app) << bytes;
}

using Steps = std::set<std::int64_t>;

}  // namespace

// Where two copies of a run meet: what a merge may change and remove.
class TestMerge : public QObject {
  Q_OBJECT
 private slots:
  void init() {
    folder_.emplace();
    source_.emplace(*folder_ / "source");
    workspace_.emplace(*folder_ / "w");
    there_ = createRun(*source_, {"a", smallConfig(), ""});
    train(*source_, there_, 1, 5);
    for (const int step : {1, 2, 3}) addEmptyCheckpoint(there_.folder, step);
    writeFileAtomic(there_.folder / "outputs" / "theirs" / "output.txt", "there\n");
    QVERIFY(merged());
    here_ = findRun(*workspace_, "a");
  }

  void cleanup() {
    workspace_.reset();
    source_.reset();
    folder_.reset();
  }

  void onlyWhatWasBroughtIsRemoved() {
    writeFileAtomic(here_.folder / "outputs" / "ours" / "output.txt", "here\n");
    writeFileAtomic(here_.folder / "recordings" / "step-7" / "index.json", "{}\n");
    addEmptyCheckpoint(here_.folder, 4);
    pinCheckpoint(checkpointsFolder(here_.folder) / checkpointName(1), true);
    for (const int step : {1, 2})
      removeCheckpoint(checkpointsFolder(there_.folder) / checkpointName(step));
    fs::remove_all(there_.folder / "outputs" / "theirs");
    fs::create_directories(there_.folder / "recordings");
    for (int pass = 0; pass < 2; ++pass) {
      QVERIFY(merged());
      QCOMPARE(checkpointSteps(here_), (Steps{1, 3, 4}));
      QVERIFY(fs::exists(here_.folder / "outputs" / "ours" / "output.txt"));
      QVERIFY(fs::exists(here_.folder / "recordings" / "step-7"));
      QVERIFY(!fs::exists(here_.folder / "outputs" / "theirs"));
    }
    fs::remove_all(checkpointsFolder(there_.folder));
    fs::create_directories(checkpointsFolder(there_.folder));
    QVERIFY(merged());
    QCOMPARE(checkpointSteps(here_), (Steps{1, 4}));
  }

  // A translation that was removed here and made anew is no longer the source's.
  void whatWasMadeAnewHereStays() {
    const fs::path output = here_.folder / "outputs" / "theirs";
    leaveOut(output);
    fs::remove_all(output);
    QVERIFY(merged());
    writeFileAtomic(output / "output.txt", "here\n");
    fs::remove_all(there_.folder / "outputs" / "theirs");
    QVERIFY(merged() && merged());
    QCOMPARE(readFile(output / "output.txt"), std::string("here\n"));
  }

  void ofEarlierMergesNothingIsRemoved() {
    forgetNewKeys();
    fs::remove_all(checkpointsFolder(there_.folder) / checkpointName(2));
    addEmptyCheckpoint(there_.folder, 5);
    QVERIFY(merged() && merged());
    QCOMPARE(checkpointSteps(here_), (Steps{1, 2, 3, 5}));
    fs::remove_all(checkpointsFolder(there_.folder) / checkpointName(5));
    QVERIFY(merged());
    QCOMPARE(checkpointSteps(here_), (Steps{1, 2, 3}));
  }

  // The run is known by its identity, not by its place.
  void aSourceThatWasMovedGoesOn() {
    const fs::path moved = source_->root().parent_path() / "moved";
    source_.reset();
    fs::rename(*folder_ / "source", moved);
    QCOMPARE(mergeRuns(*workspace_, moved).unchanged, 1);
    source_.emplace(moved);
    there_ = findRun(*source_, "a");
    train(*source_, there_, 5, 9);
    QCOMPARE(mergeRuns(*workspace_, moved).grown, std::vector<std::string>{"a"});
    QCOMPARE(logOf(here_), logOf(there_));
    QCOMPARE(listRuns(*workspace_, {}).size(), 1u);
  }

  // Both would count as seeds of a system.
  void aCopyOfASourceIsAProblem() {
    const fs::path copy = *folder_ / "copy";
    fs::copy(source_->root(), copy, fs::copy_options::recursive);
    const auto report = mergeRuns(*workspace_, copy);
    QCOMPARE(report.problems.size(), 1u);
    QVERIFY2(report.problems[0].find("is a copy of " + there_.folder.string()) != std::string::npos,
             report.problems[0].c_str());
    QVERIFY(report.added.empty());
    QCOMPARE(listRuns(*workspace_, {}).size(), 1u);
  }

  void aSourceTrainedAnewIsAProblem_data() {
    QTest::addColumn<bool>("old");
    QTest::newRow("merged now") << false;
    QTest::newRow("merged by an earlier version") << true;
  }
  void aSourceTrainedAnewIsAProblem() {
    QFETCH(bool, old);
    if (old) forgetNewKeys();
    const std::string log = logOf(here_);
    for (const int to : {3, 5, 50}) {  // shorter, as long, longer
      replaceSource(to);
      const auto report = mergeRuns(*workspace_, source_->root());
      QCOMPARE(report.problems.size(), 1u);
      QVERIFY2(report.problems[0].find("'a' stays as it is") != std::string::npos,
               report.problems[0].c_str());
      QVERIFY(report.added.empty() && report.grown.empty() && report.unchanged == 0);
      QCOMPARE(logOf(here_), log);
      QCOMPARE(checkpointSteps(here_), (Steps{1, 2, 3}));
      QCOMPARE(readFile(here_.folder / "outputs" / "theirs" / "output.txt"),
               std::string("there\n"));
    }
  }

  void aSourceThatShrinksIsAProblem() {
    const std::string log = logOf(here_);
    fs::resize_file(eventLogOf(there_.folder), log.size() - 1);
    const auto report = mergeRuns(*workspace_, source_->root());
    QCOMPARE(report.problems.size(), 1u);
    QVERIFY2(report.problems[0].find("were merged") != std::string::npos,
             report.problems[0].c_str());
    QCOMPARE(logOf(here_), log);
  }

  // One byte of what was merged is another, and the log grows.
  void aChangedBeginningIsAProblem() {
    std::string log = logOf(there_);
    log[log.size() - 3] ^= 1;
    writeFileAtomic(eventLogOf(there_.folder), log);
    train(*source_, there_, 5, 9);
    const std::string before = logOf(here_);
    const auto report = mergeRuns(*workspace_, source_->root());
    QCOMPARE(report.problems.size(), 1u);
    QVERIFY2(report.problems[0].find("does not begin") != std::string::npos,
             report.problems[0].c_str());
    QCOMPARE(logOf(here_), before);
  }

  void itGrowsByWhatIsNew_data() {
    QTest::addColumn<bool>("old");
    QTest::addColumn<bool>("renamed");
    QTest::newRow("merged now") << false << false;
    QTest::newRow("renamed here") << false << true;
    QTest::newRow("merged by an earlier version") << true << false;
    QTest::newRow("by an earlier version, renamed here") << true << true;
  }
  void itGrowsByWhatIsNew() {
    QFETCH(bool, old);
    QFETCH(bool, renamed);
    LogDigests digests;
    for (int pass = 1; pass <= 3; ++pass) {
      if (old) forgetNewKeys();
      if (renamed) renameRun(*workspace_, here_.id, "name " + std::to_string(pass));
      train(*source_, there_, 4 * pass + 1, 4 * pass + 5);
      const auto report = mergeRuns(*workspace_, source_->root(), digests);
      QVERIFY2(report.problems.empty(), report.problems.empty() ? "" : report.problems[0].c_str());
      QCOMPARE(report.grown.size(), 1u);
      QCOMPARE(points(*workspace_, here_), points(*source_, there_));
    }
    if (!renamed) QCOMPARE(logOf(here_), logOf(there_));
  }

  // Killed after (part of) the source's new records were appended, before merged.json said so.
  void aKilledMergeAppendsOnce_data() {
    QTest::addColumn<int>("share");  // percent that was appended
    QTest::addColumn<bool>("renamed");
    for (const int share : {0, 1, 37, 99, 100}) {
      QTest::addRow("%d %%", share) << share << false;
      QTest::addRow("%d %%, then renamed", share) << share << true;
    }
  }
  void aKilledMergeAppendsOnce() {
    QFETCH(int, share);
    QFETCH(bool, renamed);
    const std::size_t before = logOf(there_).size();
    train(*source_, there_, 5, 9);
    train(*source_, there_, 9, 13);
    const std::string fresh = logOf(there_).substr(before);
    appendTo(here_, std::string_view(fresh).substr(0, fresh.size() * std::size_t(share) / 100));
    if (renamed) renameRun(*workspace_, here_.id, "b");
    QVERIFY(merged() && merged());
    QCOMPARE(points(*workspace_, here_), points(*source_, there_));
    QCOMPARE(starts(here_), starts(there_));
    if (!renamed) QCOMPARE(logOf(here_), logOf(there_));
    QCOMPARE(runById(*workspace_, here_.id).name, std::string(renamed ? "b" : "a"));
  }

  void aRunHasAnIdentity() {
    const std::string own = identityOf(eventLogOf(there_.folder));
    QCOMPARE(own.size(), 32u);
    QCOMPARE(identityOf(eventLogOf(here_.folder)), own);
    const auto other = createRun(*source_, {"b", smallConfig(), ""});
    QVERIFY(identityOf(eventLogOf(other.folder)) != own);
    // Of earlier versions: by the first record, which has a time.
    const fs::path log = *folder_ / "old.log";
    appendRecords(log, {eventRecord({{"type", "created"}, {"time", 1.5}})});
    const std::string old = identityOf(log);
    appendRecords(log, {eventRecord({{"type", "note"}, {"note", "n"}})});
    QVERIFY(!old.empty() && identityOf(log) == old);
    QCOMPARE(identityOf(*folder_ / "none.log"), std::string());
  }

 private:
  bool merged() {
    const auto report = mergeRuns(*workspace_, source_->root());
    for (const auto& problem : report.problems) qWarning("%s", problem.c_str());
    return report.problems.empty();
  }

  // As merged by a version that recorded neither digests nor what was brought.
  void forgetNewKeys() {
    Json origin = readJson(here_.folder / kMergeOrigin);
    for (const char* key : {"identity", "log_digest", "brought"}) origin.erase(key);
    writeFileAtomic(here_.folder / kMergeOrigin, origin.dump());
  }

  // Another run, of as many updates, in the folder of the source.
  void replaceSource(int to) {
    const fs::path folder = there_.folder;
    source_.reset();
    fs::remove_all(folder_->path() / "source");
    source_.emplace(*folder_ / "source");
    there_ = createRun(*source_, {"a", smallConfig(), ""});
    QCOMPARE(there_.folder, folder);
    train(*source_, there_, 1, to);
    fs::create_directories(checkpointsFolder(folder));
  }

  static std::vector<std::pair<std::int64_t, double>> points(Workspace& workspace,
                                                             const RunSummary& run) {
    std::vector<std::pair<std::int64_t, double>> points;
    for (const ScalarPoint& point : readSeries(workspace, run.id, "valid/nll"))
      points.emplace_back(point.step, point.value);
    return points;
  }

  static int starts(const RunSummary& run) {
    int starts = 0;
    scanLog(eventLogOf(run.folder), 0, [&](RecordKind kind, std::string_view payload) {
      if (kind == RecordKind::kEvent)
        starts += tryParseJson(payload)->value("type", "") == "started";
    });
    return starts;
  }

  std::optional<TemporaryFolder> folder_;
  std::optional<Workspace> source_, workspace_;
  RunSummary there_, here_;
};

STRATA_GUILESS_TEST(TestMerge)
#include "test_merge.moc"
