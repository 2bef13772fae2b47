#pragma once
#include "core/base/json.h"

namespace strata::ui {

// How fast the window's heavy parts are on this computer, in milliseconds: a chart of 50 curves of
// 100,000 points (loading, first drawing, zooming, panning, new points while they stream in), a
// table of 1,000 runs, a heat-map. Needs a QApplication; shows windows.
Json runBenchmark();

}  // namespace strata::ui
