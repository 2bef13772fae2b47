#include <QElapsedTimer>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <QtTest>

#include "tests/program.h"
#include "ui/data/plurals.h"
#include "ui/style/theme.h"
#include "ui/widgets/messages.h"
#include "ui/window/announcements.h"

using namespace strata;
using namespace strata::ui;

// Messages over a window of 800x600.
class TestMessages : public QObject {
  Q_OBJECT
 private slots:
  void init();
  void cleanup() { window_.reset(); }
  void theyMoveNothingAndCoverNoButton();
  void atMostTwoAndErrorsAreKept();
  void goodNewsLeavesAndErrorsShrinkIntoTheBell();
  void theBellKeepsWhatWasSaid();
  void theButtonActsOnce();
  void theActionOfWhatIsGoneDoesNothing();
  void manyRunsThatEndAreOneMessage();

 private:
  static QRect placeOf(const QWidget* widget, const QWidget* window) {
    return {widget->mapTo(window, QPoint(0, 0)), widget->size()};
  }
  std::unique_ptr<QWidget> window_;
  Messages* messages_ = nullptr;
};

void TestMessages::init() {
  applyTheme(ThemeChoice::kLight);
  window_ = std::make_unique<QWidget>();
  window_->resize(800, 600);
  messages_ = new Messages(window_.get());
  messages_->bell()->setGeometry(760, 576, 30, 22);
  window_->show();
}

void TestMessages::theyMoveNothingAndCoverNoButton() {
  auto* start = new QPushButton("Start", window_.get());
  start->setGeometry(640, 500, 120, 32);
  start->show();
  auto* elsewhere = new QPushButton("Elsewhere", window_.get());
  elsewhere->setGeometry(10, 500, 120, 32);
  elsewhere->show();
  messages_->show(Message::Severity::kInfo, "one");
  messages_->show(Message::Severity::kGood, QString("two ").repeated(60));
  QCOMPARE(messages_->cards().size(), 2);
  QCOMPARE(start->geometry(), QRect(640, 500, 120, 32));
  for (const MessageCard* card : messages_->cards()) {
    QVERIFY(card->isVisible());
    QVERIFY(window_->rect().contains(card->geometry()));
    QVERIFY(!card->geometry().intersects(placeOf(start, window_.get())));
    QVERIFY(!card->geometry().intersects(placeOf(messages_->bell(), window_.get())));
  }
  QVERIFY(!messages_->cards()[0]->geometry().intersects(messages_->cards()[1]->geometry()));
  window_->resize(700, 500);  // they stay in the corner
  for (const MessageCard* card : messages_->cards())
    QVERIFY(window_->rect().contains(card->geometry()));
}

void TestMessages::atMostTwoAndErrorsAreKept() {
  messages_->show(Message::Severity::kError, "broken");
  messages_->show(Message::Severity::kGood, "first");
  messages_->show(Message::Severity::kGood, "second");
  QCOMPARE(messages_->cards().size(), 2);
  QCOMPARE(messages_->cards()[0]->message().text, QString("broken"));  // good news erase no error
  QCOMPARE(messages_->text(), QString("second"));
  messages_->show(Message::Severity::kError, "also broken");
  QCOMPARE(messages_->cards()[0]->message().text, QString("broken"));
  QCOMPARE(messages_->cards()[1]->message().text, QString("also broken"));
  QCOMPARE(messages_->unreadErrors(), 2);
  messages_->dismiss();
  QCOMPARE(messages_->text(), QString("broken"));
}

// After 6 and 10 seconds, which are waited for.
void TestMessages::goodNewsLeavesAndErrorsShrinkIntoTheBell() {
  QElapsedTimer clock;
  clock.start();
  messages_->show(Message::Severity::kError, "The disk is full");
  messages_->show(Message::Severity::kGood, "saved");
  QTRY_COMPARE_WITH_TIMEOUT(messages_->cards().size(), 1, 9000);
  QVERIFY2(clock.elapsed() > 5500, qPrintable(QString::number(clock.elapsed())));
  QCOMPARE(messages_->text(), QString("The disk is full"));
  QTRY_COMPARE_WITH_TIMEOUT(messages_->cards().size(), 0, 9000);
  QVERIFY2(clock.elapsed() > 9500, qPrintable(QString::number(clock.elapsed())));
  QCOMPARE(messages_->bell()->text(), QString("1"));
  QCOMPARE(messages_->history().size(), 2);
}

