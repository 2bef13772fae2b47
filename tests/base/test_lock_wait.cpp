#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <QtTest>
#include <thread>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/lock_wait.h"
#include "tests/program.h"

using namespace strata;
using namespace std::chrono_literals;

// Two open files of one process compete for a lock as those of two processes do.
class TestLockWait : public QObject {
  Q_OBJECT
 private slots:
  void whoHasTheLockIsNamed() {
    const TemporaryFolder folder;
    const OpenFile first(folder / "log", O_RDWR | O_CREAT), second(folder / "log", O_RDWR);
    QCOMPARE(lockOwner(second), std::string());
    waitForLock(first, LOCK_EX);
    QCOMPARE(lockOwner(second), "process " + std::to_string(::getpid()));
    try {
      waitForLock(second, LOCK_EX, {.silent = 5ms, .limit = 30ms});
      QFAIL("no error");
    } catch (const Error& error) {
      const std::string text = error.what();
      QVERIFY2(text.starts_with((folder / "log").string() + " is locked by process " +
                                std::to_string(::getpid()) + ": "),
               text.c_str());
    }
  }

  void aLockIsHadOnceItIsFree() {
    const TemporaryFolder folder;
    auto first = std::make_unique<OpenFile>(folder / "log", O_RDWR | O_CREAT);
    const OpenFile second(folder / "log", O_RDWR);
    waitForLock(*first, LOCK_SH);
    waitForLock(second, LOCK_SH);  // both read
    std::thread releases([&] {
      std::this_thread::sleep_for(50ms);
      first.reset();
    });
    waitForLock(second, LOCK_EX, {.limit = {}});
    releases.join();
    QVERIFY(!first);
  }
};

STRATA_GUILESS_TEST(TestLockWait)
#include "test_lock_wait.moc"
