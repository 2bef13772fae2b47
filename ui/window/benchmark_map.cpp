#include "ui/window/benchmark_map.h"

#include <QApplication>
#include <QMouseEvent>

#include "ui/panels/attention_panel.h"
#include "ui/panels/attention_views.h"
#include "ui/plots/heat_map.h"
#include "ui/plots/map_grid.h"
#include "ui/window/benchmark_window.h"
#include "ui/window/stage.h"

namespace strata::ui {
namespace {
constexpr double kMapLimit = 16;  // milliseconds
constexpr int kMapWarmUp = 2;     // frames that are not timed
}  // namespace

std::vector<BenchmarkFigure> benchmarkMap(BenchmarkWindow& used, const BenchmarkRuns& runs,
                                          const BenchmarkSizes& sizes) {
  MainWindow& window = used.window();
  auto* panel = window.panel<AttentionPanel>();
  const auto isDrawn = [panel] { return panel->isUpToDate(); };
  used.begin("attention_map");
  used.act(
      [&] {
        window.bringUp(panel->name());
        window.stage()->setFills(panel, true);
        window.panels()->select({.run = runs.sentence});
      },
      [&] { return isDrawn() && !panel->views()->matrix()->maps().isEmpty(); });
  const auto frames = [&](BenchmarkFigure figure, QWidget* view) {
    used.settle();
    for (int frame = 0; frame < sizes.repeats + kMapWarmUp; ++frame) {
      const auto took = used.act([view] { view->update(); }, isDrawn);
      if (frame >= kMapWarmUp) figure.times.push_back(took.busy);
    }
    return figure;
  };
  std::vector<BenchmarkFigure> figures{
      frames({"attention_map", "the part of the matrix that is in sight", kMapLimit},
             panel->views()->matrix())};
  used.begin("attention_overview");
  used.act([&] { panel->views()->setCurrentIndex(AttentionViews::kBirdsEye); }, isDrawn);
  figures.push_back(frames({"attention_overview", "all weights of all layers", kMapLimit},
                           panel->views()->grid()));
  return figures;
}

}  // namespace strata::ui
