#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QAbstractItemModel>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QTableView>
#include <QTreeWidget>
#include <QtTest>

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/text_limits.h"
#include "core/store/database.h"
#include "tests/fixture.h"
#include "tests/program.h"
#include "tests/ui/window_fixture.h"
#include "ui/data/text.h"
#include "ui/panels/log_panel.h"
#include "ui/panels/monitor_panel.h"
#include "ui/panels/runs_panel.h"
#include "ui/panels/samples_panel.h"
#include "ui/widgets/messages.h"
#include "ui/window/recent_workspaces.h"
#include "ui/window/workspace_page.h"

using namespace strata;
using namespace strata::ui;

// What the window says about a workspace that was removed, is newer, or cannot be written, and
// about a run whose folder is gone.
class TestWorkspaceStates : public QObject, private WindowOnWorkspace {
  Q_OBJECT
 private slots:
  void init() { makeWorkspace(); }
  void cleanup() { removeWorkspace(); }
  void aNewerWorkspaceIsNamed();
  void aRemovedWorkspaceIsNamedAndComesBack();
  void aReadOnlyWorkspaceIsShown();
  void aFolderThatCannotBeAWorkspaceIsNamed();
  void aRunWithoutFolderSaysSo();
  void recentWorkspacesAreOffered();

 private:
  void makeRun(const char* name) {
    const RunSummary run = fixture::makeRun(*workspace_, name);
    RunSession session(*workspace_, run.id, fixture::start());
    fixture::train(session, 10, 200);
    session.end({run.id, 200, RunOutcome::kFinished, ""});
  }
  // Without waiting until it is opened, which it may never be.
  void show() {
    MainWindow::Options options;
    options.workspace = folder_->path();
    options.theme = ThemeChoice::kLight;
    window_ = std::make_unique<MainWindow>(options);
    window_->show();
  }
  WorkspacePage* page() const { return child<WorkspacePage>("workspacePage"); }
  QString pageText() const {
    QStringList texts;
    for (const QLabel* label : page()->widget(0)->findChildren<QLabel*>()) texts << label->text();
    return texts.join(' ');
  }
};

void TestWorkspaceStates::aNewerWorkspaceIsNamed() {
  makeRun("old");
  workspace_->database().execute("PRAGMA user_version = 99");
  workspace_.reset();
  show();
  QTRY_VERIFY(page()->isEmpty());
  QVERIFY(pageText().contains("newer version"));
  QVERIFY2(pageText().contains("format 99"), qPrintable(pageText()));
  QVERIFY(pageText().contains(folder_->path()));
  QVERIFY(page()->findChild<QPushButton*>("openWorkspaceButton")->isVisible());
  QVERIFY(!window_->isOpened());
}

void TestWorkspaceStates::aRemovedWorkspaceIsNamedAndComesBack() {
  makeRun("stays");
  workspace_.reset();
  open();
  QTRY_COMPARE(window_->rows().size(), 1);
  QVERIFY(!page()->isEmpty());
  const QString aside = folder_->path() + "-aside";
  QVERIFY(QDir().rename(folder_->path(), aside));
  QTRY_VERIFY(page()->isEmpty());
  QVERIFY2(pageText().contains("was moved or removed"), qPrintable(pageText()));
  QVERIFY(pageText().contains(folder_->path()));
  QTRY_COMPARE(window_->rows().size(), 0);  // nothing is still listed
  QTest::qWait(600);
  QVERIFY(!QFileInfo::exists(folder_->path()));  // and it is not created again
  QVERIFY(QDir().rename(aside, folder_->path()));
  QTRY_VERIFY(!page()->isEmpty());
  QTRY_COMPARE(window_->rows().size(), 1);
  QVERIFY(QDir().rename(folder_->path(), aside));
  window_->close();
  QVERIFY(!QFileInfo::exists(folder_->path()));
  QVERIFY(QDir().rename(aside, folder_->path()));
}

// Another user's folder: the file system's user of this thread, and of those that it starts, has
// no right to write.
void TestWorkspaceStates::aReadOnlyWorkspaceIsShown() {
  makeRun("theirs");
  workspace_.reset();
  const std::string root = folder_->path().toStdString();
  const bool isRoot = ::geteuid() == 0;
  for (const auto& entry : fs::recursive_directory_iterator(root))
    ::chmod(entry.path().c_str(), entry.is_directory() ? 0555 : 0444);
  ::chmod(root.c_str(), 0555);
  if (isRoot) ::setfsuid(65534);
  show();
  QTRY_VERIFY(window_->isOpened());
  QTRY_COMPARE(window_->rows().size(), 1);
  QVERIFY(!page()->isEmpty());
  QVERIFY(child<QLabel>("workspacePlace")->text().contains("read-only"));
  QVERIFY(window_->messages()->text().contains("cannot be written"));
  QVERIFY(window_->messages()->text().contains(folder_->path()));
  const auto told = window_->messages()->history().size();
  QTest::qWait(2000);
  QCOMPARE(window_->messages()->history().size(), told);  // once, and no errors of others
  window_.reset();
  if (isRoot) ::setfsuid(0);
  ::chmod(root.c_str(), 0755);
  for (const auto& entry : fs::recursive_directory_iterator(root))
    ::chmod(entry.path().c_str(), entry.is_directory() ? 0755 : 0644);
}

