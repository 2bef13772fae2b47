#pragma once
#include <QHash>
#include <QObject>
#include <QTimer>
#include <array>
#include <map>
#include <memory>
#include <optional>

#include "core/store/runs.h"
#include "core/store/scalars.h"
#include "core/store/workspace.h"
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
  void watchLog(qint64 run);
  void loadRecordings(qint64 run, qint64 step);
  void loadExamples(qint64 run);
  void command(const QVector<qint64>& runs, WorkspaceService::RunCommand command);
  void startRun(const QString& name, const QString& preset, const Json& config);

 private:
  // What a run records, as far as panels draw it.
  struct RecordedNames {
    bool hops = false;
    QStringList history;  // see RunRow::historyNames
  };
  // Details of a run, cached until its row changes.
  struct Known {
    RunRow row;
    std::optional<FusionInfo> fusion;
    std::optional<RecordedNames> recorded;  // set once it has recorded
  };

  void poll();
  bool open();
  void look(bool all);
  void readRuns();
  void readSeries();
  void readMeans();
  void readLog();
  void readDatasets();
  void readAcknowledgements();
  void addDetails(const RunSummary& summary, RunRow& row);
  FusionInfo fusionOf(qint64 run, const std::filesystem::path& folder);
  RecordedNames recordedBy(qint64 run, const std::filesystem::path& recordings);
  StepRecordings readStep(qint64 run, qint64 step);
  void report(const std::exception& error);

  QString root_;
  WorkspaceService* service_;  // outlives the thread
  std::unique_ptr<Workspace> workspace_;
  QTimer* timer_ = nullptr;  // child of this
  std::int64_t version_ = -1;
  int polls_ = 0;
  bool opened_ = false;
  QString lastError_;
  std::map<qint64, Known> known_;
  std::map<SeriesKey, SeriesCursor> watched_;
  QHash<qint64, QStringList> sentNames_;
  std::map<std::pair<qint64, qint64>, std::array<HopMeans, 2>> means_;  // by run and step
  QVector<qint64> sentMeans_;
  qint64 meansRun_ = 0, logRun_ = 0;
  std::uint64_t logOffset_ = 0;
  std::map<std::int64_t, std::int64_t> waiting_;  // command -> run
  QVector<DatasetRow> datasets_;
};

}  // namespace strata::ui
