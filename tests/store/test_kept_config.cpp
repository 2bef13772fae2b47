#include <QTest>
#include <optional>

#include "core/base/text_limits.h"
#include "core/run/config.h"
#include "core/store/event_log.h"
#include "core/store/kept_config.h"
#include "core/store/maintenance.h"
#include "store/store_fixture.h"
#include "tests/program.h"

using namespace strata;

// A run goes on with the configuration that it was given, or says that it is another.
class TestKeptConfig : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    folder_.emplace();
    workspace_.emplace(*folder_ / "w");
    Json config = smallConfig();
    config["training"] = {{"dropout", 0.1}, {"max_updates", 10}};
    run_ = createRun(*workspace_, {"a", config, ""});
    written_ = text();
  }
  void cleanup() {
    QVERIFY(checkWorkspace(*folder_ / "w").problems.empty());
    workspace_.reset();
    folder_.reset();
  }

  void theFileAsItWasWrittenIsFine() {
    checkConfig(*workspace_, run_);
    QVERIFY(acceptConfig(*workspace_, run_).empty());
    enqueueResume(*workspace_, run_.id);
    QCOMPARE(logRecords(), 1);
  }

  void anEditedFileIsRefusedWithTheDifference() {
    edit("dropout: 0.1", "dropout: 0.5");
    const std::string message = refusal();
    for (const char* part : {"config.effective.yaml", "'a'", "training.dropout: 0.1 -> 0.5",
                             "runs resume a --accept-edited"})
      QVERIFY2(message.find(part) != std::string::npos, message.c_str());
    QVERIFY(message.find("max_updates") == std::string::npos);
    QVERIFY_THROWS_EXCEPTION(ConfigEdited, enqueueResume(*workspace_, run_.id));
    QCOMPARE(nameOf(runById(*workspace_, run_.id).status), std::string_view("created"));
    // It stays so after the index was made anew, and until it is accepted.
    repairWorkspace(*folder_ / "w");
    QCOMPARE(refusal(), message);
    QCOMPARE(acceptConfig(*workspace_, run_),
             std::vector<std::string>{"training.dropout: 0.1 -> 0.5"});
    const Job job = enqueueResume(*workspace_, run_.id);
    QCOMPARE(job.config["training"]["dropout"].get<double>(), 0.5);
    edit("dropout: 0.5", "dropout: 0.1");
    QVERIFY(refusal().find("training.dropout: 0.5 -> 0.1") != std::string::npos);
  }

  void keysThatComeAndGoAreTheirDefaults() {
    edit("  max_updates: 10\n", "  clip_norm: 3\n");
    const std::string message = refusal();
    for (const char* part : {"training.max_updates: 10 -> 0", "training.clip_norm: 0.0 -> 3"})
      QVERIFY2(message.find(part) != std::string::npos, message.c_str());
  }

  void aCutFileIsRefused_data() {
    QTest::addColumn<double>("share");
    for (const double share : {0.0, 0.3, 0.6, 0.95}) QTest::addRow("%.0f %%", 100 * share) << share;
  }
  void aCutFileIsRefused() {
    QFETCH(double, share);
    write(written_.substr(0, std::size_t(share * double(written_.size()))));
    const std::string message = refusal();
    QVERIFY2(message.find("config.effective.yaml") != std::string::npos, message.c_str());
    write(written_);
    checkConfig(*workspace_, run_);
  }

  void aCommentIsNoEdit() {
    write("# mine\n" + written_);
    checkConfig(*workspace_, run_);
    edit("dropout: 0.1", "dropout: 0.5");
    QVERIFY(refusal().find("training.dropout: 0.1 -> 0.5") != std::string::npos);
  }

  // Killed after the record and before the file, again and again.
  void afterAKillEitherIsRight() {
    for (int change = 0; change < 4; ++change) {
      const std::string before = text();
      Json config = runConfig(run_);
      config["training"]["max_updates"] = 20 + change;
      replaceConfig(*workspace_, run_.id, config);
      QVERIFY(before != text());
      checkConfig(*workspace_, run_);
      if (change % 2 == 0) continue;
      const std::string after = text();
      write(before);
      checkConfig(*workspace_, run_);
      write(after);  // now by hand
      QVERIFY(refusal().find("training.max_updates") != std::string::npos);
      write(before);
      checkConfig(*workspace_, run_);
    }
  }

  void aRunOfAnEarlierVersionIsGivenADigest() {
    // Its log has the first record only.
    const fs::path log = run_.folder / "events.log";
    const LogRecord first = *firstRecord(log);
    fs::remove(log);
    appendRecords(log, {first});
    repairWorkspace(*folder_ / "w");
    edit("dropout: 0.1", "dropout: 0.2");
    checkConfig(*workspace_, run_);
    QCOMPARE(logRecords(), 1);
    edit("dropout: 0.2", "dropout: 0.3");
    QVERIFY(refusal().find("training.dropout: 0.2 -> 0.3") != std::string::npos);
  }

 private:
  fs::path file() const { return run_.folder / "config.effective.yaml"; }
  std::string text() const { return readFile(file()); }
  void write(const std::string& text) const { writeFileAtomic(file(), text); }
  void edit(const std::string& from, const std::string& to) const {
    std::string edited = text();
    const auto at = edited.find(from);
    QVERIFY2(at != std::string::npos, edited.c_str());
    write(edited.replace(at, from.size(), to));
  }
  std::string refusal() {
    try {
      checkConfig(*workspace_, run_);
    } catch (const ConfigEdited& error) {
      return error.what();
    }
    return {};
  }
  int logRecords() const {
    int records = 0;
    scanLog(run_.folder / "events.log", 0, [&](RecordKind, std::string_view payload) {
      records += tryParseJson(payload)->value("type", "") == "config";
    });
    return records;
  }

  std::optional<TemporaryFolder> folder_;
  std::optional<Workspace> workspace_;
  RunSummary run_;
  std::string written_;
};

STRATA_GUILESS_TEST(TestKeptConfig)
#include "test_kept_config.moc"
