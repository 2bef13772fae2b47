#include <QAccessible>
#include <QAction>
#include <QDialog>
#include <QDirIterator>
#include <QDockWidget>
#include <QLabel>
#include <QRegularExpression>
#include <QTextBlock>
#include <QTextBrowser>
#include <QToolButton>
#include <QtTest>

#include "tests/program.h"
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
  void everyPanelHasItsPicture();
  void aPictureIsAsWideAsThePageAndOpensWhole();
  void tabWalksThroughLinksAndOn();
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
  const QRegularExpression link("(?<!!)\\[[^\\]]*\\]\\(([^)]*)\\)");
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
  }
}

// In one page, in the light and in the dark theme, all together at most 3 MB.
void TestHelp::everyPanelHasItsPicture() {
  QString pages;
  for (const HelpPage& page : helpPages()) pages += helpText(page.name);
  qint64 bytes = 0;
  int files = 0;
  for (QDirIterator it(":/help/pictures", QDir::Files, QDirIterator::Subdirectories);
       it.hasNext();) {
    bytes += QFileInfo(it.next()).size();
    ++files;
  }
  const auto& panels = window_->panels()->all();
  QCOMPARE(files, 2 * int(panels.size()));
  QVERIFY2(bytes <= 3'000'000, qPrintable(QString::number(bytes)));
  for (const Panel* panel : panels) {
    QCOMPARE(pages.count("](pictures/" + panel->name() + ".png)"), 1);
    const QImage light(":/help/pictures/" + panel->name() + ".png");
    const QImage dark(":/help/pictures/dark/" + panel->name() + ".png");
    QVERIFY2(light.width() > 900 && light.height() > 600, qPrintable(panel->name()));
    QCOMPARE(dark.size(), light.size());
    const auto corner = [](const QImage& image) {
      return image.pixelColor(2, image.height() - 2).lightnessF();
    };
    QVERIFY2(corner(light) > 0.5 && corner(dark) < 0.5, qPrintable(panel->name()));
  }
}

void TestHelp::aPictureIsAsWideAsThePageAndOpensWhole() {
  child<QAction>("help:watch")->trigger();
  auto* dock = child<QDockWidget>("helpDock");
  const auto pictureWidth = [&] {
    const QVariant image =
        text()->document()->resource(QTextDocument::ImageResource, QUrl("pictures/curves.png"));
    return int(image.value<QImage>().deviceIndependentSize().width());
  };
  const auto room = [&] {
    return text()->viewport()->width() - 2 * int(text()->document()->documentMargin());
  };
  for (const int width : {420, 560}) {
    dock->resize(width, 600);
    QTRY_COMPARE(pictureWidth(), room());
    QVERIFY(heading().startsWith("Watch:"));
  }
  text()->setFocus();
  QTest::keyClick(text(), Qt::Key_Tab);  // to the first link, which is the picture
  QTest::keyClick(text(), Qt::Key_Return);
  auto* opened = window_->findChild<QDialog*>("helpPicture");
  QVERIFY(opened && opened->isVisible());
  QCOMPARE(opened->findChild<QLabel*>()->pixmap().size(),
           QImage(":/help/pictures/curves.png").size());
  QTest::keyClick(opened, Qt::Key_Escape);
  QTRY_VERIFY(!window_->findChild<QDialog*>("helpPicture"));
  QVERIFY(heading().startsWith("Watch:"));
}

// From link to link, then on to the buttons above the page, which have names, and into it again.
void TestHelp::tabWalksThroughLinksAndOn() {
  child<QAction>("help:index")->trigger();
  QTRY_VERIFY(text()->hasFocus());
  QSet<int> links;
  QList<QWidget*> others;
  int walked = 0;
  for (bool returned = false; !returned && walked < 300; ++walked) {
    QWidget* before = QApplication::focusWidget();
    QTest::keyClick(before, Qt::Key_Tab);
    QWidget* now = QApplication::focusWidget();
    QVERIFY(now);
    returned = before != text() && now == text();
    if (now == text())
      links << text()->textCursor().selectionStart();
    else if (!others.contains(now))
      others << now;
  }
  QVERIFY2(walked < 300, "Tab did not come back to the page");
  QVERIFY2(links.size() >= helpPages().size() - 1, qPrintable(QString::number(links.size())));
  QVERIFY(!others.isEmpty());
  for (QWidget* other : others)
    QVERIFY2(!QAccessible::queryAccessibleInterface(other)->text(QAccessible::Name).isEmpty(),
             qPrintable(other->objectName()));
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

STRATA_TEST(TestHelp)
#include "test_help.moc"
