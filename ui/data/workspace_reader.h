#pragma once
#include <QObject>
#include <QTimer>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <typeindex>
#include <utility>
#include <vector>

#include "core/store/run_settings.h"
#include "core/store/workspace.h"
#include "ui/data/run_rows.h"
#include "ui/data/workspace_service.h"

namespace strata::ui {

// The part of WorkspaceService that lives in the thread and owns the connection. Only
// WorkspaceService calls it.
class WorkspaceReader : public QObject {
  Q_OBJECT
 public:
  using WatchKey = std::pair<const QObject*, std::type_index>;

  WorkspaceReader(QString root, WorkspaceService* service);

  void start();
  // Runs `task`, reports its error, and polls the workspace at once.
  void change(const std::function<void(Workspace&)>& task);

  // The text of the question's error; empty: it has none, or the workspace is not open.
  QString answer(const std::function<void(OpenWorkspace&)>& question);
  void setWatch(const WatchKey& key, const std::shared_ptr<AnyWatch>& watch);  // null: none
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
  void readWatches(bool news);  // and otherwise those that are read at each poll
  OpenWorkspace current() { return {*workspace_, runs_, settings_}; }
  void reading(const std::function<void()>& task);  // of the open workspace; reports its error
  void look(bool all);
  void readRuns();
  void readDatasets();
  void readAcknowledgements();
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
  std::map<WatchKey, std::shared_ptr<AnyWatch>> watches_;
  std::map<std::int64_t, std::int64_t> waiting_;  // command -> run
  QVector<DatasetRow> datasets_;
};

}  // namespace strata::ui
