#pragma once
#include <QFrame>
#include <functional>
#include <optional>

#include "core/base/json.h"
#include "ui/data/run_inspection.h"
#include "ui/data/selection.h"
#include "ui/data/values.h"

class QAction;
class QCheckBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QTabWidget;
class QTreeWidget;

namespace strata::ui {

// Everything about the current run: its state and note, its settings and where they differ from
// the other run's, its checkpoints, and the circumstances of its starts. It asks for what it shows
// only while it is visible, and again when the run has changed.
class Inspector : public QFrame {
  Q_OBJECT
 public:
  explicit Inspector(QWidget* parent);

  void setRuns(const QVector<RunRow>& runs);
  void setSelection(const Selection& selection);
  void showDifferences();  // of the settings, from the other run
  void show(const RunInspection& run);
  void refresh() { request(); }  // its checkpoints have changed
  qint64 run() const { return run_; }
  Json saveState() const;
  void restoreState(const Json& state);

 signals:
  void requested(qint64 run, qint64 other);
  void chosen(const strata::ui::Selection& choice);  // a checkpoint's step
  void noteWritten(qint64 run, const QString& note);
  void averageRequested(qint64 run, const QString& name, const QVector<qint64>& steps);
  void averageCommandCopied(qint64 run, const QVector<qint64>& steps);
  // A new run whose initial parameters are those: NAME@STEP, or the folder of an average.
  void forkRequested(qint64 run, const QString& from);
  void pinRequested(qint64 run, qint64 step, bool pinned);
  void removeRequested(qint64 run, qint64 step);
  void removeAverageRequested(qint64 run, const QString& folder);
  void openFolderRequested(const QString& folder);
  void closeRequested();

 protected:
  void showEvent(QShowEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;  // of the note: it loses the focus

 private:
  QWidget* makeHead();
  QWidget* makeFacts();
  QWidget* makeSettings();
  QWidget* makeCheckpoints();
  void connectCheckpoints();
  QWidget* makeStarts();
  void request();
  void clear();
  void showFacts(const RunInspection& seen);
  void showSettings();
  void showCheckpoints(const RunInspection& seen);
  void showAverages(const RunInspection& seen);
  void showStarts(const RunInspection& seen);
  void updateCheckpointActions();
  void writeNote();
  void confirmRemoval();
  void confirm(const QString& title, const QString& text, const std::function<void()>& remove);
  qint64 checkpoint() const;              // the chosen one's step; -1: none
  QString average() const;                // the chosen one's folder; empty: none
  QVector<qint64> selectedSteps() const;  // of checkpoints, ascending

  qint64 run_ = 0, other_ = 0;
  QString system_;  // an imported one in the place of a run; empty: none
  RunRow row_;
  std::optional<RunInspection> seen_;
  QLabel *title_, *facts_, *starts_, *samples_;
  QTabWidget* tabs_;
  QPlainTextEdit* note_;
  QLineEdit* filter_;
  QCheckBox* onlyDifferences_;
  QTreeWidget *settings_, *checkpoints_;
  QAction *pin_, *average_, *copyAverage_, *fork_, *remove_, *open_;
};

}  // namespace strata::ui
