#pragma once
#include <vector>

#include "ui/window/benchmark_figure.h"
#include "ui/window/benchmark_workspace.h"

namespace strata::ui {
class BenchmarkWindow;

// The attention of a long sentence in its panel: as a matrix, and of all layers.
std::vector<BenchmarkFigure> benchmarkMap(BenchmarkWindow& used, const BenchmarkRuns& runs,
                                          const BenchmarkSizes& sizes);

}  // namespace strata::ui
