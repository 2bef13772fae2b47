#pragma once
#include <QWidget>

#include "core/base/json.h"
#include "ui/data/values.h"

class QComboBox;

namespace strata::ui {
class RunBox;

// Selects what a recorded step is compared with: nothing, or a recorded step of this or another
// run.
class OtherRecording : public QWidget {
  Q_OBJECT
 public:
  // Objects are named PREFIXRun and PREFIXStep.
  explicit OtherRecording(const QString& prefix, QWidget* parent = nullptr);

  void setRuns(const QVector<RunRow>& recorded);  // those with recordings
  // Selects the step of the other run that is nearest to the current one, or of the same run the
  // first step.
  void setCurrent(qint64 run, qint64 step);
  void showRun(qint64 run);  // 0: nothing; ignored if it has no recordings

  qint64 run() const;    // 0: nothing
  qint64 step() const;   // -1: nothing
  QString name() const;  // "first, step 400"

  Json saveState() const;
  void restoreState(const Json& state);  // as soon as they are in the list

 signals:
  void changed();              // run or step
  void runPicked(qint64 run);  // by the user

 private:
  void fillSteps();

  RunBox* runs_;
  QComboBox* steps_;
  QVector<RunRow> listed_;
  qint64 currentRun_ = 0, currentStep_ = -1;
  qint64 wantedRun_ = 0, wantedStep_ = -1;  // restored, not yet in the list
};

}  // namespace strata::ui
