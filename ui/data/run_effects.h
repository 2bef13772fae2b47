#pragma once
#include <QMetaType>
#include <QString>
#include <QStringList>
#include <QVector>
#include <vector>

#include "core/base/json.h"
#include "core/inside/effects_report.h"
#include "core/inside/readers.h"
#include "core/store/runs.h"

namespace strata::ui {

// What a run's folder says about effects of interventions and about who reads whom: what can be
// measured, and what has been.
struct RunEffects {
  struct Checkpoint {
    QString selector;  // "best", "last" or a step
    QString name;      // "step-00012000"
  };

  qint64 run = 0;
  QVector<Checkpoint> checkpoints;  // none: the run has saved none yet
  QStringList sets;                 // that it validates on
  Json model;                       // its configuration
  std::vector<EffectsReport> stored;
  std::vector<ReadersReport> readers;  // who reads whom, as measured
};
RunEffects readRunEffects(const RunSummary& run);

}  // namespace strata::ui

Q_DECLARE_METATYPE(strata::ui::RunEffects)
