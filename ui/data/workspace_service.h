#pragma once
#include <QObject>
#include <QSet>
#include <QThread>
#include <QVector>
#include <functional>

#include "core/base/json.h"
#include "core/base/system_use.h"
#include "core/inside/hop_weights.h"
#include "core/store/alerts.h"
#include "core/store/queue_settings.h"
#include "core/store/run_activity.h"
#include "core/sweeps/sweep_runs.h"
#include "ui/data/histogram_watch.h"
#include "ui/data/run_effects.h"
#include "ui/data/run_inspection.h"
#include "ui/data/run_layers.h"
#include "ui/data/run_readers.h"
#include "ui/data/setting_columns.h"
#include "ui/data/shared_recordings.h"
#include "ui/data/values.h"
#include "ui/data/workspace_state.h"

namespace strata {
class Workspace;
}

namespace strata::ui {
class WorkspaceReader;

// The window's access to a workspace. A separate thread owns the connection: it polls for changes
// by other processes and sends values by signals to the GUI thread; nothing here ever blocks.
// Failures are reported by one signal with a message that says what, where and what to do.
class WorkspaceService : public QObject {
  Q_OBJECT
 public:
  explicit WorkspaceService(const QString& root, QObject* parent = nullptr);
  ~WorkspaceService() override;

  void start();  // once, after the signals are connected
  QString root() const { return root_; }

  // The series whose points are sent: all points at first, then new ones. A key with an empty name
  // requests only the names of its run's series.
  void watchSeries(const QVector<SeriesKey>& keys);
  void loadSeries(qint64 run, const QString& prefix);  // all points of all series with this prefix
  void watchMeans(qint64 run);                         // hop weights over training; 0: none
  // Those of one layer of a run, and again when it has recorded more; run 0: none.
  void watchHistograms(const HistogramChoice& choice);
  void watchLog(qint64 run);  // its log from the beginning, then new lines; 0: none
  void loadRecordings(qint64 run, qint64 step);
  void watchSamples(qint64 run);  // its sample translations, and again at each validation; 0: none
  void loadEffects(qint64 run);   // measured effects of interventions
  void loadReaders(qint64 run);   // who reads whom
  void loadLayers(qint64 run);    // measured figures of layers
  void setAlertRules(const AlertRules& rules);
  void loadExamples(qint64 run);           // source sentences translated at its last validation
  void inspect(qint64 run, qint64 other);  // everything about a run; other: 0 is none
  void loadSweep(const QString& filter);   // the runs that have ended, for sweeps
  // Settings of all runs: those that differ, and these.
  void loadSettings(const QStringList& keys);
  // A run's effective configuration, with the preset that it was made of. `from`: where a new run
  // with it takes its initial parameters from, as training.from; empty: as the run did.
  void loadConfiguration(qint64 run, const QString& from = {});

  // Commands. Their effect shows in the next runsChanged, errors in failed().
  void command(const QVector<qint64>& runs, RunCommand command);
  void continueRun(qint64 run, qint64 updates);  // until it has made so many
  void moveInQueue(qint64 run, qint64 before);   // directly before another one; 0: behind all
  void setQueueSettings(const QueueSettings& settings);
  void rename(qint64 run, const QString& name);
  void setTags(qint64 run, const QStringList& tags);
  void setTrashed(qint64 run, bool trashed);
  void setNote(qint64 run, const QString& note);
  void pinCheckpoint(qint64 run, qint64 step, bool pinned);
  void removeCheckpoint(qint64 run, qint64 step);
  void removeAverage(const QString& folder);  // of some of a run's checkpoints
  void forget(qint64 run);                    // its folder is missing
  void startRun(const QString& name, const QString& preset, const Json& config);
  // The same, unless a run has this configuration: then sameRunFound.
  void startNewRun(const QString& name, const QString& preset, const Json& config);

 signals:
  // When it differs from the last; open at first.
  void stateChanged(const strata::ui::WorkspaceState& state);
  void activityChanged(const std::vector<strata::RunActivity>& runs);
  void queueSettingsChanged(const strata::QueueSettings& settings);
  void alertsChanged(const std::vector<strata::Alert>& alerts);
  void systemUseChanged(const strata::SystemUse& use);        // every 1.6 s
  void opened();                                              // the first poll is done
  void runsChanged(const QVector<strata::ui::RunRow>& runs);  // oldest first, trashed runs included
  void datasetsChanged(const QVector<strata::ui::DatasetRow>& datasets);
  void seriesNamesChanged(qint64 run, const QStringList& names);
  void pointsArrived(const QVector<strata::ui::SeriesPoints>& points);
  void seriesLoaded(qint64 run, const QString& prefix,
                    const QVector<strata::ui::SeriesPoints>& series);
  void recordingsLoaded(const strata::ui::SharedRecordings& recordings);
  void meansChanged(qint64 run, const QString& side, const QVector<strata::HopMeans>& means);
  void histogramsChanged(const strata::ui::RunHistograms& histograms);
  void samplesChanged(qint64 run, const std::vector<strata::SampledSentence>& sentences);
  void sweepLoaded(const QString& filter, const strata::SweptRuns& runs);
  void settingsLoaded(const strata::ui::RunSettingColumns& settings);
  void sweepFailed(const QString& message);
  void effectsLoaded(const strata::ui::RunEffects& effects);
  void readersLoaded(const strata::ui::RunReaders& readers);
  void layersLoaded(const strata::ui::RunLayers& layers);
  void examplesLoaded(qint64 run, const QStringList& sentences);
  void inspected(const strata::ui::RunInspection& run);
  void configurationLoaded(const QString& preset, const strata::Json& config);
  void logArrived(qint64 run, const QVector<strata::ui::LogLine>& lines);
  void queued(qint64 run, const QString& name);  // a job waits for a worker
  // The run does not go on: its configuration was edited, as the message says.
  void configEdited(qint64 run, const QString& message);
  void sameRunFound(const strata::ui::SameRunRow& same);
  void acknowledged(const QString& message);  // a run's process has carried out a command
  void failed(const QString& message);

 private:
  void post(std::function<void(WorkspaceReader&)> task);
  void change(std::function<void(Workspace&)> task);

  QString root_;
  QThread thread_;
  WorkspaceReader* reader_;  // lives in thread_, deleted at its end
};

}  // namespace strata::ui
