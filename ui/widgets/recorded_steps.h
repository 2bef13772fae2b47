#pragma once
#include <QHash>
#include <QVector>
#include <QWidget>
#include <utility>

#include "core/base/json.h"
#include "ui/data/selection.h"

class QComboBox;
class QLabel;
class QSlider;

namespace strata::ui {

// Selects a run and one of the steps at which it has recorded something. Follows new steps while
// the last one is shown.
class RecordedSteps : public QWidget {
  Q_OBJECT
 public:
  struct Run {
    qint64 id = 0;
    QString name;
    QVector<qint64> steps;  // ascending
  };

  // Objects are named PREFIXRun, PREFIXStep and PREFIXStepLabel.
  explicit RecordedSteps(const QString& prefix, QWidget* parent = nullptr);

  void setRuns(const QVector<Run>& runs);  // selects the first if none is selected
  void showRun(qint64 run);                // unknown runs are ignored
  // Shows the chosen run, and of the shown run the last step that is not after the chosen one.
  void follow(const Selection& choice);

  Json saveState() const;                // the run, and its step unless it follows new ones
  void restoreState(const Json& state);  // as soon as they are in the list

  bool isEmpty() const;  // no run
  qint64 run() const;    // 0: none
  qint64 step() const;   // -1: none

 signals:
  void runChosen(qint64 run);  // before its step
  void stepChosen(qint64 run, qint64 step);
  void picked(const strata::ui::Selection& choice);  // a run, or a run and a step, by the user

 private:
  void chooseRun();
  void setSteps(const QVector<qint64>& steps);
  void chooseStep();

  QComboBox* runs_;
  QSlider* slider_;
  QLabel* label_;
  QHash<qint64, QVector<qint64>> stepsOf_;  // of every run in the list
  QVector<qint64> steps_;                   // of the selected run
  std::pair<qint64, qint64> announced_{0, -1};
  std::pair<qint64, qint64> restored_{0, -1};  // not yet in the list; step -1: the last
};

}  // namespace strata::ui
