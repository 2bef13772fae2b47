#pragma once
#include <QHash>
#include <functional>

#include "ui/data/setting_columns.h"
#include "ui/data/values.h"
#include "ui/panels/panel.h"

class QAction;
class QLabel;
class QLineEdit;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace strata::ui {
class ReportTable;
class RunsFilter;
class RunsModel;

// The table of runs, or of groups of runs that differ only in their seed. It changes nothing
// itself: user requests are emitted as signals, and the rows show what the store reports
// afterwards.
class RunsPanel : public Panel {
  Q_OBJECT
 public:
  explicit RunsPanel(QAction* runDemo, QAction* newRun, QWidget* parent = nullptr);

  void setRuns(const QVector<RunRow>& runs);
  void setSettings(const RunSettingColumns& settings);
  QVector<qint64> selectedRuns() const;
  void selectRun(qint64 id);  // nothing is selected if it is not shown
  QTableView* table() const { return table_; }
  RunsModel* model() const { return model_; }
  Here here() const override;
  Json saveState() const override;
  void restoreState(const Json& state) override;

 signals:
  void settingsArrived();
  void settingsRequested(const QStringList& keys);  // these and those that differ
  void commandRequested(const QVector<qint64>& runs, strata::ui::RunCommand command);
  void renameRequested(qint64 run, const QString& name);
  void tagRequested(const QVector<qint64>& runs, const QString& tag);
  void trashRequested(const QVector<qint64>& runs, bool trashed);
  void copyRequested(qint64 run);  // its settings into Launch
  void differencesRequested();     // of the current run from the other
  void continueRequested(qint64 run, qint64 updates);
  void openFolderRequested(const QString& folder);

 private:
  void follow(const Selection& choice) override;
  QAction* command(const QString& name, const QString& icon, const QString& text,
                   const QKeySequence& keys, const std::function<void()>& run);
  QWidget* makeToolBar();
  void makeTable();
  void makeGroups();
  void addGroupChoice();
  void addColumnChoice();
  void addColumnAction(QAction* shown);
  void chooseSetting();
  void showSettings(QStringList keys);  // as columns
  void applyFilter();
  void makeCommands();
  void updateCommands();
  void shownRunsChanged();
  void refreshGroups();
  void selectRuns(const QVector<qint64>& ids);
  QStringList selectedGroups() const;
  void selectGroupedRuns();  // of the selected groups
  void shareSelected();
  void openRuns(const QVector<qint64>& ids);
  // For a text, which is `text` at first. `answered` gets it unless it is blank.
  void ask(const QString& name, const QString& title, const QString& label, const QString& text,
           std::function<void(const QString&)> answered);
  void askName();
  void askTag();
  void askUpdates();

  RunsModel* model_;
  RunsFilter* filter_;
  QTableView* table_;
  ReportTable* groups_;
  QHash<QString, QVector<qint64>> runsOfGroups_;  // by name, as shown
  QStackedWidget* tables_;
  QLineEdit* pattern_;
  QLabel* count_;
  QToolButton* columns_;
  RunSettingColumns settings_;
  bool fillingGroups_ = false;  // the selection of groups_ is not the user's
  bool selecting_ = false;      // that of table_ is not
  QAction *stop_, *pause_, *resume_, *continue_, *first_, *rename_, *tag_, *trash_, *copy_,
      *folder_, *difference_, *showTrash_, *grouped_;
};

}  // namespace strata::ui
