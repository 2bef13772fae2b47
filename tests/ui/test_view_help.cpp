#include <QDirIterator>
#include <QRegularExpression>
#include <QSet>
#include <QTextBrowser>
#include <QToolButton>
#include <QtTest>
#include <cmath>

#include "tests/program.h"
#include "tests/ui/window_fixture.h"
#include "ui/panels/panel.h"
#include "ui/panels/translate_panel.h"
#include "ui/window/help_dock.h"
#include "ui/window/stage.h"
#include "ui/window/view_help.h"
#include "ui/window/view_tabs.h"

using namespace strata;
using namespace strata::ui;

// The texts that explain the views, and how the window shows them.
class TestViewHelp : public QObject, private WindowOnWorkspace {
  Q_OBJECT
 private slots:
  void initTestCase() {
    makeWorkspace();
    open();
  }
  void cleanupTestCase() { removeWorkspace(); }
  void everyViewIsExplained();
  void everySymbolOfAnEquationIsExplained();
  void valuesStandBesideTheirSymbols();
  void shiftF1ExplainsTheViewInPlace();
  void aViewInItsOwnWindowIsExplainedThere();
};

void TestViewHelp::everyViewIsExplained() {
  for (const Panel* panel : window_->panels()->all()) {
    const QString text = helpText("views/" + panel->name());
    QVERIFY2(text.startsWith("# "), qPrintable(panel->name()));
    QVERIFY2(text.size() > 150, qPrintable(panel->name()));
    // What shows figures says how they are computed.
    QVERIFY2(panel->name() == "log" || text.contains("\n    "), qPrintable(panel->name()));
  }
}

// The letters of a text's equations, without subscripts, functions and the indices of sums.
static QStringList symbolsOf(const QString& text) {
  static const QSet<QString> functions{"exp", "ln", "tanh", "min", "max", "softmax", "corr", "Σ"};
  static const QRegularExpression index("(?:Σ|softmax)_(\\p{L})"),
      symbol("(\\p{L}[\\p{L}\\p{M}]*'?)(?:_[\\p{L}\\p{N}]+)?");
  QStringList symbols;
  for (const QString& line : text.split('\n')) {
    if (!line.startsWith("    ")) continue;
    QString equation = line.trimmed().section(QRegularExpression(" {3,}"), 0, 0);
    equation.remove(QRegularExpression("\\^\\p{L}"));
    QSet<QString> known = functions;
    for (auto match = index.globalMatch(equation); match.hasNext();)
      known << match.next().captured(1);
    for (auto match = symbol.globalMatch(equation); match.hasNext();) {
      const QString found = match.next().captured(1);
      if (!known.contains(found)) symbols << found;
    }
  }
  return symbols;
}

void TestViewHelp::everySymbolOfAnEquationIsExplained() {
  QCOMPARE(symbolsOf("text\n    s̃_p = Σ_l a_pl exp(q'_i)      Eq. 7"),
           QStringList({"s̃", "a", "q'"}));
  for (QDirIterator it(":/help/views"); it.hasNext();) {
    const QString name = QFileInfo(it.next()).completeBaseName(), text = helpText("views/" + name);
    QSet<QString> explained;
    for (const QString& line : text.split('\n')) {
      if (!line.startsWith("| ")) continue;
      for (const QString& cell : line.section('|', 1, 1).split(','))
        explained << cell.trimmed().section('_', 0, 0);
      QVERIFY2(line.section('|', 2, 2).trimmed().size() > 0, qPrintable(line));
    }
    for (const QString& symbol : symbolsOf(text))
      QVERIFY2(explained.contains(symbol), qPrintable(name + ": " + symbol));
  }
}

void TestViewHelp::valuesStandBesideTheirSymbols() {
  Here here{"hop 1 · *x* | layer 2: 0.250", {}};
  here.add("a_pl", 0.25);
  here.add("E_l", NAN);
  const QString text = viewHelpText("hop-weights", here);
  QVERIFY(text.contains("| symbol | meaning | here |\n|---|---|---|\n"));
  QVERIFY(text.contains("| weight of hop p on level l at this position | 0\\.250 |"));
  QVERIFY(text.contains("| NaN |"));
  QVERIFY(text.endsWith("**Here:** hop 1 · \\*x\\* \\| layer 2: 0\\.250"));
  QVERIFY(!viewHelpText("hop-weights", {}).contains("here |"));
  QVERIFY(viewHelpText("no such", here).isEmpty());
}

void TestViewHelp::shiftF1ExplainsTheViewInPlace() {
  for (Panel* panel : window_->panels()->all()) {
    window_->bringUp(panel->name());
    panel->setFocus();
    QTest::keyClick(window_.get(), Qt::Key_F1, Qt::ShiftModifier);
    auto* help = panel->findChild<ViewHelp*>();
    QVERIFY2(help, qPrintable(panel->name()));
    QVERIFY2(help->isVisible() && panel->rect().contains(help->geometry()),
             qPrintable(panel->name()));
    const QString said = help->findChild<QTextBrowser*>("viewHelpText")->toPlainText();
    QVERIFY2(said.size() > 100, qPrintable(panel->name()));
    QVERIFY(!QApplication::activeModalWidget());
    auto* tabs = qobject_cast<ViewTabs*>(panel->parentWidget()->parentWidget());
    tabs->findChild<QToolButton*>("explainView")->click();
    QVERIFY2(!help->isVisible(), qPrintable(panel->name()));
  }
}

void TestViewHelp::aViewInItsOwnWindowIsExplainedThere() {
  Panel* panel = window_->panel<TranslatePanel>();
  window_->activateWindow();
  QTRY_COMPARE(QApplication::activeWindow(), window_.get());
  window_->stage()->setInWindow(panel, true);
  panel->window()->activateWindow();
  QTRY_COMPARE(QApplication::activeWindow(), panel->window());
  QTest::qWait(100);  // and it stays so
  QCOMPARE(QApplication::activeWindow(), panel->window());
  QTest::keyClick(panel->window(), Qt::Key_F1, Qt::ShiftModifier);
  for (const Panel* each : window_->panels()->all()) {
    if (auto* help = each->findChild<ViewHelp*>(); help && help->isVisible())
      QCOMPARE(each->name(), panel->name());
  }
  auto* help = panel->findChild<ViewHelp*>();
  QVERIFY(help);
  QVERIFY(help->isVisible());
  help->findChild<QTextBrowser*>("viewHelpText")->setFocus();
  QTest::keyClick(help->findChild<QTextBrowser*>("viewHelpText"), Qt::Key_Escape);
  QVERIFY(!help->isVisible());
}

STRATA_TEST(TestViewHelp)
#include "test_view_help.moc"
