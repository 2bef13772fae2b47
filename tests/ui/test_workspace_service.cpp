// What panels ask the workspace: answers, news, and who gets them.
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <semaphore>

#include "core/base/error.h"
#include "store_fixture.h"
#include "tests/program.h"
#include "ui/data/workspace_service.h"

using namespace strata;
using namespace strata::ui;

namespace {

std::atomic<int> reads = 0;
std::binary_semaphore mayRead(0);

// The text itself, as soon as mayRead says so.
struct Slowly {
  using Answer = QString;
  QString text;
  QString read(OpenWorkspace&) const {
    ++reads;
    mayRead.acquire();
    return text;
  }
  bool operator==(const Slowly&) const = default;
};

struct Twice {
  using Answer = int;
  static constexpr bool kBeside = true;
  int number;
  int read(OpenWorkspace&) const {
    ++reads;
    return 2 * number;
  }
  bool operator==(const Twice&) const = default;
};

struct Wrong {
  using Answer = int;
  int read(OpenWorkspace&) const { throw Error("nobody knows"); }
  bool operator==(const Wrong&) const = default;
};

// Sends its name and how often it was read.
struct Counting {
  using News = QString;
  static constexpr bool kAlways = true;
  QString name;
  int count = 0;
  void read(OpenWorkspace&, const Send<News>& send) { send(name + QString::number(++count)); }
};

struct GoingOn : Counting {
  void goOnFrom(GoingOn& earlier) { count = earlier.count; }
};

}  // namespace

class TestWorkspaceService : public QObject {
  Q_OBJECT
 private slots:
  void init();
  void cleanup() { service_.reset(); }
  void equalQueriesAreReadOnce();
  void theNewestQueryWins();
  void whatNobodyAsksAnyMoreIsNotRead();
  void someAnswersStandSideBySide();
  void anErrorGoesToWhoAsked();
  void whoIsGoneGetsNothing();
  void aWatchTakesThePlaceOfTheLastOne();
  void nothingIsLostWhereAWatchGoesOn();
  void aWatchEndsWithItsPanel();
  void aQueryReadsTheWorkspace();

 private:
  auto into(QStringList& list) {
    return [&list](const QString& text) { list << text; };
  }
  void ask(const QString& text, QObject* context, QStringList& answers) {
    service_->read(Slowly{text}, context, into(answers));
  }

  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<WorkspaceService> service_;
};

void TestWorkspaceService::init() {
  folder_ = std::make_unique<QTemporaryDir>();
  {
    Workspace workspace(folder_->path().toStdString());
    fixture::makeRun(workspace, "base");
  }
  service_ = std::make_unique<WorkspaceService>(folder_->path());
  QSignalSpy opened(service_.get(), &WorkspaceService::opened);
  service_->start();
  QTRY_COMPARE(opened.size(), 1);
  reads = 0;
}

void TestWorkspaceService::equalQueriesAreReadOnce() {
  QObject first, second, third;
  QStringList answers;
  ask("before", &first, answers);  // keeps the thread from the others
  QTRY_COMPARE(reads.load(), 1);
  ask("x", &first, answers);
  ask("x", &second, answers);
  ask("x", &third, answers);
  mayRead.release();
  QTRY_COMPARE(reads.load(), 2);
  ask("x", &second, answers);  // begun already: what it reads may be old
  mayRead.release();
  QTRY_COMPARE(reads.load(), 3);
  mayRead.release();
  QTRY_COMPARE(answers, (QStringList{"x", "x", "x"}));
}

void TestWorkspaceService::theNewestQueryWins() {
  QObject panel, other;
  QStringList answers;
  ask("old", &panel, answers);
  QTRY_COMPARE(reads.load(), 1);
  ask("another's", &other, answers);
  ask("new", &panel, answers);
  for (int i = 0; i < 3; ++i) {
    QTRY_COMPARE(reads.load(), i + 1);
    mayRead.release();
  }
  QTRY_COMPARE(answers, (QStringList{"another's", "new"}));
}

// As of a step that a slider has passed.
void TestWorkspaceService::whatNobodyAsksAnyMoreIsNotRead() {
  QObject panel, other;
  QStringList answers, others;
  ask("1", &panel, answers);
  QTRY_COMPARE(reads.load(), 1);
  ask("2", &panel, answers);
  ask("2", &other, others);
  for (const char* text : {"3", "4", "5"}) ask(text, &panel, answers);
  service_->forget<Slowly>(&other);
  for (int i = 0; i < 2; ++i) {
    QTRY_COMPARE(reads.load(), i + 1);
    mayRead.release();
  }
  QTRY_COMPARE(answers, QStringList{"5"});
  QCOMPARE(reads.load(), 2);
  QCOMPARE(others, QStringList());
}

