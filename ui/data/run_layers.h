#pragma once
#include <QMetaType>
#include <vector>

#include "core/inside/layers.h"
#include "ui/data/measurable_run.h"

namespace strata::ui {

// What a run's folder says about its layers: what can be measured, and what has been.
struct RunLayers : MeasurableRun {
  std::vector<LayersReport> stored;
};
RunLayers readRunLayers(const RunSummary& run);

}  // namespace strata::ui

Q_DECLARE_METATYPE(strata::ui::RunLayers)
