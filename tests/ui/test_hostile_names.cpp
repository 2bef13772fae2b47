// Names, notes and samples that look like HTML, or have an ampersand, are shown as they are
// written.
#include <QAbstractButton>
#include <QAction>
#include <QHelpEvent>
#include <QLabel>
#include <QMenu>
#include <QTabBar>
#include <QToolTip>
#include <QTreeView>
#include <QtTest>

#include "tests/program.h"
#include "tests/ui/window_fixture.h"
#include "ui/style/plain_text.h"
#include "ui/window/panel_list.h"
#include "ui/window/recent_workspaces.h"
#include "ui/window/stage.h"

using namespace strata;
using namespace strata::ui;

class TestHostileNames : public QObject, WindowOnWorkspace {
  Q_OBJECT
 private slots:
  void init() { makeWorkspace(); }
  void cleanup() { removeWorkspace(); }
  void everyViewShowsThemAsTheyAreWritten();
  void tipsShowThemAsTheyAreWritten();
  void entriesOfMenusKeepAmpersands();

 private:
  QStringList misread() const;
};

namespace {
const std::string kHostile = "a <b>x<i> & \"y\"";
}

// What of the window would be taken for HTML, or for a shortcut.
QStringList TestHostileNames::misread() const {
  QStringList found;
  const QString html = QStringLiteral("<b>x"), shortcut = QStringLiteral("> & \"");
  for (const QLabel* label : window_->findChildren<QLabel*>()) {
    if (label->isVisible() && label->textFormat() != Qt::PlainText && label->text().contains(html))
      found << QStringLiteral("label %1: %2").arg(label->objectName(), label->text());
  }
  for (const QAbstractButton* button : window_->findChildren<QAbstractButton*>())
    if (button->text().contains(shortcut)) found << QStringLiteral("button ") + button->text();
  for (const QAction* action : window_->findChildren<QAction*>())
    if (action->text().contains(shortcut)) found << QStringLiteral("action ") + action->text();
  for (const QTabBar* bar : window_->findChildren<QTabBar*>())
    for (int tab = 0; tab < bar->count(); ++tab)
      if (bar->tabText(tab).contains(shortcut)) found << QStringLiteral("tab ") + bar->tabText(tab);
  return found;
}

void TestHostileNames::everyViewShowsThemAsTheyAreWritten() {
  const RunSummary run = fixture::makeRun(*workspace_, kHostile);
  {
    RunSession session(*workspace_, run.id, fixture::start());
    fixture::train(session, 10, 100);
    fixture::record(session, 50, 1);
    session.sample({run.id, "valid", 50, 0, kHostile, kHostile, kHostile});
    session.end({run.id, 100, RunOutcome::kFailed, kHostile});
  }
  setTags(*workspace_, run.id, {"<b>x"});
  setNote(*workspace_, run.id, kHostile);
  open();
  QTRY_COMPARE(int(window_->rows().size()), 1);
  int shown = 0;
  for (Panel* panel : window_->panels()->all()) {
    window_->stage()->bringUp(panel);
    // Launch waits for a program that is not there.
    QTRY_VERIFY2(panel->isUpToDate() || panel->name() == "launch", qPrintable(panel->name()));
    QCOMPARE(misread().join(QLatin1Char('\n')), QString());
    for (const QLabel* label : panel->findChildren<QLabel*>())
      shown += label->isVisible() && label->text().contains(QLatin1String("<b>x"));
  }
  QVERIFY(shown > 0);  // some label had the name
}

void TestHostileNames::tipsShowThemAsTheyAreWritten() {
  const auto shownOf = [](QWidget* widget) {
    QHelpEvent help(QEvent::ToolTip, QPoint(2, 2), widget->mapToGlobal(QPoint(2, 2)));
    QCoreApplication::sendEvent(widget, &help);
    return QToolTip::text();
  };
  open();
  QLabel plain, rich;
  for (QLabel* label : {&plain, &rich}) label->show();
  plain.setToolTip(qs(kHostile));
  QVERIFY2(shownOf(&plain).contains("a &lt;b&gt;x"), qPrintable(QToolTip::text()));
  rich.setToolTip(richTip("<b>ours</b>"));
  QVERIFY2(shownOf(&rich).endsWith("<b>ours</b>"), qPrintable(QToolTip::text()));
  showTip({}, qs(kHostile), &plain);
  QVERIFY(QToolTip::text().contains("a &lt;b&gt;x"));
  showTip({}, "plain & simple", &plain);
  QCOMPARE(QToolTip::text(), QString("plain & simple"));
}

void TestHostileNames::entriesOfMenusKeepAmpersands() {
  QCOMPARE(asEntry("a & b"), QString("a && b"));
  QCOMPARE(shownEntry(asEntry("a & b && c")), QString("a & b && c"));
  QCOMPARE(shownEntry("&Open"), QString("Open"));
  const QString file = folder_->filePath("recent.json"), other = folder_->filePath("x & y");
  QVERIFY(QDir().mkpath(other));
  { const RecentWorkspaces entered(file, other, nullptr); }
  RecentWorkspaces menu(file, folder_->path(), nullptr);
  emit menu.aboutToShow();
  QCOMPARE(menu.actions().size(), 1);
  QCOMPARE(shownEntry(menu.actions()[0]->text()), other);
}

STRATA_TEST(TestHostileNames)
#include "test_hostile_names.moc"
