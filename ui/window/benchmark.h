#pragma once
#include "core/base/json.h"

namespace strata::ui {
class WatchedApplication;

// Times the slow parts of the window on this computer, in milliseconds: a chart of 50 curves of
// 100,000 points (loading, first drawing, zooming, panning, streaming new points), a table of 1,000
// runs, a heat map; and the longest turn of a window (ui/window/window_benchmark.h). Shows windows.
Json runBenchmark(WatchedApplication& application);

}  // namespace strata::ui
