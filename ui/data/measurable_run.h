#pragma once
#include <QString>
#include <QStringList>
#include <QVector>

#include "core/base/json.h"
#include "core/store/runs.h"

namespace strata::ui {

// What a run's folder says about measuring its model: at which checkpoints, and on what.
struct MeasurableRun {
  struct Checkpoint {
    QString selector;  // "best", "last" or a step
    QString name;      // "step-00012000"
  };

  qint64 run = 0;
  QVector<Checkpoint> checkpoints;  // none: the run has saved none yet
  QStringList sets;                 // that it validates on
  Json model;                       // its configuration
  // The newest other run whose model has what this one's lacks for a view; 0: none, or it lacks
  // nothing.
  qint64 other = 0;
  QString otherName;
};
MeasurableRun readMeasurableRun(const RunSummary& run);

}  // namespace strata::ui