void TestWorkspaceStates::aFolderThatCannotBeAWorkspaceIsNamed() {
  workspace_.reset();
  folder_ = std::make_unique<QTemporaryDir>();
  QFile file(folder_->filePath("workspace.db"));
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(
      "this is somebody's text and no index of runs, long enough for a header of SQLite: "
      "one hundred bytes at least");
  file.close();
  show();
  QTRY_VERIFY(page()->isEmpty());
  QVERIFY2(pageText().contains("cannot be opened"), qPrintable(pageText()));
  QVERIFY(pageText().contains("workspace.db"));
}

void TestWorkspaceStates::aRunWithoutFolderSaysSo() {
  makeRun("lost");
  makeRun("kept");
  open();
  QTRY_COMPARE(window_->rows().size(), 2);
  fs::remove_all(findRun(*workspace_, "lost").folder);
  QTRY_VERIFY(window_->rows()[0].missing);
  const QTableView* table = window_->panel<RunsPanel>()->table();
  const auto cells = [table] {
    QStringList texts;
    for (int row = 0; row < table->model()->rowCount(); ++row) {
      for (int column = 0; column < table->model()->columnCount(); ++column)
        texts << table->model()->index(row, column).data().toString();
    }
    return texts;
  };
  QCOMPARE(cells().count("folder missing"), 1);
  // Views that read from the folder say what to do.
  window_->panels()->select({.run = 1});
  QTRY_VERIFY(window_->panel<LogPanel>()->text().contains("is missing"));
  window_->bringUp("samples");  // it reads only while it is seen
  QTRY_VERIFY(window_->panel<SamplesPanel>()->text().contains("is missing"));
  QVERIFY(window_->panel<LogPanel>()->text().contains("workspace forget 1"));
  // Monitor removes it from the list.
  window_->bringUp("monitor");
  auto* alerts = child<QTreeWidget>("monitorAlerts");
  QTRY_COMPARE(alerts->topLevelItemCount(), 1);
  QCOMPARE(alerts->topLevelItem(0)->text(3), QString("folder missing"));
  QTest::mouseClick(alerts->findChild<QPushButton*>("forgetRun"), Qt::LeftButton);
  QTRY_COMPARE(window_->rows().size(), 1);
  QCOMPARE(window_->rows()[0].name, QString("kept"));
  QTRY_COMPARE(alerts->topLevelItemCount(), 0);
}

void TestWorkspaceStates::recentWorkspacesAreOffered() {
  const QTemporaryDir user;
  const QString file = user.filePath("strata/recent.json"), other = user.filePath("other"),
                gone = user.filePath("gone");
  QVERIFY(QDir(user.path()).mkpath("other"));
  for (const QString& opened : {gone, other}) RecentWorkspaces(file, opened);
  MainWindow::Options options;
  options.workspace = folder_->path();
  options.recentFile = file;
  window_ = std::make_unique<MainWindow>(options);
  auto* menu = child<RecentWorkspaces>("recentWorkspaces");
  emit menu->aboutToShow();
  QCOMPARE(menu->actions().size(), 1);  // neither what is gone nor the one that is open
  QCOMPARE(menu->actions()[0]->text(), other);
  const Json kept = readJson(toStd(file));
  QCOMPARE(kept.at("workspaces"), Json({toStd(folder_->path()), toStd(other), toStd(gone)}));
  put(toStd(file), "damaged");
  emit menu->aboutToShow();
  QCOMPARE(menu->actions().size(), 1);
  QVERIFY(!menu->actions()[0]->isEnabled());  // says that there is none
  for (int i = 0; i < 2 * RecentWorkspaces::kMost; ++i) RecentWorkspaces(file, QString::number(i));
  QCOMPARE(readJson(toStd(file)).at("workspaces").size(), std::size_t(RecentWorkspaces::kMost));
  // Without a file, as in screenshots and tests, nothing is kept.
  QVERIFY(!RecentWorkspaces({}, other).menuAction()->isVisible());
}

STRATA_TEST(TestWorkspaceStates)
#include "test_workspace_states.moc"
