#pragma once
#include <QHash>
#include <QMainWindow>
#include <QVector>
#include <functional>

#include "ui/data/values.h"
#include "ui/panels/panel.h"
#include "ui/style/theme.h"
#include "ui/widgets/palette_entry.h"
#include "ui/window/panel_list.h"

class QAction;
class QLabel;
class QMenu;
class QMenuBar;

namespace strata::ui {
class Announcements;
class CommandPalette;
class DemoRun;
class DrawnRuns;
class MainArea;
class HelpDock;
class JobList;
class JobsDock;
class Messages;
class RunCommands;
class SelectionBar;
class SessionKeeper;
class SetTranslations;
class Stage;
class WorkspacePage;
class WorkspaceService;
struct WorkspaceState;

// The window of one workspace: a selection, panels arranged in perspectives, one reader thread and
// one engine child process. Runs that it starts are independent processes; closing the window
// does not stop them.
class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  struct Options {
    QString workspace;
    ThemeChoice theme = ThemeChoice::kSystem;
    bool themeGiven = false;  // on the command line: the session's theme is ignored
    bool keepSession = true;  // read and write ui/session.json, and go on with the queue
    QString recentFile = {};  // in which the opened workspaces are kept; empty: they are not
  };

  explicit MainWindow(const Options& options);

  PanelList* panels() const { return panels_; }
  template <typename Type>
  Type* panel() const {  // the one of this type
    for (Panel* panel : panels_->all()) {
      if (auto* found = qobject_cast<Type*>(panel)) return found;
    }
    return nullptr;
  }
  Stage* stage() const { return stage_; }
  Messages* messages() const { return messages_; }
  MainArea* area() const { return area_; }
  DrawnRuns* drawn() const { return drawn_; }
  bool isOpened() const { return opened_; }  // the workspace has been read once
  const QVector<RunRow>& rows() const { return rows_; }
  JobList* jobs() const { return jobs_; }
  qint64 demoProcess() const;  // 0: this window is running no demo

  QString perspective() const;
  // "train", "watch", ...; or a panel, which is brought up in its own.
  void showPerspective(const QString& name);
  void bringUp(const QString& panel);  // its perspective, with it in front
  void setTheme(ThemeChoice choice);

 protected:
  void closeEvent(QCloseEvent* event) override;

 private:
  QAction* addCommand(const QString& name, const QString& icon, const QString& text,
                      const QKeySequence& keys, const std::function<void()>& run = {});
  void makeActions();
  void makePanels();
  void makeStatusBar();
  void makeDocks();
  void makeHelpMenu();
  void connectJobs();
  void receiveState(const WorkspaceState& state);
  void makeMenus();
  void makeEditMenu();
  void makeViewMenu();
  void makeThemeActions(QMenu* view);
  void makePerspectiveBar();
  void connectWorkspace();
  void connectDemo();
  void connectMessages();
  void restoreSession();
  void explainDefaultLayout();
  void receiveRuns(const QVector<RunRow>& rows);
  void chooseFirstRun();
  void startWorker();
  std::function<void(const QString&)> failing();  // announces why something failed
  QList<QAction*> allActions() const;
  QList<PaletteEntry> paletteEntries();
  void copyCommand(const QStringList& arguments);

  Options options_;
  SessionKeeper* session_;
  WorkspaceService* workspace_;
  JobList* jobs_;  // before those who add to it
  SetTranslations* translations_;
  RunCommands* runCommands_;
  DrawnRuns* drawn_;
  DemoRun* demo_ = nullptr;
  PanelList* panels_ = nullptr;
  Stage* stage_ = nullptr;
  MainArea* area_ = nullptr;
  SelectionBar* selectionBar_ = nullptr;
  QMenuBar* menu_ = nullptr;
  Messages* messages_ = nullptr;
  Announcements* announcements_ = nullptr;
  CommandPalette* palette_ = nullptr;
  WorkspacePage* page_ = nullptr;
  JobsDock* jobsDock_ = nullptr;
  HelpDock* help_ = nullptr;
  QLabel* place_ = nullptr;  // of the workspace
  QHash<QString, QAction*> commands_;
  QVector<RunRow> rows_;
  qint64 restoredRun_ = 0, restoredOther_ = 0;  // 0: none
  bool opened_ = false;
  ThemeChoice theme_ = ThemeChoice::kSystem;
};

}  // namespace strata::ui
