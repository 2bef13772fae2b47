#include "ui/data/run_inspection.h"

#include <QCoreApplication>

#include "core/base/key_path.h"
#include "core/store/began_with.h"
#include "core/sweeps/run_comparison.h"
#include "ui/data/text.h"

namespace strata::ui {
namespace {

// By the present name of the run whose model it was, if that is known.
std::string startingModel(Workspace& workspace, const RunInspection& seen, const Json& config) {
  const auto began = beginningOf(seen.run.folder);
  if (began && !began->run) return began->model.string();
  if (began && isRun(workspace, std::to_string(*began->run)))
    return runById(workspace, *began->run).name + " (" + began->model.string() + ")";
  const Json* from = findAt(config, "training.from");
  return from != nullptr && from->is_string() ? from->get<std::string>() : std::string();
}

QVector<QStringList> rowsOf(const RunComparison& differences) {
  QVector<QStringList> rows;
  const auto add = [&](const QString& name, const ComparedValue& each) {
    rows << QStringList{name, qs(comparedText(each.left)), qs(comparedText(each.right))};
  };
  for (const ComparedValue& each : differences.settings) add(qs(each.key), each);
  for (const ComparedValue& each : differences.environment)
    add(QCoreApplication::translate("RunInspection", "last start: %1").arg(qs(each.key)), each);
  for (const ComparedMetric& each : differences.metrics)
    rows << QStringList{qs(each.name), numberText(each.left), numberText(each.right)};
  return rows;
}

}  // namespace

RunInspection inspectRun(Workspace& workspace, qint64 run, qint64 other) {
  RunInspection seen;
  seen.run = runById(workspace, run);
  const Json config = runConfig(seen.run);
  seen.settings = settingsOf(config);
  if (other != 0 && other != run) {
    const RunSummary right = runById(workspace, other);
    seen.other = other;
    seen.otherName = qs(right.name);
    seen.differences = rowsOf(onlyDifferences(compareRuns(workspace, seen.run, right)));
  }
  seen.starts = runStarts(workspace, run);
  seen.checkpoints = listCheckpoints(seen.run.folder);
  seen.averages = listAverages(seen.run.folder);
  seen.disk = diskUseOf(seen.run.folder);
  seen.from = startingModel(workspace, seen, config);
  seen.samples = readSamples(workspace, run);
  return seen;
}

}  // namespace strata::ui
