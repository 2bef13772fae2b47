#include "ui/data/workspace_service.h"

#include "core/store/maintenance.h"
#include "core/store/runs.h"
#include "ui/data/text.h"
#include "ui/data/workspace_reader.h"

namespace strata::ui {

WorkspaceService::WorkspaceService(const QString& root, QObject* parent)
    : QObject(parent), root_(root), reader_(new WorkspaceReader(root, this)) {
  reader_->moveToThread(&thread_);
  connect(&thread_, &QThread::started, reader_, &WorkspaceReader::start);
  connect(&thread_, &QThread::finished, reader_, &QObject::deleteLater);
  thread_.setObjectName(QStringLiteral("workspace"));
}

void WorkspaceService::start() {
  thread_.start();
}

WorkspaceService::~WorkspaceService() {
  if (!thread_.isRunning()) delete reader_;  // otherwise the thread's end deletes it
  thread_.quit();
  thread_.wait();
}

void WorkspaceService::post(std::function<void(WorkspaceReader&)> task) {
  QMetaObject::invokeMethod(
      reader_, [reader = reader_, task = std::move(task)] { task(*reader); }, Qt::QueuedConnection);
}

void WorkspaceService::change(std::function<void(Workspace&)> task) {
  post([task = std::move(task)](WorkspaceReader& reader) { reader.change(task); });
}

void WorkspaceService::ask(std::function<void(OpenWorkspace&)> question,
                           std::function<void(const QString& error)> answered) {
  post([this, question = std::move(question),
        answered = std::move(answered)](WorkspaceReader& reader) {
    const QString error = reader.answer(question);
    QMetaObject::invokeMethod(
        this, [answered, error] { answered(error); }, Qt::QueuedConnection);
  });
}

quint64 WorkspaceService::beginWatch(const WatchKey& key, QObject* context) {
  if (!watched_.contains(key)) {
    connect(context, &QObject::destroyed, this, [this, key] {
      watched_.erase(key);
      setWatch(key, nullptr);
    });
  }
  return watched_[key] = ++lastWatch_;
}

void WorkspaceService::setWatch(const WatchKey& key, std::shared_ptr<AnyWatch> watch) {
  post([key, watch = std::move(watch)](WorkspaceReader& reader) { reader.setWatch(key, watch); });
}

void WorkspaceService::command(const QVector<qint64>& runs, RunCommand command) {
  post([runs, command](WorkspaceReader& reader) { reader.command(runs, command); });
}

void WorkspaceService::continueRun(qint64 run, qint64 updates) {
  post([=](WorkspaceReader& reader) { reader.continueRun(run, updates); });
}

void WorkspaceService::moveInQueue(qint64 run, qint64 before) {
  post([=](WorkspaceReader& reader) { reader.moveInQueue(run, before); });
}

void WorkspaceService::setQueueSettings(const QueueSettings& settings) {
  post([settings](WorkspaceReader& reader) { reader.setQueueSettings(settings); });
}

void WorkspaceService::rename(qint64 run, const QString& name) {
  change([run, name](Workspace& workspace) { renameRun(workspace, run, toStd(name)); });
}

void WorkspaceService::setTags(qint64 run, const QStringList& tags) {
  change([run, tags](Workspace& workspace) { strata::setTags(workspace, run, toStd(tags)); });
}

void WorkspaceService::setTrashed(qint64 run, bool trashed) {
  change([run, trashed](Workspace& workspace) {
    trashed ? trashRun(workspace, run) : restoreRun(workspace, run);
  });
}

void WorkspaceService::setNote(qint64 run, const QString& note) {
  change([run, note](Workspace& workspace) { strata::setNote(workspace, run, toStd(note)); });
}

void WorkspaceService::pinCheckpoint(qint64 run, qint64 step, bool pinned) {
  change([run, step, pinned](Workspace& workspace) {
    strata::pinCheckpoint(checkpointsFolder(runById(workspace, run).folder) / checkpointName(step),
                          pinned);
  });
}

void WorkspaceService::removeCheckpoint(qint64 run, qint64 step) {
  change([run, step](Workspace& workspace) { removeRunCheckpoint(workspace, run, step); });
}

void WorkspaceService::removeAverage(const QString& folder) {
  change([folder](Workspace&) { strata::removeAverage(toStd(folder)); });
}

void WorkspaceService::forgetRun(qint64 run) {
  change([run](Workspace& workspace) { strata::forgetRun(workspace, run); });
}

void WorkspaceService::setAlertRules(const AlertRules& rules) {
  post([rules](WorkspaceReader& reader) { reader.setAlertRules(rules); });
}

void WorkspaceService::startNewRun(const QString& name, const QString& preset, const Json& config) {
  post([name, preset, config](WorkspaceReader& reader) {
    reader.startNewRun(name, preset, config);
  });
}

void WorkspaceService::startRun(const QString& name, const QString& preset, const Json& config) {
  post([name, preset, config](WorkspaceReader& reader) { reader.startRun(name, preset, config); });
}

}  // namespace strata::ui
