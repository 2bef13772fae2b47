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

void WorkspaceService::watchSeries(const QVector<SeriesKey>& keys) {
  post([keys](WorkspaceReader& reader) { reader.watchSeries(keys); });
}

void WorkspaceService::loadSeries(qint64 run, const QString& prefix) {
  post([run, prefix](WorkspaceReader& reader) { reader.loadSeries(run, prefix); });
}

void WorkspaceService::watchMeans(qint64 run) {
  post([run](WorkspaceReader& reader) { reader.watchMeans(run); });
}

void WorkspaceService::watchHistograms(const HistogramChoice& choice) {
  post([choice](WorkspaceReader& reader) { reader.watchHistograms(choice); });
}

void WorkspaceService::watchLog(qint64 run) {
  post([run](WorkspaceReader& reader) { reader.watchLog(run); });
}

void WorkspaceService::watchSamples(qint64 run) {
  post([run](WorkspaceReader& reader) { reader.watchSamples(run); });
}

void WorkspaceService::loadRecordings(qint64 run, qint64 step) {
  post([run, step](WorkspaceReader& reader) { reader.loadRecordings(run, step); });
}

void WorkspaceService::loadConfiguration(qint64 run, const QString& from) {
  post([=](WorkspaceReader& reader) { reader.loadConfiguration(run, from); });
}

void WorkspaceService::loadSweep(const QString& filter) {
  post([filter](WorkspaceReader& reader) { reader.loadSweep(filter); });
}

void WorkspaceService::loadSettings(const QStringList& keys) {
  post([keys](WorkspaceReader& reader) { reader.loadSettings(keys); });
}

void WorkspaceService::loadEffects(qint64 run) {
  post([run](WorkspaceReader& reader) { reader.loadEffects(run); });
}

void WorkspaceService::loadReaders(qint64 run) {
  post([run](WorkspaceReader& reader) { reader.loadReaders(run); });
}

void WorkspaceService::loadLayers(qint64 run) {
  post([run](WorkspaceReader& reader) { reader.loadLayers(run); });
}

void WorkspaceService::loadExamples(qint64 run) {
  post([run](WorkspaceReader& reader) { reader.loadExamples(run); });
}

void WorkspaceService::inspect(qint64 run, qint64 other) {
  post([run, other](WorkspaceReader& reader) { reader.inspect(run, other); });
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

void WorkspaceService::forget(qint64 run) {
  change([run](Workspace& workspace) { forgetRun(workspace, run); });
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
