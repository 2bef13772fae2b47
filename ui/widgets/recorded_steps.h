#pragma once
#include <QVector>
#include <QWidget>
#include <optional>
#include <utility>

#include "core/base/json.h"
#include "ui/data/selection.h"
#include "ui/data/values.h"

class QLabel;
class QSlider;

namespace strata::ui {
class RunBox;

// Selects a run and one of the steps at which it has recorded something. Follows new steps while
// the last one is shown.
class RecordedSteps : public QWidget {
  Q_OBJECT
 public:
  using Steps = QVector<qint64> RunDetails::*;  // ascending

  // Objects are named PREFIXRun, PREFIXStep and PREFIXStepLabel.
  RecordedSteps(const QString& prefix, Steps steps, QWidget* parent = nullptr);

  // Lists those with such steps; selects the first if none is selected.
  void setRuns(const QVector<RunRow>& runs);
  // Shows the chosen run, and of the shown run the last step that is not after the chosen one (its
  // first, if all are), and says so. False: the chosen run has no such steps.
  bool follow(const Selection& choice);

  Json saveState() const;                // the run, and its step unless it follows new ones
  void restoreState(const Json& state);  // as soon as they are in the list

  bool isEmpty() const;          // no run
  const RunRow* newest() const;  // of those with such steps; null: none
  qint64 run() const;            // 0: none
  qint64 step() const;           // -1: none

 signals:
  void runChosen(qint64 run);  // before its step
  void stepChosen(qint64 run, qint64 step);
  void picked(const strata::ui::Selection& choice);  // a run, or a run and a step, by the user

 private:
  void chooseRun();
  void setSteps();
  void chooseStep();
  void showStep();

  Steps stepsOf_;
  RunBox* runs_;
  QSlider* slider_;
  QLabel* label_;
  QVector<RunRow> listed_;
  QVector<qint64> steps_;         // of the selected run
  std::optional<qint64> wanted_;  // the chosen step, if it has recorded nothing at it
  std::pair<qint64, qint64> announced_{0, -1};
  std::pair<qint64, qint64> restored_{0, -1};  // not yet in the list; step -1: the last
};

}  // namespace strata::ui
