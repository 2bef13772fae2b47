#pragma once
#include <vector>

#include "ui/window/benchmark_figure.h"
#include "ui/window/benchmark_workspace.h"

namespace strata::ui {
class BenchmarkWindow;

// Many long curves in the panel Curves: drawn from the workspace, zoomed, panned and smoothed.
std::vector<BenchmarkFigure> benchmarkCurves(BenchmarkWindow& used, const BenchmarkRuns& runs,
                                             const BenchmarkSizes& sizes);

// Points that arrive in all of them while they are drawn, after benchmarkCurves().
BenchmarkFigure benchmarkLive(BenchmarkWindow& used, const BenchmarkRuns& runs,
                              const BenchmarkSizes& sizes, const QString& workspace);

}  // namespace strata::ui
