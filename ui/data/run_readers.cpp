#include "ui/data/run_readers.h"

namespace strata::ui {

RunReaders readRunReaders(const RunSummary& run) {
  return {readMeasurableRun(run), storedReaders(run.folder)};
}

}  // namespace strata::ui
