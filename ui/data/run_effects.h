#pragma once
#include <QMetaType>
#include <vector>

#include "core/inside/effects_report.h"
#include "ui/data/measurable_run.h"

namespace strata::ui {

// What a run's folder says about effects of interventions: what can be measured, and what has been.
struct RunEffects : MeasurableRun {
  std::vector<EffectsReport> stored;
};
RunEffects readRunEffects(const RunSummary& run);

}  // namespace strata::ui

Q_DECLARE_METATYPE(strata::ui::RunEffects)
