#include "ui/window/benchmark.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>
#include <algorithm>
#include <thread>

#include "core/base/error.h"
#include "core/base/version.h"
#include "core/store/workspace.h"
#include "ui/data/text.h"
#include "ui/window/benchmark_curves.h"
#include "ui/window/benchmark_map.h"
#include "ui/window/benchmark_window.h"
#include "ui/window/usable.h"

namespace strata::ui {
namespace {
constexpr double kStartLimit = 400;  // milliseconds
constexpr int kStartMs = 60'000;

// In memory if there is such a place: writing 1,000 runs to a disk takes a minute.
QString placeOfRuns() {
  const QString memory = QStringLiteral("/dev/shm");
  return (QFileInfo(memory).isWritable() ? memory : QDir::tempPath()) +
         QStringLiteral("/strata-XXXXXX");
}

// From the start of the program until its window is usable. The first two times are not counted:
// files are then in the system's cache, and there is a session.
BenchmarkFigure benchmarkStart(const QString& workspace, int repeats) {
  constexpr int kWarmUp = 2;
  BenchmarkFigure figure{"start", "from the program's start until its window is usable",
                         kStartLimit};
  for (int i = 0; i < repeats + kWarmUp; ++i) {
    QElapsedTimer clock;
    clock.start();
    QProcess program;
    program.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    program.start(QCoreApplication::applicationFilePath(),
                  {QStringLiteral("--workspace"), workspace, QStringLiteral("--exit-when-usable")});
    QByteArray said;
    while (said != kUsableText) {
      if (!program.waitForReadyRead(kStartMs))
        throw Error("strata --workspace {} --exit-when-usable was not usable", toStd(workspace));
      said += program.readAllStandardOutput();
    }
    if (i >= kWarmUp) figure.times.push_back(double(clock.nsecsElapsed()) / 1e6);
    program.waitForFinished(kStartMs);
  }
  return figure;
}

void showPanels(BenchmarkWindow& used) {
  for (const Panel* panel : used.window().panels()->all()) {
    used.begin("show " + toStd(panel->name()));
    QMetaObject::invokeMethod(
        &used.window(), [&] { used.window().bringUp(panel->name()); }, Qt::QueuedConnection);
    used.settle();
  }
}

Json sizesOf(const BenchmarkSizes& sizes) {
  return {{"runs", sizes.runs},
          {"curves", sizes.curves},
          {"points_each", sizes.points},
          {"words", sizes.words},
          {"points_per_second", sizes.pointsPerSecond}};
}

}  // namespace

Json runBenchmark(WatchedApplication& application, const BenchmarkSizes& sizes) {
  const QTemporaryDir folder(placeOfRuns());
  BenchmarkRuns runs;
  {
    Workspace workspace(toStd(folder.path()));
    runs = makeBenchmarkRuns(workspace, sizes);
  }
  std::vector<BenchmarkFigure> figures{benchmarkStart(folder.path(), sizes.repeats)};
  BenchmarkWindow used(application, folder.path());
  showPanels(used);
  for (auto& figure : benchmarkCurves(used, runs, sizes)) figures.push_back(std::move(figure));
  figures.push_back(benchmarkLive(used, runs, sizes, folder.path()));
  for (auto& figure : benchmarkMap(used, runs, sizes)) figures.push_back(std::move(figure));
  Json json{{"unit", "milliseconds"},
            {"program", programVersion()},
            {"processors", std::thread::hardware_concurrency()},
            {"window", {used.window().width(), used.window().height()}},
            {"sizes", sizesOf(sizes)},
            {"figures", Json::object()}};
  for (const BenchmarkFigure& figure : figures) json["figures"][figure.name] = jsonOf(figure);
  json["figures"]["longest_turn"] = used.turns();
  json["kept"] = std::ranges::all_of(json["figures"], [](const Json& f) { return f["kept"]; });
  return json;
}

}  // namespace strata::ui
