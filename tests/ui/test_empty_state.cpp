#include <QLabel>
#include <QtTest>

#include "tests/program.h"
#include "ui/widgets/empty_state.h"

using namespace strata::ui;

class TestEmptyState : public QObject {
  Q_OBJECT
 private slots:
  void theWholeTextIsSeen_data();
  void theWholeTextIsSeen();
};

void TestEmptyState::theWholeTextIsSeen_data() {
  QTest::addColumn<int>("width");
  QTest::newRow("wide") << 1400;
  QTest::newRow("a dock beside others") << 420;
  QTest::newRow("narrow") << 240;
}

void TestEmptyState::theWholeTextIsSeen() {
  QFETCH(int, width);
  const QString text = QStringLiteral(
      "What would be seen here, said in so many words that they need more than one line "
      "whatever the width of the panel is, and then what to do next.");
  EmptyStack stack(new EmptyState("watch", "Nothing yet", text), new QWidget);
  stack.resize(width, 700);
  stack.show();
  QVERIFY(QTest::qWaitForWindowExposed(&stack));
  for (const QLabel* label : stack.findChildren<QLabel*>()) {
    if (label->text() == text) {
      QVERIFY(label->width() <= 420);
      QVERIFY(label->height() >= label->heightForWidth(label->width()));
      return;
    }
  }
  QFAIL("the text is not there");
}

STRATA_TEST(TestEmptyState)
#include "test_empty_state.moc"
