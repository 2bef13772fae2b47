#include <QAction>
#include <QDirIterator>
#include <QDockWidget>
#include <QRegularExpression>
#include <QTextBlock>
#include <QTextBrowser>
#include <QToolButton>
#include <QtTest>
#include <cmath>

#include "tests/ui/window_fixture.h"
#include "ui/panels/panel.h"
#include "ui/panels/translate_panel.h"
#include "ui/window/help_dock.h"
#include "ui/window/stage.h"
#include "ui/window/view_help.h"
#include "ui/window/view_tabs.h"

using namespace strata;
using namespace strata::ui;

// The pages of help, in the real window.
class TestHelp : public QObject, private WindowOnWorkspace {
  Q_OBJECT
 private slots:
  void init() {
    makeWorkspace();
    open();
  }
  void cleanup() { removeWorkspace(); }
  void f1OpensThePageOfThePerspective();
  void linksLeadToPagesOnly();
  void everyPageIsReached();
  void shortcutsAreThoseOfTheActions();
  void everyViewIsExplained();
  void everySymbolOfAnEquationIsExplained();
  void valuesStandBesideTheirSymbols();
  void shiftF1ExplainsTheViewInPlace();
  void aViewInItsOwnWindowIsExplainedThere();

 private:
  QTextBrowser* text() const { return child<QTextBrowser>("helpText"); }
  QString heading() const { return text()->document()->firstBlock().text(); }
};

void TestHelp::f1OpensThePageOfThePerspective() {
  auto* dock = child<QDockWidget>("helpDock");
  const QSize before = window_->size();
  QVERIFY(dock->isHidden());
  for (const QAction* perspective : window_->stage()->actions()) {
    const QString name = perspective->data().toString();
    window_->showPerspective(name);
    QTest::keyClick(window_.get(), Qt::Key_F1);
    QVERIFY(dock->isVisible());
    QCOMPARE(text()->source().fileName(), name + ".md");
    QVERIFY2(heading().startsWith(perspective->text() + ":"), qPrintable(heading()));
    QCOMPARE(window_->size(), before);  // the pages push nothing
  }
}

void TestHelp::linksLeadToPagesOnly() {
  child<QAction>("help:index")->trigger();
  QCOMPARE(heading(), QString("The workbench"));
  auto* back = child<QAction>("helpBack");
  QVERIFY(!back->isEnabled());
  text()->setSource(QUrl("./watch.md"));  // as a click does
  QVERIFY(heading().startsWith("Watch:"));
  QVERIFY(back->isEnabled());
  back->trigger();
  QCOMPARE(heading(), QString("The workbench"));
  for (const char* outside : {"https://example.org/watch.md", "file:///etc/passwd", "../style.qss",
                              "./nothing.md", "https://example.org/"}) {
    text()->setSource(QUrl(outside));
    QCOMPARE(heading(), QString("The workbench"));
  }
}

// Each page has a title, is in the menu, and its links are pages.
void TestHelp::everyPageIsReached() {
  QStringList files;
  for (QDirIterator it(":/help", QDir::Files); it.hasNext();)
    files << QFileInfo(it.next()).fileName();
  QCOMPARE(files.size(), helpPages().size());
  const QRegularExpression link("\\]\\(([^)]*)\\)");
  for (const HelpPage& page : helpPages()) {
    QVERIFY(!page.title.isEmpty());
    QVERIFY(child<QAction>(qPrintable("help:" + page.name)));
    QFile file(":/help/" + page.name + ".md");
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QString content = QString::fromUtf8(file.readAll());
    for (auto match = link.globalMatch(content); match.hasNext();)
      QVERIFY2(files.contains(match.next().captured(1)), qPrintable(page.name));
    QVERIFY2(page.name == "index" || content.contains("](" + helpPages()[0].name + ".md)"),
             qPrintable(page.name));
    QVERIFY2(!content.contains("!["), qPrintable(page.name));
  }
}

void TestHelp::shortcutsAreThoseOfTheActions() {
  child<QAction>("showJobs")->setShortcut(QKeySequence("Ctrl+Alt+Shift+F11"));
  child<QAction>("shortcuts")->trigger();
  QCOMPARE(heading(), QString("Keyboard shortcuts"));
  const QString page = text()->toPlainText();
  QVERIFY(page.contains("Ctrl+Alt+Shift+F11"));
  QVERIFY(page.contains("Show the jobs"));
  for (const char* keys : {"Ctrl+3", "Alt+Left", "Ctrl+K", "F1"})
    QVERIFY2(page.contains(keys), keys);
  int shown = 0;
  for (const QAction* action : window_->findChildren<QAction*>(Qt::FindDirectChildrenOnly)) {
    if (action->shortcut().isEmpty()) continue;
    ++shown;
    QVERIFY2(page.contains(action->shortcut().toString(QKeySequence::NativeText)),
             qPrintable(action->text()));
  }
  QVERIFY(shown >= 8);
  child<QAction>("help")->trigger();  // the page again, though its address is unchanged
  QVERIFY(heading().startsWith("Watch:"));
}

void TestHelp::everyViewIsExplained() {
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

void TestHelp::everySymbolOfAnEquationIsExplained() {
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

void TestHelp::valuesStandBesideTheirSymbols() {
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

void TestHelp::shiftF1ExplainsTheViewInPlace() {
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

void TestHelp::aViewInItsOwnWindowIsExplainedThere() {
  Panel* panel = window_->panel<TranslatePanel>();
  window_->stage()->setInWindow(panel, true);
  panel->window()->activateWindow();
  QVERIFY(QTest::qWaitForWindowActive(panel->window()));
  QTest::keyClick(panel->window(), Qt::Key_F1, Qt::ShiftModifier);
  auto* help = panel->findChild<ViewHelp*>();
  QVERIFY(help && help->isVisible());
  help->findChild<QTextBrowser*>("viewHelpText")->setFocus();
  QTest::keyClick(help->findChild<QTextBrowser*>("viewHelpText"), Qt::Key_Escape);
  QVERIFY(!help->isVisible());
}

QTEST_MAIN(TestHelp)
#include "test_help.moc"