void TestMessages::theBellKeepsWhatWasSaid() {
  QCOMPARE(messages_->bell()->text(), QString());
  messages_->show(Message::Severity::kError, "The disk is full");
  messages_->show(Message::Severity::kGood, "saved");
  QCOMPARE(messages_->bell()->text(), QString("1"));
  messages_->dismiss();
  messages_->dismiss();
  QVERIFY(messages_->cards().isEmpty());
  QCOMPARE(messages_->bell()->text(), QString("1"));  // nobody has looked
  QMenu* menu = messages_->bell()->menu();
  emit menu->aboutToShow();
  QCOMPARE(menu->actions().size(), 2);
  QVERIFY(menu->actions()[0]->text().endsWith("saved"));  // the newest first
  QCOMPARE(messages_->bell()->text(), QString());
  menu->actions()[1]->trigger();  // shows it again without saying it again
  QCOMPARE(messages_->text(), QString("The disk is full"));
  QCOMPARE(messages_->history().size(), 2);
  QCOMPARE(messages_->unreadErrors(), 0);
}

void TestMessages::theButtonActsOnce() {
  int undone = 0;
  messages_->show({.severity = Message::Severity::kGood,
                   .text = "moved",
                   .button = "Undo",
                   .context = this,
                   .action = [&undone] { ++undone; }});
  auto* button = messages_->cards().first()->findChild<QPushButton*>("messageAction");
  QTest::mouseClick(button, Qt::LeftButton);
  QCOMPARE(undone, 1);
  QVERIFY(messages_->cards().isEmpty());
}

void TestMessages::theActionOfWhatIsGoneDoesNothing() {
  bool done = false;
  auto* context = new QObject;
  messages_->show(
      {.text = "x", .button = "Go", .context = context, .action = [&] { done = true; }});
  delete context;
  QTest::mouseClick(messages_->cards().first()->findChild<QPushButton*>("messageAction"),
                    Qt::LeftButton);
  QVERIFY(!done);
}

// Runs a, b, c, ..., all with one status.
static QVector<RunRow> runsWith(int count, RunStatus status) {
  QVector<RunRow> runs(count);
  for (int i = 0; i < count; ++i) {
    runs[i].id = i + 1;
    runs[i].name = QChar(ushort('a' + i));
    runs[i].status = status;
    runs[i].step = 1200;
  }
  return runs;
}

void TestMessages::manyRunsThatEndAreOneMessage() {
  writePlurals();
  Announcements announcements(messages_, window_.get());
  announcements.setRuns(runsWith(5, RunStatus::kFinished));
  QVERIFY2(messages_->cards().isEmpty(), "they had ended before");
  const auto toldOf = [&](int count, RunStatus status) {
    announcements.setRuns(runsWith(count, RunStatus::kRunning));
    announcements.setRuns(runsWith(count, status));
    announcements.setRuns(runsWith(count, status));
    return messages_->text();
  };
  QCOMPARE(toldOf(1, RunStatus::kFinished), QString("a has finished at step 1,200."));
  QCOMPARE(toldOf(2, RunStatus::kFailed), QString("b failed at step 1,200."));
  const qsizetype before = messages_->cards().size();
  QCOMPARE(toldOf(5, RunStatus::kFinished), QString("5 runs have finished: a, b and 3 others."));
  QVERIFY(messages_->cards().size() <= before);
  QCOMPARE(toldOf(3, RunStatus::kFailed),
           QString("3 runs failed: a, b and 1 other. Runs tells why."));
  QVERIFY(toldOf(20, RunStatus::kInterrupted).startsWith("20 runs were interrupted"));
}

STRATA_TEST(TestMessages)
#include "test_messages.moc"