void TestWorkspaceService::someAnswersStandSideBySide() {
  QObject panel;
  QVector<int> answers;
  for (const int number : {1, 2, 2})
    service_->read(Twice{number}, &panel, [&](int answer) { answers << answer; });
  QTRY_COMPARE(answers, (QVector<int>{2, 4, 4}));
}

void TestWorkspaceService::anErrorGoesToWhoAsked() {
  QObject panel, silent;
  QSignalSpy failed(service_.get(), &WorkspaceService::failed);
  QStringList errors;
  service_->read(
      Wrong{}, &panel, [](int) { QFAIL("an answer"); }, into(errors));
  QTRY_COMPARE(errors, QStringList{"nobody knows"});
  QCOMPARE(failed.size(), 0);
  service_->read(Wrong{}, &silent, [](int) { QFAIL("an answer"); });
  QTRY_COMPARE(failed.size(), 1);
  QCOMPARE(failed[0][0].toString(), QString("nobody knows"));
}

void TestWorkspaceService::whoIsGoneGetsNothing() {
  auto closed = std::make_unique<QObject>();
  QObject open;
  QStringList answers;
  ask("x", closed.get(), answers);
  ask("y", &open, answers);
  closed.reset();
  mayRead.release();
  QTRY_COMPARE(reads.load(), 2);
  mayRead.release();
  QTRY_COMPARE(answers, QStringList{"y"});
}

void TestWorkspaceService::aWatchTakesThePlaceOfTheLastOne() {
  QObject panel, other;
  QStringList news, others;
  service_->watch(Counting{"a"}, &panel, into(news));
  service_->watch(Counting{"o"}, &other, into(others));
  QTRY_VERIFY(news.size() >= 3);
  QCOMPARE(news.first(3), (QStringList{"a1", "a2", "a3"}));
  QTest::qSleep(500);  // news of "a" wait to arrive
  service_->watch(Counting{"b"}, &panel, into(news));
  const qsizetype before = news.size();
  QTRY_VERIFY(news.size() >= before + 2);
  QCOMPARE(news.mid(before, 2), (QStringList{"b1", "b2"}));
  QTRY_VERIFY(others.size() >= 3);
}

void TestWorkspaceService::nothingIsLostWhereAWatchGoesOn() {
  QObject panel;
  QStringList news, wanted;
  service_->watch(GoingOn{{"a"}}, &panel, into(news));
  QTRY_VERIFY(news.size() >= 2);
  QTest::qSleep(500);
  service_->watch(GoingOn{{"b"}}, &panel, into(news));
  QTRY_VERIFY(news.filter("b").size() >= 2);
  for (qsizetype i = 1; i <= news.size(); ++i) wanted << QString::number(i);
  QStringList numbers = news;
  for (QString& each : numbers) each.remove(0, 1);
  QCOMPARE(numbers, wanted);
}

void TestWorkspaceService::aWatchEndsWithItsPanel() {
  auto panel = std::make_unique<QObject>();
  QObject other;
  QStringList news, others;
  service_->watch(Counting{"a"}, panel.get(), into(news));
  QTRY_VERIFY(!news.isEmpty());
  panel.reset();
  const QStringList before = news;
  service_->watch(Counting{"o"}, &other, into(others));
  QTRY_VERIFY(others.size() >= 3);
  QCOMPARE(news, before);
}

void TestWorkspaceService::aQueryReadsTheWorkspace() {
  QObject panel;
  QStringList presets, errors;
  service_->read(ConfigurationOf{1}, &panel,
                 [&](const RunConfiguration& run) { presets << run.preset; });
  QTRY_COMPARE(presets.size(), 1);
  service_->read(
      ConfigurationOf{77}, &panel, [](const RunConfiguration&) { QFAIL("there is no such run"); },
      into(errors));
  QTRY_COMPARE(errors.size(), 1);
  QVERIFY2(errors[0].contains("77"), qPrintable(errors[0]));
}

STRATA_GUILESS_TEST(TestWorkspaceService)
#include "test_workspace_service.moc"
