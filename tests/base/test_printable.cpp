#include <QTest>

#include "core/base/printable.h"
#include "core/base/utf8.h"
#include "tests/program.h"

using namespace strata;

class TestPrintable : public QObject {
  Q_OBJECT

 private slots:
  void controlsAreReplaced_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("shown");
    const QByteArray u = "\xEF\xBF\xBD";
    QTest::newRow("plain") << QByteArray("valid/nll 0.5") << QByteArray("valid/nll 0.5");
    QTest::newRow("other letters")
        << QByteArray("\xC3\x9C\xE4\xB8\xAD") << QByteArray("\xC3\x9C\xE4\xB8\xAD");
    QTest::newRow("escape") << QByteArray("a\x1b[2Jb") << "a" + u + "[2Jb";
    QTest::newRow("delete") << QByteArray("a\x7f") << "a" + u;
    QTest::newRow("C1, by which some terminals begin a sequence") << QByteArray(
                                                                         "\xC2\x9B"
                                                                         "2J")
                                                                  << u + "2J";
    QTest::newRow("line separator") << QByteArray(
                                           "a\xE2\x80\xA8"
                                           "b")
                                    << "a" + u + "b";
    QTest::newRow("no UTF-8") << QByteArray(
                                     "a\xff"
                                     "b\xC3")
                              << "a" + u + "b" + u;
    QTest::newRow("zero") << QByteArray("a\0b", 3) << "a" + u + "b";
  }
  void controlsAreReplaced() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, shown);
    QCOMPARE(QByteArray::fromStdString(printable(text.toStdString())), shown);
    QVERIFY(isValidUtf8(printable(text.toStdString())));
    QCOMPARE(QByteArray::fromStdString(printableLines(text.toStdString())), shown);
  }

  void linesStay() {
    QCOMPARE(printableLines("a\n\tb\r"), std::string("a\n\tb\xEF\xBF\xBD"));
    QCOMPARE(printable("a\nb"), std::string("a\xEF\xBF\xBD"
                                            "b"));
  }
};

STRATA_APPLESS_TEST(TestPrintable)
#include "test_printable.moc"
