#pragma once
#include <QString>
#include <QStringList>
#include <QVector>

#include "core/base/json.h"
#include "core/store/run_settings.h"
#include "core/store/workspace.h"
#include "core/sweeps/sweep_runs.h"
#include "ui/data/run_effects.h"
#include "ui/data/run_inspection.h"
#include "ui/data/run_layers.h"
#include "ui/data/run_readers.h"
#include "ui/data/run_rows.h"
#include "ui/data/setting_columns.h"
#include "ui/data/shared_recordings.h"
#include "ui/data/values.h"

namespace strata::ui {

// What a query reads: the open workspace and what is known of its runs, in the workspace's thread.
struct OpenWorkspace {
  Workspace& workspace;
  const RunRows& runs;
  RunSettings& settings;  // of runs, each read once
};

// What WorkspaceService::read() can be asked. Each is a type with its answer; read() throws Errors.
// Equal ones that wait are read once. Whoever asks again wants no earlier answer, unless kBeside.

struct EffectsOf {  // measured effects of interventions
  using Answer = RunEffects;
  qint64 run;
  Answer read(OpenWorkspace& open) const;
  bool operator==(const EffectsOf&) const = default;
};

struct ReadersOf {  // who reads whom
  using Answer = RunReaders;
  qint64 run;
  Answer read(OpenWorkspace& open) const;
  bool operator==(const ReadersOf&) const = default;
};

struct LayersOf {  // measured figures of layers
  using Answer = RunLayers;
  qint64 run;
  Answer read(OpenWorkspace& open) const;
  bool operator==(const LayersOf&) const = default;
};

struct ExamplesOf {  // source sentences translated at the run's last validation
  using Answer = QStringList;
  qint64 run;
  Answer read(OpenWorkspace& open) const;
  bool operator==(const ExamplesOf&) const = default;
};

struct RecordingsOf {
  using Answer = SharedRecordings;
  qint64 run, step;
  Answer read(OpenWorkspace& open) const;
  bool operator==(const RecordingsOf&) const = default;
};

struct SeriesOf {  // all points of all series with this prefix
  using Answer = QVector<SeriesPoints>;
  static constexpr bool kBeside = true;
  qint64 run;
  QString prefix;
  Answer read(OpenWorkspace& open) const;
  bool operator==(const SeriesOf&) const = default;
};

struct InspectionOf {  // everything about a run
  using Answer = RunInspection;
  qint64 run, other;  // other: 0 is none
  Answer read(OpenWorkspace& open) const;
  bool operator==(const InspectionOf&) const = default;
};

// A run's effective configuration, with the preset that it was made of.
struct RunConfiguration {
  QString preset;
  Json config;
};
struct ConfigurationOf {
  using Answer = RunConfiguration;
  qint64 run;
  QString from = {};  // where a new run with it takes its initial parameters from, as
                      // training.from; empty: as the run did
  Answer read(OpenWorkspace& open) const;
  bool operator==(const ConfigurationOf&) const = default;
};

struct SweepOf {  // the runs that have ended, for sweeps
  using Answer = SweptRuns;
  QString filter;
  Answer read(OpenWorkspace& open) const;
  bool operator==(const SweepOf&) const = default;
};

struct SettingsOf {  // of all runs: those that differ, and these
  using Answer = RunSettingColumns;
  QStringList keys;
  Answer read(OpenWorkspace& open) const;
  bool operator==(const SettingsOf&) const = default;
};

}  // namespace strata::ui
