#include <QTest>
#include <filesystem>
#include <fstream>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/store/event_log.h"

using namespace strata;

class TestEventLog : public QObject {
  Q_OBJECT

 private:
  static std::vector<std::string> read(const fs::path& file, LogScan* scan = nullptr) {
    std::vector<std::string> payloads;
    const LogScan found = scanLog(
        file, 0, [&](RecordKind, std::string_view payload) { payloads.emplace_back(payload); });
    if (scan) *scan = found;
    return payloads;
  }
  static void append(const fs::path& file, const std::string& payload) {
    const LogRecord record{RecordKind::kEvent, payload};
    appendRecords(file, std::span(&record, 1));
  }

 private slots:
  void readsBackWhatWasAppended() {
    TemporaryFolder folder;
    append(folder / "log", "one");
    append(folder / "log", "three");
    QCOMPARE(read(folder / "log"), (std::vector<std::string>{"one", "three"}));
    // header 16, two records of 16 + payload
    QCOMPARE(fs::file_size(folder / "log"), std::uintmax_t(16 + 16 + 3 + 16 + 5));
  }

  // Every length that a crash can leave: the whole records stay, and the next append follows them.
  void cutsATornTailAtEveryByte() {
    TemporaryFolder folder;
    append(folder / "whole", "one");
    append(folder / "whole", "three");
    const std::string whole = readFile(folder / "whole");
    for (std::size_t length = 0; length < whole.size(); ++length) {
      const fs::path file = folder / std::to_string(length);
      std::ofstream(file, std::ios::binary) << whole.substr(0, length);
      append(file, "new");
      std::vector<std::string> expected{"new"};
      if (length >= 16 + 19) expected.insert(expected.begin(), "one");
      LogScan scan;
      QCOMPARE(read(file, &scan), expected);
      QVERIFY(!scan.torn());
    }
  }

  void passesOverADamagedRecordAndNamesIt() {
    TemporaryFolder folder;
    for (const char* text : {"one", "two", "six"}) append(folder / "log", text);
    std::string bytes = readFile(folder / "log");
    bytes[16 + 19 + 16] ^= 1;  // the first byte of "two"
    std::ofstream(folder / "log", std::ios::binary) << bytes;
    LogScan scan;
    QCOMPARE(read(folder / "log", &scan), (std::vector<std::string>{"one", "six"}));
    QCOMPARE(scan.damage.size(), std::size_t(1));
    QVERIFY(scan.damage[0].find("byte 35") != std::string::npos);
    append(folder / "log", "ten");
    QCOMPARE(read(folder / "log"), (std::vector<std::string>{"one", "six", "ten"}));
  }

  void refusesAForeignFile() {
    TemporaryFolder folder;
    std::ofstream(folder / "log") << "something else altogether";
    QVERIFY_EXCEPTION_THROWN(append(folder / "log", "x"), Error);
    QCOMPARE(readFile(folder / "log"), std::string("something else altogether"));
  }

  void packsScalarsBySeriesInTheirOrder() {
    const std::vector<ScalarEvent> events{
        {0, "b", 1, 0.5, 2.000001}, {0, "a", 1, 7, 3}, {0, "b", 2, 0.25, 4}};
    std::string text;
    QVERIFY(unpackScalars(packScalars(events), [&](auto name, auto points) {
      for (const auto& p : points)
        text += std::string(name) + std::to_string(p.step) + ":" + std::to_string(p.wall) + " ";
    }));
    QCOMPARE(text, std::string("a1:3000000 b1:2000001 b2:4000000 "));
    QVERIFY(!unpackScalars(packScalars(events).substr(0, 20), [](auto, auto) {}));
  }
};

QTEST_GUILESS_MAIN(TestEventLog)
#include "test_event_log.moc"
