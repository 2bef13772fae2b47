#pragma once
#include <QHash>
#include <QVector>
#include <QWidget>
#include <utility>

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

  bool isEmpty() const;  // no run
  qint64 run() const;    // 0: none
  qint64 step() const;   // -1: none

 signals:
  void runChosen(qint64 run);  // before its step
  void stepChosen(qint64 run, qint64 step);

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
};

}  // namespace strata::ui
