#include "ui/data/queries.h"

#include <algorithm>
#include <functional>
#include <memory>

#include "core/base/error.h"
#include "core/store/runs.h"
#include "core/store/scalars.h"
#include "ui/data/text.h"

namespace strata::ui {
namespace {

// Configurations are read only if the run's model lacks something, and only until one has it.
void addOther(OpenWorkspace& open, MeasurableRun& run,
              const std::function<bool(const Json& model)>& has) {
  if (has(run.model)) return;
  auto all = listRuns(open.workspace);
  std::ranges::sort(all, std::ranges::greater(), &RunSummary::id);
  for (const RunSummary& each : all) {
    const RunRow* row = open.runs.find(each.id);
    if (!row || !row->hasCheckpoint || row->missing || each.id == run.run) continue;
    try {
      if (!has(runConfig(each).value("model", Json::object()))) continue;
    } catch (const std::exception&) {
      continue;  // it is reported when that run is chosen
    }
    run.other = each.id;
    run.otherName = row->name;
    return;
  }
}

}  // namespace

RunEffects EffectsOf::read(OpenWorkspace& open) const {
  RunEffects effects = readRunEffects(runById(open.workspace, run));
  addOther(open, effects, &hasEffectUnits);
  return effects;
}

RunReaders ReadersOf::read(OpenWorkspace& open) const {
  RunReaders readers = readRunReaders(runById(open.workspace, run));
  addOther(open, readers, [](const Json& model) { return readersLackOf(model).empty(); });
  return readers;
}

RunLayers LayersOf::read(OpenWorkspace& open) const {
  return readRunLayers(runById(open.workspace, run));
}

QStringList ExamplesOf::read(OpenWorkspace& open) const {
  QStringList sentences;
  for (const StoredSample& sample : readSamples(open.workspace, run))
    sentences << qs(sample.source);
  sentences.removeDuplicates();
  return sentences;
}

SharedRecordings RecordingsOf::read(OpenWorkspace& open) const {
  const RunRow* row = open.runs.find(run);
  if (row && row->missing) throw Error("{}", toStd(missingText(*row)));
  const RunSummary summary = runById(open.workspace, run);
  auto recordings = std::make_shared<StepRecordings>();
  recordings->runId = run;
  recordings->step = step;
  for (const StoredRecording& stored : listRecordingRows(open.workspace, run)) {
    if (stored.step != step || !stored.present) continue;
    static_cast<RecordedStep&>(*recordings) =
        readRecordedStep(stored.folder, runConfig(summary), open.workspace.datasetsFolder());
  }
  return recordings;
}

QVector<SeriesPoints> SeriesOf::read(OpenWorkspace& open) const {
  QVector<SeriesPoints> found;
  for (const SeriesSummary& series : listSeries(open.workspace, run)) {
    const QString name = qs(series.name);
    if (!name.startsWith(prefix)) continue;
    found << SeriesPoints{{run, name}, readSeries(open.workspace, run, series.name), true};
  }
  return found;
}

RunInspection InspectionOf::read(OpenWorkspace& open) const {
  return inspectRun(open.workspace, run, other);
}

RunConfiguration ConfigurationOf::read(OpenWorkspace& open) const {
  const RunSummary summary = runById(open.workspace, run);
  Json config = runConfig(summary);
  if (!from.isEmpty()) config["training"]["from"] = toStd(from);
  return {qs(summary.preset), std::move(config)};
}

SweptRuns SweepOf::read(OpenWorkspace& open) const {
  return sweptRuns(open.workspace, toStd(filter), open.settings);
}

RunSettingColumns SettingsOf::read(OpenWorkspace& open) const {
  return readSettings(open.workspace, keys, open.settings);
}

}  // namespace strata::ui
