#pragma once
#include <QObject>
#include <QTimer>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/store/run_settings.h"
#include "core/store/samples_size.h"
#include "core/store/workspace.h"
#include "ui/data/histogram_watch.h"
#include "ui/data/means_watch.h"
#include "ui/data/run_rows.h"
#include "ui/data/series_watch.h"
#include "ui/data/workspace_service.h"

namespace strata::ui {

// The part of WorkspaceService that lives in the thread and owns the connection. Only
// WorkspaceService calls it.
class WorkspaceReader : public QObject {
  Q_OBJECT
 public:
  WorkspaceReader(QString root, WorkspaceService* service);

  void start();
  // Runs `task`, reports its error, and polls the workspace at once.
  void change(const std::function<void(Workspace&)>& task);

  void watchSeries(const QVector<SeriesKey>& keys);
  void loadSeries(qint64 run, const QString& prefix);
  void watchMeans(qint64 run);
  void watchHistograms(const HistogramChoice& choice);
  void watchLog(qint64 run);
  void watchSamples(qint64 run);
  void loadRecordings(qint64 run, qint64 step);
  void loadEffects(qint64 run);
  void loadReaders(qint64 run);
  void loadLayers(qint64 run);
  void loadExamples(qint64 run);
  void inspect(qint64 run, qint64 other);
  void loadConfiguration(qint64 run, const QString& from);
  void loadSweep(const QString& filter);
  void loadSettings(const QStringList& keys);
  void command(const QVector<qint64>& runs, RunCommand command);
  void continueRun(qint64 run, qint64 updates);
  void moveInQueue(qint64 run, qint64 before);
  void setQueueSettings(const QueueSettings& settings);
  void startRun(const QString& name, const QString& preset, const Json& config);
  void setAlertRules(const AlertRules& rules);
  void startNewRun(const QString& name, const QString& preset, const Json& config);

 private:
  void poll();
  void open();
  bool openAs(Access access);  // false: the state says why
  void setState(WorkspaceState::Kind kind, const QString& message = {});
  void noticeRemoval();
  void resume(Workspace& workspace, qint64 run, bool acceptEdited);
  void readActivity();
  void readAlerts();
  void readQueueSettings();
  void reading(const std::function<void()>& task);  // of the open workspace; reports its error
  void look(bool all);
  void readRuns();
  void readSeries();
  void readMeans();
  void readHistograms();
  void readLog();
  void readSamples();
  void readDatasets();
  void readAcknowledgements();
  StepRecordings readStep(qint64 run, qint64 step);
  void addOther(MeasurableRun& run, const std::function<bool(const Json& model)>& has);
  void report(const std::exception& error);

  QString root_;
  WorkspaceService* service_;  // outlives the thread
  std::unique_ptr<Workspace> workspace_;
  QTimer* timer_ = nullptr;  // child of this
  std::int64_t version_ = -1;
  int polls_ = 0;
  bool opened_ = false;
  WorkspaceState state_;
  quint64 indexFile_ = 0;  // its number in the file system
  SystemUseReader system_;
  std::vector<RunActivity> activity_;
  std::optional<QueueSettings> queueSettings_;  // sent; none yet
  QString queueProblem_;
  AlertRules alertRules_;
  std::optional<std::vector<Alert>> alerts_;  // sent; none yet
  QString lastError_;
  RunRows runs_;
  RunSettings settings_;
  SeriesWatch series_;
  MeansWatch means_;
  HistogramWatch histograms_;
  qint64 samplesRun_ = 0;
  std::optional<SamplesSize> samples_;  // of those that were sent; none yet
  qint64 logRun_ = 0;
  std::uint64_t logOffset_ = 0;
  std::map<std::int64_t, std::int64_t> waiting_;  // command -> run
  QVector<DatasetRow> datasets_;
};

}  // namespace strata::ui
