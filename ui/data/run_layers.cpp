#include "ui/data/run_layers.h"

namespace strata::ui {

RunLayers readRunLayers(const RunSummary& run) {
  return {readMeasurableRun(run), storedLayers(run.folder)};
}

}  // namespace strata::ui
