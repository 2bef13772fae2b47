#pragma once
#include <QHash>
#include <QMainWindow>
#include <QTimer>
#include <QVector>

#include "ui/data/values.h"
#include "ui/style/theme.h"
#include "ui/window/session.h"

class QAction;
class QActionGroup;
class QDockWidget;
class QLabel;
class QMenuBar;
class QUndoStack;

namespace strata::ui {
class CommandPalette;
class ComparePanel;
class ComparisonService;
class CurvesPanel;
class EngineClient;
class GradientFlowPanel;
class HopWeightsPanel;
class LaunchPanel;
class LogPanel;
class MessageBar;
class RunsPanel;
class SetTranslations;
class TargetAttentionPanel;
class TranslatePanel;
class WorkspaceService;
struct LaunchRequest;

// The window of one workspace: panels in docks, arranged in perspectives, with one reader thread
// and one engine child process. Runs that it starts are independent processes; closing the window
// does not stop them.
class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  struct Options {
    QString workspace;
    ThemeChoice theme = ThemeChoice::kSystem;
    bool themeGiven = false;  // on the command line: the session's theme is ignored
    bool keepSession = true;  // read and write ui/session.json
  };
  struct Panel {
    QString name;  // "launch", "runs", "curves", "hop-weights", "target-attention", ...
    QDockWidget* dock;
  };

  explicit MainWindow(const Options& options);
  ~MainWindow() override;

  const QVector<Panel>& panels() const { return panels_; }
  LaunchPanel* launch() const { return launch_; }
  RunsPanel* runs() const { return runs_; }
  CurvesPanel* curves() const { return curves_; }
  GradientFlowPanel* gradientFlow() const { return gradientFlow_; }
  HopWeightsPanel* hopWeights() const { return hopWeights_; }
  TargetAttentionPanel* targetAttention() const { return targetAttention_; }
  TranslatePanel* translate() const { return translate_; }
  ComparePanel* compare() const { return compare_; }
  LogPanel* log() const { return log_; }
  MessageBar* messages() const { return messages_; }
  WorkspaceService* workspace() const { return workspace_; }
  bool isOpened() const { return opened_; }  // the workspace has been read once
  QString perspective() const { return perspective_; }
  const QVector<RunRow>& rows() const { return rows_; }
  qint64 demoProcess() const { return demo_; }  // 0: this window is running no demo

  void showPerspective(const QString& name);  // "launch", "watch", "inside", "compare"
  void resetLayout();                         // of the current perspective
  void setTheme(ThemeChoice choice);

 protected:
  void closeEvent(QCloseEvent* event) override;

 private:
  QAction* addCommand(const QString& name, const QString& icon, const QString& text,
                      const QKeySequence& keys);
  void makeActions();
  void makePanels();
  QDockWidget* makeDock(const QString& name, const QString& icon, const QString& title,
                        QWidget* panel);
  void makeMenus();
  void makeViewMenu();
  void makePerspectiveBar();
  void connectWorkspace();
  void connectPanels();
  void connectRunCommands();
  void connectComparison();
  void arrange(const QString& perspective);  // the default layout
  void restoreSession();
  void countStart(const Session& saved);
  void receiveRuns(const QVector<RunRow>& rows);
  void announce(const RunRow& before, const RunRow& now);
  void startRun(const LaunchRequest& request);
  void runDemo();
  void watchDemo();
  void startWorker();
  void tagRuns(const QVector<qint64>& runs, const QString& tag);
  void trashRuns(const QVector<qint64>& runs, bool trashed);
  void renameRun(qint64 run, const QString& name);
  void openWorkspace();
  void openPalette();
  void showError(const QString& message);
  void showAbout();
  const RunRow* row(qint64 id) const;
  QDockWidget* dock(const QString& name) const;

  Options options_;
  Session session_;
  WorkspaceService* workspace_;
  ComparisonService* comparisons_;
  SetTranslations* translations_;
  EngineClient* engine_;
  QUndoStack* undo_;
  LaunchPanel* launch_ = nullptr;
  RunsPanel* runs_ = nullptr;
  CurvesPanel* curves_ = nullptr;
  GradientFlowPanel* gradientFlow_ = nullptr;
  HopWeightsPanel* hopWeights_ = nullptr;
  TargetAttentionPanel* targetAttention_ = nullptr;
  TranslatePanel* translate_ = nullptr;
  ComparePanel* compare_ = nullptr;
  LogPanel* log_ = nullptr;
  QMenuBar* menu_ = nullptr;
  MessageBar* messages_ = nullptr;
  CommandPalette* palette_ = nullptr;
  QLabel* active_ = nullptr;
  QVector<Panel> panels_;
  QHash<QString, QAction*> commands_;
  QActionGroup *perspectives_ = nullptr, *themes_ = nullptr;
  QString perspective_;
  QVector<RunRow> rows_;
  QTimer demoTimer_;
  qint64 demo_ = 0;  // process of the demo; 0: none
  int runsBeforeDemo_ = 0;
  bool opened_ = false;
};

}  // namespace strata::ui
