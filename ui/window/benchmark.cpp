#include "ui/window/benchmark.h"

#include <qcustomplot.h>

#include <QApplication>
#include <QElapsedTimer>
#include <algorithm>
#include <cmath>
#include <functional>

#include "ui/panels/runs_model.h"
#include "ui/plots/curve_plot.h"
#include "ui/plots/heat_map.h"
#include "ui/style/theme.h"
#include "ui/window/window_benchmark.h"

namespace strata::ui {
namespace {
constexpr int kCurves = 50, kPoints = 100000, kRuns = 1000, kRepeats = 9;

double millisecondsOf(const std::function<void()>& work) {
  QElapsedTimer clock;
  clock.start();
  work();
  return double(clock.nsecsElapsed()) / 1e6;
}

// Median of the repetitions, so that one interruption does not count.
double medianOf(const std::function<void(int)>& work) {
  std::vector<double> times;
  for (int i = 0; i < kRepeats; ++i) times.push_back(millisecondsOf([&] { work(i); }));
  std::nth_element(times.begin(), times.begin() + kRepeats / 2, times.end());
  return times[kRepeats / 2];
}

// A noisy loss that falls over `count` steps from `first` on.
std::vector<ScalarPoint> curveFrom(int seed, int first, int count) {
  std::vector<ScalarPoint> points;
  points.reserve(std::size_t(count));
  unsigned state = unsigned(seed) * 2654435761u + 1;
  for (int i = first; i < first + count; ++i) {
    state = state * 1664525u + 1013904223u;
    const double noise = double(state >> 8) / double(1u << 24) - 0.5;
    points.push_back({i, 1.7e9 + 0.2 * i, 2 + 6 * std::exp(-i / 2e4) + 0.02 * seed + 0.6 * noise});
  }
  return points;
}

Json benchmarkCurves() {
  CurvePlot chart;
  chart.resize(1200, 700);
  std::vector<std::shared_ptr<Series>> series;
  QVector<CurvePlot::Curve> curves;
  std::vector<std::vector<ScalarPoint>> points;
  for (int i = 0; i < kCurves; ++i) points.push_back(curveFrom(i, 0, kPoints));
  Json result;
  result["load"] = millisecondsOf([&] {
    for (int i = 0; i < kCurves; ++i) {
      series.push_back(std::make_shared<Series>());
      series.back()->append(points[std::size_t(i)]);
      curves.push_back({QStringLiteral("run %1").arg(i), i, series.back()});
    }
  });
  chart.setCurves(curves);
  chart.show();
  while (chart.replots() == 0) QApplication::processEvents(QEventLoop::WaitForMoreEvents);
  // The time of one frame after a move: decimating the visible range and painting it.
  const auto frameAfter = [&](const std::function<void(int)>& move) {
    return medianOf([&](int i) {
      move(i);
      chart.redrawNow();
      chart.plot()->grab();
    });
  };
  result["draw_all"] = frameAfter([&](int) { chart.fit(); });
  result["zoom"] = frameAfter([&](int i) { chart.setXRange(1000.0 * i, kPoints / 2.0 + 500 * i); });
  result["zoom_in"] = frameAfter([&](int i) { chart.setXRange(40000 + 10 * i, 40400 + 10 * i); });
  result["pan"] = frameAfter([&](int i) { chart.setXRange(20000 + 100 * i, 60000 + 100 * i); });
  result["stream"] = frameAfter([&](int i) {
    for (int c = 0; c < kCurves; ++c)
      series[std::size_t(c)]->append(curveFrom(c, kPoints + 10 * i, 10));
    chart.fit();
  });
  result["smoothing"] = medianOf([&](int i) {
    for (auto& s : series) s->setSmoothing(0.5 + 0.01 * i);
  });
  result["draw_smoothed"] = frameAfter([&](int) { chart.fit(); });
  return result;
}

Json benchmarkRuns() {
  QVector<RunRow> rows(kRuns);
  for (int i = 0; i < kRuns; ++i) {
    rows[i].id = i + 1;
    rows[i].name = QStringLiteral("run-%1").arg(i);
    rows[i].status = RunStatus::kFinished;
    rows[i].best = std::sin(i);
    rows[i].lastStep = i;
  }
  RunsModel model;
  RunsFilter filter;
  filter.setSourceModel(&model);
  Json result;
  result["load"] = millisecondsOf([&] {
    model.setRuns(rows);
    filter.sort(RunsModel::kBest);
  });
  result["update"] = medianOf([&](int i) {
    rows[i].step = i + 1;
    model.setRuns(rows);
  });
  result["filter"] =
      medianOf([&](int i) { filter.setPattern(QStringLiteral("run-%1\\d").arg(i)); });
  return result;
}

Json benchmarkHeatMap() {
  HeatMapView view;
  QStringList columns;
  for (int i = 0; i < 40; ++i) columns << QStringLiteral("word%1 → word%2").arg(i).arg(i + 1);
  QVector<HeatMap> maps;
  for (int hop = 0; hop < 8; ++hop) {
    HeatMap map{QStringLiteral("hop %1").arg(hop + 1), {}, std::vector<float>(7 * 40, 0.3f)};
    for (int level = 0; level < 7; ++level) map.rows << QStringLiteral("layer %1").arg(level);
    maps << map;
  }
  view.resize(1200, 1400);
  view.setMaps(columns, maps);
  return {{"draw", medianOf([&](int) { view.grab(); })}};
}

}  // namespace

Json runBenchmark(WatchedApplication& application) {
  return {{"unit", "milliseconds"},
          {"curves", {{"curves", kCurves}, {"points_each", kPoints}, {"times", benchmarkCurves()}}},
          {"runs", {{"runs", kRuns}, {"times", benchmarkRuns()}}},
          {"heat_map", {{"cells", 8 * 7 * 40}, {"times", benchmarkHeatMap()}}},
          {"window", benchmarkWindow(application)}};
}

}  // namespace strata::ui
