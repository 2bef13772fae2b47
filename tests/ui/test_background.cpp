#include <QSemaphore>
#include <QtTest>
#include <atomic>

#include "tests/program.h"
#include "ui/data/background.h"

using namespace strata::ui;

// What a widget shows is computed here or in another thread; only the latest arrives.
class TestBackground : public QObject {
  Q_OBJECT
 private slots:
  void smallThingsAreThereAtOnce();
  void largeThingsArriveLaterInThisThread();
  void onlyTheLatestArrives();
  void whatIsDroppedDoesNotArrive();
  void workOutlivesItsWidget();
};

void TestBackground::smallThingsAreThereAtOnce() {
  QObject widget;
  Background background(&widget);
  int shown = 0;
  background.run(
      Background::placeFor(100), [] { return 6 * 7; }, [&](int value) { shown = value; });
  QCOMPARE(shown, 42);
  QVERIFY(!background.isBusy());
  QCOMPARE(Background::placeFor(4'000'000), Background::Where::kThread);
}

void TestBackground::largeThingsArriveLaterInThisThread() {
  Background background(nullptr);
  QThread *worked = nullptr, *shown = nullptr;
  background.run(
      Background::Where::kThread, [] { return QThread::currentThread(); },
      [&](QThread* thread) {
        worked = thread;
        shown = QThread::currentThread();
      });
  QVERIFY(background.isBusy() && !shown);
  QTRY_VERIFY(!background.isBusy());
  QVERIFY(worked != shown);
  QCOMPARE(shown, QThread::currentThread());
}

void TestBackground::onlyTheLatestArrives() {
  Background background(nullptr);
  QSemaphore go;
  QVector<int> shown;
  const auto show = [&](int value) { shown << value; };
  background.run(
      Background::Where::kThread,
      [&go] {
        go.acquire();
        return 1;
      },
      show);
  background.run(
      Background::Where::kThread, [] { return 2; }, show);
  QTRY_COMPARE(shown, QVector<int>{2});
  go.release();
  QThreadPool::globalInstance()->waitForDone();
  QTest::qWait(20);
  QCOMPARE(shown, QVector<int>{2});
  background.run(
      Background::Where::kThread, [] { return 3; }, show);
  background.run(
      Background::Where::kHere, [] { return 4; }, show);
  QThreadPool::globalInstance()->waitForDone();
  QTest::qWait(20);
  QCOMPARE(shown, (QVector<int>{2, 4}));
}

void TestBackground::whatIsDroppedDoesNotArrive() {
  Background background(nullptr);
  bool shown = false;
  background.run(
      Background::Where::kThread, [] { return 1; }, [&](int) { shown = true; });
  background.drop();
  QVERIFY(!background.isBusy());
  QThreadPool::globalInstance()->waitForDone();
  QTest::qWait(20);
  QVERIFY(!shown);
}

void TestBackground::workOutlivesItsWidget() {
  QSemaphore go;
  std::atomic<bool> worked = false;
  bool shown = false;
  {
    Background background(nullptr);
    background.run(
        Background::Where::kThread,
        [&] {
          go.acquire();
          worked = true;
          return 1;
        },
        [&](int) { shown = true; });
  }
  go.release();
  QThreadPool::globalInstance()->waitForDone();
  QTest::qWait(20);
  QVERIFY(worked && !shown);
}

STRATA_GUILESS_TEST(TestBackground)
#include "test_background.moc"
