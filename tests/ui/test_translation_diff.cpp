// One sentence side by side: texts in every script, highlighting, and keyboard navigation.
#include <QClipboard>
#include <QElapsedTimer>
#include <QLabel>
#include <QSignalSpy>
#include <QTextBlock>
#include <QTextEdit>
#include <QToolTip>
#include <QtTest>
#include <cmath>

#include "sentence_fixture.h"
#include "tests/program.h"
#include "ui/data/text.h"
#include "ui/style/theme.h"
#include "ui/widgets/translation_diff.h"

using namespace strata;
using namespace strata::ui;
using fixture::compared;
using fixture::Lines;
using fixture::Shared;
using fixture::small;

namespace {

const Lines kScripts{"جلس القط على السجادة.", "猫坐在垫子上。",
                     "a 👩‍👩‍👧 café ne\u0301 🇩🇪 !",
                     "<b>&amp; <script>alert(1)</script> </table>"};

Shared scripts() {
  Lines base = kScripts;
  base[0] = "نام القط على السجادة";
  base[1] = "狗坐在垫子上";
  base[3] = "<i>&amp; <script>alert(2)</script>";
  Comparison made =
      compared(kScripts, {fixture::system("base", base), fixture::system("<u>ours</u>", kScripts)});
  return std::make_shared<Comparison>(std::move(made));
}

// The text of the diff's table cell in a row: what the translation lacks is left out, or the only
// thing.
enum class Part { kOwn, kMissing, kInserted };
QString cellText(const TranslationDiff& diff, int row, Part part) {
  QString text;
  int cell = 0;
  for (QTextBlock block = diff.text()->document()->begin(); block.isValid(); block = block.next()) {
    // Four cells a row; the first block stands before the table.
    if (++cell != 1 + 4 * row + 4) continue;
    for (auto it = block.begin(); !it.atEnd(); ++it) {
      const QTextCharFormat format = it.fragment().charFormat();
      const bool missing = format.hasProperty(kMissingWordProperty);
      const bool fits = part == Part::kOwn       ? !missing
                        : part == Part::kMissing ? missing && format.fontStrikeOut()
                                                 : !missing && format.fontUnderline();
      if (fits) text += it.fragment().text() + (part == Part::kOwn ? "" : " ");
    }
  }
  return part == Part::kOwn ? text : text.trimmed();
}

// Of two colours, 1 to 21 (WCAG 2).
double contrast(const QColor& a, const QColor& b) {
  const auto luminance = [](const QColor& colour) {
    const auto linear = [](double v) {
      return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
           0.0722 * linear(colour.blueF());
  };
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

}  // namespace

class TestTranslationDiff : public QObject {
  Q_OBJECT
 private slots:
  void init() { applyTheme(ThemeChoice::kLight); }
  void everyScriptIsShownAsItIs();
  void endsOfParagraphsStayInTheirCell();
  void longLinesAreNotCompared();
  void wordDiffIsMarkedByShape();
  void shadesAreReadable();
  void wordsAreClicked();
  void systemsAndWordsByKeyboard();
  void sameWordsLightUp();
  void tipsSayWhatMarksMean();
};

void TestTranslationDiff::everyScriptIsShownAsItIs() {
  const Shared comparison = scripts();
  TranslationDiff diff;
  diff.resize(900, 400);
  diff.setComparison(comparison);
  diff.show();
  for (const auto against :
       {TranslationDiff::Against::kBaseline, TranslationDiff::Against::kReference,
        TranslationDiff::Against::kNothing}) {
    diff.setAgainst(against);
    for (std::size_t i = 0; i < kScripts.size(); ++i) {
      diff.showSentence(i);
      for (int s = 0; s < 2; ++s) {
        const std::size_t at = std::size_t(s);
        // The tokenizer reads entities; then its words are shown.
        const std::string expected =
            i == 3 ? comparison->tokenizedSystems[at][i] : comparison->systems[at].lines[i];
        QCOMPARE(cellText(diff, 1 + s, Part::kOwn), qs(expected));
        QCOMPARE(diff.systemText(at), qs(expected));
      }
      diff.grab();
    }
  }
  diff.showSentence(0);
  const QTextBlock block = diff.text()->document()->findBlockByNumber(1 + 3);
  QCOMPARE(block.textDirection(), Qt::RightToLeft);
  diff.showSentence(3);
  QVERIFY(diff.text()->toPlainText().contains("<u>ours</u>"));
  QVERIFY(diff.text()->toPlainText().contains("< script > alert"));
  diff.showSentence(99);
  QVERIFY(!diff.position());
}

// QTextDocument would treat them as a new paragraph, line or frame, and the rows would shift.
void TestTranslationDiff::endsOfParagraphsStayInTheirCell() {
  const std::string odd = "a\u2029b\u2028 c \uFDD0d\rx";
  TranslationDiff diff;
  diff.setComparison(std::make_shared<Comparison>(compared(
      {"a b c d"}, {fixture::system("odd", {odd}), fixture::system("ours", {"a b c d"})}, {odd})));
  diff.showSentence(0);
  QCOMPARE(diff.text()->document()->blockCount(), 1 + 4 * 4 + 1);
  QCOMPARE(cellText(diff, 0, Part::kOwn), QString("a\uFFFDb\uFFFD c \uFFFDd\uFFFDx"));
  QCOMPARE(cellText(diff, 3, Part::kOwn), QString("a b c d"));
}

void TestTranslationDiff::longLinesAreNotCompared() {
  std::string line = "a", other = "b";
  for (int i = 0; i < 1999; ++i) {
    line += " w" + std::to_string(i);
    other += " v" + std::to_string(i);
  }
  TranslationDiff diff;
  diff.resize(900, 400);
  diff.setComparison(std::make_shared<Comparison>(
      compared({line}, {fixture::system("base", {line}), fixture::system("ours", {other})})));
  diff.show();
  QElapsedTimer clock;
  clock.start();
  diff.showSentence(0);
  qInfo("three lines of 2,000 words: %lld ms", qlonglong(clock.elapsed()));
  QVERIFY(cellText(diff, 2, Part::kMissing).isEmpty());
  QVERIFY(qs(other).startsWith(cellText(diff, 2, Part::kOwn)));
  QCOMPARE(cellText(diff, 2, Part::kOwn).count(' '), 999);  // a third of 3,000 words
  QVERIFY(diff.text()->toPlainText().contains(QString::fromUtf8("… and 1000 more words")));
  QCOMPARE(diff.systemText(1), qs(other));
  QVERIFY(diff.findChild<QLabel*>("diffTitle")->text().contains("too long"));
}

void TestTranslationDiff::wordDiffIsMarkedByShape() {
  TranslationDiff diff;
  diff.setComparison(std::make_shared<Comparison>(small()));
  diff.showSentence(0);  // rows: source, reference, base, ours
  QCOMPARE(cellText(diff, 3, Part::kOwn), QString("the cat sat on the mat !"));
  QCOMPARE(cellText(diff, 3, Part::kMissing), QString("a mats ."));
  QCOMPARE(cellText(diff, 3, Part::kInserted), QString("the mat !"));
  QVERIFY(cellText(diff, 2, Part::kMissing).isEmpty());
  diff.setAgainst(TranslationDiff::Against::kReference);
  QCOMPARE(cellText(diff, 2, Part::kMissing), QString("the mat"));
  QCOMPARE(cellText(diff, 2, Part::kInserted), QString("a mats"));
  QCOMPARE(cellText(diff, 3, Part::kMissing), QString("."));
  diff.setAgainst(TranslationDiff::Against::kNothing);
  QVERIFY(cellText(diff, 3, Part::kMissing).isEmpty());
  QVERIFY(cellText(diff, 3, Part::kInserted).isEmpty());
}

void TestTranslationDiff::shadesAreReadable() {
  for (const auto choice : {ThemeChoice::kLight, ThemeChoice::kDark}) {
    applyTheme(choice);
    TranslationDiff diff;
    diff.setComparison(std::make_shared<Comparison>(small()));
    diff.showSentence(0);
    diff.setAgainst(TranslationDiff::Against::kNothing);
    // Of the baseline "the cat sat on" is an n-gram of the reference, "." a single word of it.
    QMap<QString, QColor> shades;
    const QTextBlock block = diff.text()->document()->findBlockByNumber(4 * 2 + 4);
    for (auto it = block.begin(); !it.atEnd(); ++it) {
      const QTextCharFormat format = it.fragment().charFormat();
      const bool shaded = format.background().style() != Qt::NoBrush;
      for (const QString& word : it.fragment().text().split(' ', Qt::SkipEmptyParts))
        shades[word] = shaded ? format.background().color() : theme().surface;
      if (shaded) QVERIFY(contrast(theme().text, format.background().color()) > 4.5);
    }
    QCOMPARE(shades["a"], theme().surface);
    const double cat = contrast(shades["cat"], theme().surface);
    const double stop = contrast(shades["."], theme().surface);
    QVERIFY2(cat > stop && stop > 1.05, qPrintable(QString("%1 %2").arg(cat).arg(stop)));
  }
}

void TestTranslationDiff::wordsAreClicked() {
  TranslationDiff diff;
  diff.resize(900, 300);
  diff.setComparison(std::make_shared<Comparison>(small()));
  diff.showSentence(0);
  diff.show();
  QSignalSpy activated(&diff, &TranslationDiff::wordActivated);
  const QPoint at = diff.wordRect(1, 5).center();  // "mat", behind what is missing before it
  QTest::mouseClick(diff.text()->viewport(), Qt::LeftButton, {}, at);
  QCOMPARE(activated.size(), 1);
  QCOMPARE(activated[0][0].value<std::size_t>(), std::size_t{1});
  QCOMPARE(activated[0][1].value<std::size_t>(), std::size_t{0});
  QCOMPARE(activated[0][2].toInt(), 5);
  QCOMPARE(diff.currentSystem(), std::size_t{1});
  QVERIFY(diff.wordRect(1, 99).isEmpty());
  QTest::mouseClick(diff.text()->viewport(), Qt::LeftButton, {},
                    diff.text()->viewport()->rect().bottomRight() - QPoint(3, 3));
  QCOMPARE(activated.size(), 1);
}

void TestTranslationDiff::systemsAndWordsByKeyboard() {
  TranslationDiff diff;
  diff.resize(900, 300);
  diff.setComparison(std::make_shared<Comparison>(small()));
  diff.showSentence(0);
  diff.show();
  QTextEdit* text = diff.text();
  QSignalSpy activated(&diff, &TranslationDiff::wordActivated);
  QSignalSpy chosen(&diff, &TranslationDiff::currentSystemChanged);
  QTest::keyClick(text, Qt::Key_Return);  // no word is chosen
  QTest::keyClick(text, Qt::Key_Down);
  QTest::keyClick(text, Qt::Key_Down);  // there are two systems
  QCOMPARE(diff.currentSystem(), std::size_t{1});
  QCOMPARE(chosen.size(), 1);
  for (int i = 0; i < 6; ++i) QTest::keyClick(text, Qt::Key_Right);
  QTest::keyClick(text, Qt::Key_Left);
  QTest::keyClick(text, Qt::Key_Return);
  QCOMPARE(activated.size(), 1);
  QCOMPARE(activated[0][2].toInt(), 4);
  QTest::keySequence(text, QKeySequence::Copy);
  QCOMPARE(QGuiApplication::clipboard()->text(), QString("the cat sat on the mat !"));
  QTest::keyClick(text, Qt::Key_Up);
  QCOMPARE(diff.currentSystem(), std::size_t{0});

  diff.setComparison(scripts());  // the next word of a line from the right is to the left
  diff.showSentence(0);
  QTest::keyClick(text, Qt::Key_Left);
  QTest::keyClick(text, Qt::Key_Left);
  QTest::keyClick(text, Qt::Key_Enter);
  QCOMPARE(activated.size(), 2);
  QCOMPARE(activated[1][2].toInt(), 1);
  QVERIFY(diff.wordRect(0, 1).right() <= diff.wordRect(0, 0).left() + 1);
}

void TestTranslationDiff::sameWordsLightUp() {
  TranslationDiff diff;
  diff.resize(900, 300);
  diff.setComparison(std::make_shared<Comparison>(small()));
  diff.showSentence(0);
  diff.show();
  QTest::mouseMove(diff.text()->viewport(), diff.wordRect(1, 1).center());
  QTRY_COMPARE(diff.text()->extraSelections().size(), 3);  // reference, base, ours
  for (const auto& lit : diff.text()->extraSelections())
    QCOMPARE(lit.cursor.selectedText(), QString("cat"));
  QTest::mouseMove(diff.text()->viewport(),
                   diff.text()->viewport()->rect().bottomRight() - QPoint(3, 3));
  QTRY_VERIFY(diff.text()->extraSelections().isEmpty());
}

void TestTranslationDiff::tipsSayWhatMarksMean() {
  TranslationDiff diff;
  diff.resize(900, 300);
  diff.setComparison(scripts());
  diff.showSentence(1);
  diff.show();
  const auto tip = [&](const QPoint& at) {
    QHelpEvent help(QEvent::ToolTip, at, diff.text()->viewport()->mapToGlobal(at));
    QCoreApplication::sendEvent(diff.text()->viewport(), &help);
    return QToolTip::text();
  };
  const QRect word = diff.wordRect(1, 0);
  QTRY_COMPARE(tip(word.center()),
               QString("only here\nin an n-gram of order 1 that occurs in a reference"));
  // The name is to its left and is not HTML.
  QTRY_COMPARE(tip(QPoint(20, word.center().y())),
               QString("<p style='white-space:pre-wrap'>&lt;u&gt;ours&lt;/u&gt;</p>"));
}

STRATA_TEST(TestTranslationDiff)
#include "test_translation_diff.moc"
