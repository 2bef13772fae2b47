#pragma once
#include <QMetaType>
#include <vector>

#include "core/inside/readers.h"
#include "ui/data/measurable_run.h"

namespace strata::ui {

// What a run's folder says about who reads whom: what can be measured, and what has been.
struct RunReaders : MeasurableRun {
  std::vector<ReadersReport> stored;
};
RunReaders readRunReaders(const RunSummary& run);

}  // namespace strata::ui

Q_DECLARE_METATYPE(strata::ui::RunReaders)
