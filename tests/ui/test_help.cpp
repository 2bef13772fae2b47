#include <QAction>
#include <QDirIterator>
#include <QDockWidget>
#include <QRegularExpression>
#include <QTextBlock>
#include <QTextBrowser>
#include <QToolButton>
#include <QtTest>

#include "tests/ui/window_fixture.h"
#include "ui/window/help_dock.h"
#include "ui/window/stage.h"

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

QTEST_MAIN(TestHelp)
#include "test_help.moc"
