#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QTest>
#include <thread>

#include "core/base/error.h"
#include "core/base/named_output.h"
#include "tests/program.h"

using namespace strata;

// What becomes of a name that is not that of a regular file.
class TestNamedOutput : public QObject {
  Q_OBJECT

 private slots:
  void regularFilesAreReplacedAsAWhole() {
    const fs::path file = folder_ / "new" / "file";
    writeNamedOutput(file, "one");
    const fs::path second = folder_ / "second name";
    fs::create_hard_link(file, second);
    writeNamedOutput(file, "two");
    QCOMPARE(readFile(file), std::string("two"));
    QCOMPARE(readFile(second), std::string("one"));
    QCOMPARE(namesIn(folder_ / "new").size(), std::size_t(1));
  }

  void linksLeadToTheirFiles() {
    fs::create_directories(folder_ / "a" / "b");
    writeFileAtomic(folder_ / "a" / "file", "old");
    fs::create_symlink("../file", folder_ / "a" / "b" / "near");
    fs::create_symlink(folder_ / "a" / "b" / "near", folder_ / "far");
    writeNamedOutput(folder_ / "far", "new");
    QCOMPARE(readFile(folder_ / "a" / "file"), std::string("new"));
    QVERIFY(fs::is_symlink(folder_ / "far") && fs::is_symlink(folder_ / "a" / "b" / "near"));
    fs::create_symlink("absent", folder_ / "dangling");
    writeNamedOutput(folder_ / "dangling", "made");
    QVERIFY(fs::is_symlink(folder_ / "dangling"));
    QCOMPARE(readFile(folder_ / "absent"), std::string("made"));
  }

  void linksWithoutEndAreRefused() {
    fs::create_symlink("round", folder_ / "trip");
    fs::create_symlink("trip", folder_ / "round");
    QVERIFY_THROWS_EXCEPTION(Error, writeNamedOutput(folder_ / "round", "x"));
    QVERIFY(fs::is_symlink(folder_ / "round"));
  }

  void devicesStayDevices() {
    writeNamedOutput("/dev/null", "x");
    fs::create_symlink("/dev/null", folder_ / "null");
    writeNamedOutput(folder_ / "null", "x");
    for (const char* device : {"/dev/null", "/dev/full"}) QVERIFY(fs::is_character_file(device));
    QVERIFY_THROWS_EXCEPTION(Error, writeNamedOutput("/dev/full", "x"));
    QVERIFY(fs::is_character_file("/dev/full"));
  }

  void pipesAreWrittenInto() {
    const fs::path pipe = folder_ / "pipe";
    QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
    std::string read;
    std::thread reader([&] { read = readFile(pipe); });
    const std::string content(300'000, 'x');  // more than a pipe holds
    writeNamedOutput(pipe, content);
    reader.join();
    QVERIFY(read == content);
    QVERIFY(fs::is_fifo(pipe));
  }

  // As /dev/stdout, of a program whose output is appended to a file.
  void openDescriptorsAreWrittenInto() {
    const fs::path file = folder_ / "log";
    writeFileAtomic(file, "before\n");
    const int open = ::open(file.c_str(), O_WRONLY | O_APPEND);
    writeNamedOutput("/proc/self/fd/" + std::to_string(open), "one\n");
    QCOMPARE(::write(open, "two\n", 4), ssize_t(4));
    ::close(open);
    QCOMPARE(readFile(file), std::string("before\none\ntwo\n"));
  }

  // What lies in a workspace must not lead out of it.
  void filesOfAWorkspaceReplaceALink() {
    writeFileAtomic(folder_ / "outside", "theirs");
    fs::create_symlink("outside", folder_ / "config.yaml");
    writeFileAtomic(folder_ / "config.yaml", "ours");
    QCOMPARE(readFile(folder_ / "outside"), std::string("theirs"));
    QCOMPARE(readFile(folder_ / "config.yaml"), std::string("ours"));
    QVERIFY(!fs::is_symlink(folder_ / "config.yaml"));
  }

 private:
  TemporaryFolder folder_;
};

STRATA_GUILESS_TEST(TestNamedOutput)
#include "test_named_output.moc"
