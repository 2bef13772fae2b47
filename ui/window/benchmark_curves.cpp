#include "ui/window/benchmark_curves.h"

#include <qcustomplot.h>

#include <QApplication>
#include <QSlider>
#include <algorithm>
#include <functional>

#include "core/base/error.h"
#include "ui/panels/curves_panel.h"
#include "ui/window/benchmark_window.h"
#include "ui/window/stage.h"

namespace strata::ui {
namespace {
constexpr double kDrawLimit = 1000, kFrameLimit = 50;  // milliseconds
constexpr int kWarmUp = 2;                             // frames that are not timed
constexpr int kNotch = 120;                            // of a wheel
constexpr int kDragged = 7;                            // pixels per frame
constexpr int kSmoothed = 40;                          // of the slider, at first

class CurvesBenchmark {
 public:
  CurvesBenchmark(BenchmarkWindow& used, const BenchmarkRuns& runs, const BenchmarkSizes& sizes)
      : used_(used), runs_(runs), sizes_(sizes), panel_(used.window().panel<CurvesPanel>()) {}

  BenchmarkFigure draw() {
    used_.begin("draw");
    MainWindow& window = used_.window();
    used_.act(
        [&] {
          window.bringUp(panel_->name());
          window.stage()->setFills(panel_, true);
        },
        [this] { return panel_->isUpToDate(); });
    BenchmarkFigure figure{
        "draw", "from the choice of the runs until all of their points are drawn", kDrawLimit};
    for (int i = 0; i < sizes_.repeats; ++i) {
      window.panels()->select({.drawn = QVector<qint64>{runs_.sentence}});
      used_.settle();
      figure.times.push_back(used_
                                 .act([&] { window.panels()->select({.drawn = runs_.curves}); },
                                      [this] { return hasAll() && panel_->isUpToDate(); })
                                 .wall);
    }
    return figure;
  }

  // Closer and closer, then back.
  BenchmarkFigure zoom() {
    return frames({"zoom", "a notch of the wheel over the chart", kFrameLimit}, [this](int frame) {
      const QPointF at = plot()->rect().center();
      const int notch = frame < sizes_.repeats ? kNotch : -kNotch;
      QWheelEvent wheel(at, plot()->mapToGlobal(at), {}, {0, notch}, Qt::NoButton, Qt::NoModifier,
                        Qt::NoScrollPhase, false);
      QApplication::sendEvent(plot(), &wheel);
    });
  }

  BenchmarkFigure pan() {
    return frames(
        {"pan", "a move of the mouse that drags the chart", kFrameLimit}, [this](int frame) {
          if (frame == 0) mouse(QEvent::MouseButtonPress, 0);
          mouse(QEvent::MouseMove, frame < sizes_.repeats ? frame + 1 : frameCount() - 1 - frame);
          if (frame + 1 == frameCount()) mouse(QEvent::MouseButtonRelease, 0);
        });
  }

  BenchmarkFigure smooth() {
    auto* slider = panel_->findChild<QSlider*>(QStringLiteral("curveSmoothing"));
    BenchmarkFigure figure =
        frames({"smoothing", "a move of the slider for smoothing", kFrameLimit},
               [slider](int frame) { slider->setValue(kSmoothed + frame); });
    used_.act([slider] { slider->setValue(0); }, [this] { return chart()->isUpToDate(); });
    return figure;
  }

 private:
  CurvePlot* chart() const { return panel_->chart(QLatin1String(kBenchmarkSeries)); }
  QCustomPlot* plot() const { return chart()->plot(); }
  int frameCount() const { return 2 * sizes_.repeats; }

  bool hasAll() const {
    return std::ranges::all_of(runs_.curves, [this](qint64 run) {
      const auto series = panel_->series({run, QLatin1String(kBenchmarkSeries)});
      return series && series->size() == std::size_t(sizes_.points);
    });
  }

  // What the GUI thread does from the event until the chart shows its effect.
  BenchmarkFigure frames(BenchmarkFigure figure, const std::function<void(int)>& move) {
    used_.settle();
    used_.begin(figure.name);
    for (int frame = 0; frame < frameCount(); ++frame) {
      const auto took = used_.act([&] { move(frame); }, [this] { return chart()->isUpToDate(); });
      if (frame >= kWarmUp) figure.times.push_back(took.busy);
    }
    used_.settle();
    return figure;
  }

  void mouse(QEvent::Type type, int steps) {
    const QPointF at = plot()->rect().center() + QPoint(kDragged * steps, 0);
    const bool moves = type == QEvent::MouseMove, released = type == QEvent::MouseButtonRelease;
    QMouseEvent event(type, at, plot()->mapToGlobal(at), moves ? Qt::NoButton : Qt::LeftButton,
                      released ? Qt::NoButton : Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(plot(), &event);
  }

  BenchmarkWindow& used_;
  const BenchmarkRuns& runs_;
  const BenchmarkSizes& sizes_;
  CurvesPanel* panel_;
};

}  // namespace

std::vector<BenchmarkFigure> benchmarkCurves(BenchmarkWindow& used, const BenchmarkRuns& runs,
                                             const BenchmarkSizes& sizes) {
  CurvesBenchmark benchmark(used, runs, sizes);
  std::vector<BenchmarkFigure> figures{benchmark.draw()};
  figures.push_back(benchmark.zoom());
  figures.push_back(benchmark.pan());
  figures.push_back(benchmark.smooth());
  return figures;
}

}  // namespace strata::ui
