#pragma once
#include "core/base/json.h"
#include "ui/window/benchmark_workspace.h"

namespace strata::ui {
class WatchedApplication;

// Times what a person waits for, in a window over a workspace that it generates in a temporary
// folder: its start, in processes of their own, then curves, points that arrive, an attention map
// and every panel. Milliseconds of wall time with the limit of each figure. Shows windows.
Json runBenchmark(WatchedApplication& application, const BenchmarkSizes& sizes);

}  // namespace strata::ui
