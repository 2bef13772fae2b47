#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include <QTest>
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/store/event_log.h"
#include "tests/program.h"

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
    appendRecords(file, {record});
  }
  static fs::path keptFile(const fs::path& file, std::uint64_t begin) {
    return file.string() + ".kept-" + std::to_string(begin);
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

  // Every length that a crash can leave: complete records stay, the next append follows them, and
  // the partial record is kept next to the log.
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
      const std::size_t begin = length >= 16 + 19 ? 16 + 19 : 16;
      const fs::path kept = keptFile(file, begin);
      QCOMPARE(fs::exists(kept), length > begin);
      if (length > begin) QCOMPARE(readFile(kept), whole.substr(begin, length - begin));
    }
  }

  // One flipped bit anywhere, especially in lengths: the other records are found, the next append
  // damages nothing, and every byte is still in the log or in a file next to it.
  void aFlippedBitCostsOneRecord() {
    TemporaryFolder folder;
    const std::vector<std::string> texts{"one", "three", "four!", "a longer record", "last"};
    std::vector<std::size_t> ends{16};
    for (const auto& text : texts) {
      append(folder / "whole", text);
      ends.push_back(ends.back() + 16 + text.size());
    }
    const std::string whole = readFile(folder / "whole");
    QCOMPARE(whole.size(), ends.back());
    for (std::size_t at = 0; at < whole.size(); ++at) {
      if (at >= 8 && at < 16) continue;  // the version: a newer program's log is refused
      for (const int bit : {0, 4, 7}) {
        const fs::path file = folder / (std::to_string(at) + "-" + std::to_string(bit));
        std::string bytes = whole;
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
        std::ofstream(file, std::ios::binary) << bytes;
        std::vector<std::string> expected;
        for (std::size_t i = 0; i < texts.size(); ++i)
          if (at < ends[i] || at >= ends[i + 1]) expected.push_back(texts[i]);
        LogScan scan;
        QCOMPARE(read(file, &scan), expected);
        QCOMPARE(scan.damaged().size(), std::size_t(1));
        const auto [begin, end] = scan.damaged()[0];
        QVERIFY(begin <= at && at < end);
        append(file, "new");
        expected.push_back("new");
        QCOMPARE(read(file, &scan), expected);
        QVERIFY(!scan.torn());
        const std::string after = readFile(file);
        const bool inTail = at >= ends[texts.size() - 1];
        QCOMPARE(after.substr(0, inTail ? begin : bytes.size()),
                 bytes.substr(0, inTail ? begin : bytes.size()));
        if (inTail) QCOMPARE(readFile(keptFile(file, begin)), bytes.substr(begin));
      }
    }
  }

  void whatIsKeptIsNeverOverwritten() {
    TemporaryFolder folder;
    std::ofstream(folder / "log") << "0123456789";
    QCOMPARE(keepNextTo(folder / "log", {2, 5}), folder / "log.kept-2");
    QCOMPARE(keepNextTo(folder / "log", {2, 5}), folder / "log.kept-2");
    QCOMPARE(keepNextTo(folder / "log", {2, 6}), folder / "log.kept-2-2");
    QCOMPARE(readFile(folder / "log.kept-2"), std::string("234"));
    QCOMPARE(readFile(folder / "log.kept-2-2"), std::string("2345"));
  }

  // A reader beside a writer sees half a record now and then: no damage.
  void aTailThatIsBeingWrittenIsNotTorn() {
    TemporaryFolder folder;
    append(folder / "log", "one");
    std::ofstream(folder / "log", std::ios::app) << "half a record";
    const int writer = ::open((folder / "log").c_str(), O_RDWR);
    QCOMPARE(::flock(writer, LOCK_EX), 0);
    LogScan scan;
    QCOMPARE(read(folder / "log", &scan), std::vector<std::string>{"one"});
    QVERIFY(!scan.torn());
    ::close(writer);
    read(folder / "log", &scan);
    QVERIFY(scan.torn());
  }

  void anAppendThatFailsLeavesTheLogAsItWas() {
    TemporaryFolder folder;
    append(folder / "log", "one");
    const std::string before = readFile(folder / "log");
    const LogRecord record{RecordKind::kEvent, std::string(1000, 'x')};
    const auto refuse = [] { throw Error("not yours"); };
    QVERIFY_EXCEPTION_THROWN(appendRecords(folder / "log", {record}, {.fence = refuse}), Error);
    QVERIFY(readFile(folder / "log") == before);
    // A disk that is full in the middle of a record.
    const auto old = std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    QCOMPARE(::getrlimit(RLIMIT_FSIZE, &limit), 0);
    const rlimit small{.rlim_cur = before.size() + 500, .rlim_max = limit.rlim_max};
    QCOMPARE(::setrlimit(RLIMIT_FSIZE, &small), 0);
    QVERIFY_EXCEPTION_THROWN(appendRecords(folder / "log", {record}), Error);
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, old);
    QVERIFY(readFile(folder / "log") == before);
    append(folder / "log", "two");
    QCOMPARE(read(folder / "log"), (std::vector<std::string>{"one", "two"}));
  }

  void passesOverADamagedRecordAndNamesIt() {
    TemporaryFolder folder;
    for (const char* text : {"one", "two", "six"}) append(folder / "log", text);
    std::string bytes = readFile(folder / "log");
    bytes[16 + 19 + 16] ^= 1;  // the first byte of "two"
    std::ofstream(folder / "log", std::ios::binary) << bytes;
    LogScan scan;
    QCOMPARE(read(folder / "log", &scan), (std::vector<std::string>{"one", "six"}));
    const auto damage = describeDamage(folder / "log", scan);
    QCOMPARE(damage.size(), std::size_t(1));
    QVERIFY(damage[0].find("bytes 35 to 54") != std::string::npos);
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

STRATA_GUILESS_TEST(TestEventLog)
#include "test_event_log.moc"
