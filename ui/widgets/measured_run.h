#pragma once
#include <QVector>
#include <QWidget>

#include "core/base/json.h"
#include "core/inside/measured_on.h"
#include "ui/data/measurable_run.h"
#include "ui/data/saved_state.h"
#include "ui/data/selection.h"
#include "ui/data/values.h"

class QComboBox;
class QProgressBar;
class QPushButton;
class QSpinBox;

namespace strata::ui {
class CheckpointBox;
class RunBox;

// Selects what a model is measured on: a run, a checkpoint, a validation set of the run and the
// number of its sentences. Objects are named PREFIXRun, PREFIXCheckpoint, PREFIXSet and
// PREFIXLimit.
class MeasuredRunChoice : public QWidget {
  Q_OBJECT
 public:
  explicit MeasuredRunChoice(const QString& prefix, QWidget* parent = nullptr);

  void setRuns(const QVector<RunRow>& runs);  // may choose another, or ask for the same again
  void setMeasurable(const MeasurableRun& run);
  void choose(const MeasuredOn& on);  // emits nothing
  bool isOn(const MeasuredOn& on) const;
  void setLimit(int sentences);

  qint64 run() const;
  QString runName() const;
  QString checkpoint() const;  // its selector
  // RUN@CHECKPOINT and the options --set and --limit.
  QStringList arguments() const;
  bool hasCheckpoint() const { return !measurable_.checkpoints.isEmpty(); }

  // False: the chosen run is not among those that can be measured.
  bool follow(const Selection& choice);
  const RunRow* newestBut(qint64 run) const;  // null: there is no other
  void addState(Json& state) const;
  void restore(const SavedState& saved);

 signals:
  void runChosen(qint64 run);                        // its measurements are to be loaded
  void changed();                                    // anything else
  void chosen(const strata::ui::Selection& choice);  // by the user

 private:
  QString checkpointName() const;  // empty: it does not exist
  QString set() const;

  RunBox* runs_;
  CheckpointBox* checkpoint_;
  QComboBox* set_;
  QSpinBox* limit_;
  MeasurableRun measurable_;
  QVector<RunRow> listed_;
  qint64 restoredRun_ = 0;  // the last session's, until it is in the list
  QString wantedSet_;
};

// The buttons that start and cancel a measurement, and its progress. Objects are named PREFIXStart,
// PREFIXCancel and PREFIXProgress.
class MeasureButtons : public QWidget {
  Q_OBJECT
 public:
  explicit MeasureButtons(const QString& prefix, QWidget* parent = nullptr);

  struct State {
    bool possible = false, measured = false;  // can be started; has been measured
    bool busy = false, ofOther = false;       // being measured; another run is
  };
  void setState(const State& state);
  void setShare(double share);  // 0 .. 1

 signals:
  void started();
  void cancelled();

 private:
  QPushButton *start_, *cancel_;
  QProgressBar* progress_;
};

}  // namespace strata::ui
