// The log of a run in its folder.
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <QTest>
#include <fstream>
#include <sstream>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/store/event_log.h"
#include "core/store/run_session.h"
#include "tests/program.h"

using namespace strata;

namespace {

std::vector<std::string> textsOf(const std::vector<RunLogLine>& lines) {
  std::vector<std::string> texts;
  for (const RunLogLine& line : lines) texts.push_back(line.text);
  return texts;
}

void append(const fs::path& folder, const std::string& bytes) {
  std::ofstream(folder / "log.jsonl", std::ios::binary | std::ios::app) << bytes;
}

}  // namespace

class TestRunLog : public QObject {
  Q_OBJECT

 private slots:
  // The program's log stays out of the test's own output.
  void initTestCase() {
    const auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(shown_);
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("", sink));
  }

  void copiesTheLogWhileItLives() {
    TemporaryFolder folder;
    const double before = nowSeconds();
    spdlog::info("too early");
    {
      const RunLog log(folder.path());
      spdlog::info("step={} loss={}", 5, 0.5);
      spdlog::warn("a \"quoted\" word\nand a second line");
      spdlog::debug("below the log's level");
    }
    spdlog::info("too late");
    std::uint64_t offset = 0;
    const auto lines = readRunLog(folder.path(), offset);
    QCOMPARE(textsOf(lines),
             (std::vector<std::string>{"step=5 loss=0.5", "a \"quoted\" word\nand a second line"}));
    QCOMPARE(lines[0].level, std::string("info"));
    QCOMPARE(lines[1].level, std::string("warning"));
    QVERIFY(before - 0.001 <= lines[0].time && lines[0].time <= lines[1].time &&
            lines[1].time <= nowSeconds());
    QCOMPARE(offset, std::uint64_t(fs::file_size(folder / "log.jsonl")));
    QVERIFY(shown_.str().find("step=5 loss=0.5") != std::string::npos);  // stderr has it as well
  }

  // One JSON object a line, as other programs read it.
  void everyLineIsAnObject() {
    TemporaryFolder folder;
    {
      const RunLog log(folder.path());
      spdlog::error("not UTF-8: \xff");
    }
    std::string text = readFile(folder / "log.jsonl");
    QVERIFY(text.ends_with("\n"));
    const Json line = parseJson(text, "log.jsonl");
    QCOMPARE(line.size(), std::size_t(3));
    QCOMPARE(line["level"].get<std::string>(), std::string("error"));
    QCOMPARE(line["text"].get<std::string>(), std::string("not UTF-8: \xef\xbf\xbd"));
  }

  void aResumedRunGoesOnBehindItsLog() {
    TemporaryFolder folder;
    std::uint64_t offset = 0;
    QVERIFY(readRunLog(folder.path(), offset).empty());  // no file yet
    for (const char* text : {"first", "second"}) {
      const RunLog log(folder.path());
      spdlog::info(text);
    }
    QCOMPARE(textsOf(readRunLog(folder.path(), offset)),
             (std::vector<std::string>{"first", "second"}));
    QVERIFY(readRunLog(folder.path(), offset).empty());
    const RunLog log(folder.path());
    spdlog::info("third");
    QCOMPARE(textsOf(readRunLog(folder.path(), offset)), (std::vector<std::string>{"third"}));
  }

  // A line is read when it is whole, and a foreign one is shown as it is.
  void halfLinesWait() {
    TemporaryFolder folder;
    std::uint64_t offset = 0;
    append(folder.path(), "{\"time\": 2.5, \"level\": \"warning\", \"te");
    QVERIFY(readRunLog(folder.path(), offset).empty());
    QCOMPARE(offset, std::uint64_t(0));
    append(folder.path(), "xt\": \"whole\"}\nforeign words\n{\"text\": 3}\n");
    const auto lines = readRunLog(folder.path(), offset);
    QCOMPARE(textsOf(lines), (std::vector<std::string>{"whole", "foreign words", "{\"text\": 3}"}));
    QCOMPARE(lines[0].time, 2.5);
    QCOMPARE(lines[0].level, std::string("warning"));
    QCOMPARE(lines[1].time, 0.0);
    QCOMPARE(lines[1].level, std::string("info"));
  }

  void aFolderThatIsNotThereIsNamed() {
    TemporaryFolder folder;
    const std::size_t sinks = spdlog::default_logger()->sinks().size();
    try {
      const RunLog log(folder / "nowhere");
      QFAIL("nothing was thrown");
    } catch (const Error& error) {
      QVERIFY(std::string(error.what()).find("nowhere/log.jsonl") != std::string::npos);
    }
    QCOMPARE(spdlog::default_logger()->sinks().size(), sinks);
  }

 private:
  std::ostringstream shown_;
};

STRATA_GUILESS_TEST(TestRunLog)
#include "test_run_log.moc"
