#include "ui/data/run_effects.h"

namespace strata::ui {

RunEffects readRunEffects(const RunSummary& run) {
  return {readMeasurableRun(run), storedEffects(run.folder)};
}

}  // namespace strata::ui
