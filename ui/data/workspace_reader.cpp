#include "ui/data/workspace_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/data/dataset.h"
#include "core/store/database.h"
#include "core/store/jobs.h"
#include "core/store/kept_config.h"
#include "core/store/run_session.h"
#include "core/store/same_run.h"
#include "ui/data/text.h"

namespace strata::ui {
namespace {
constexpr int kPollMs = 200;
constexpr int kBusyMs = 4000;  // waits for another process's transaction, which takes milliseconds
constexpr int kHealthPolls = 8;  // checks for dead runs and for datasets every 1.6 s

// Panels have no more to say about a workspace that cannot be opened than the window says.
class NotOpen : public Error {
 public:
  using Error::Error;
};

// 0: there is no such file.
quint64 fileNumber(const std::filesystem::path& file) {
  struct stat info {};
  return ::stat(file.c_str(), &info) == 0 ? info.st_ino : 0;
}

bool isWritable(const std::filesystem::path& path) {
  return ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

}  // namespace

WorkspaceReader::WorkspaceReader(QString root, WorkspaceService* service)
    : root_(std::move(root)),
      service_(service),
      runs_([this](const std::exception& error) { report(error); }) {}

void WorkspaceReader::start() {
  timer_ = new QTimer(this);
  connect(timer_, &QTimer::timeout, this, &WorkspaceReader::poll);
  timer_->start(kPollMs);
  poll();
}

void WorkspaceReader::report(const std::exception& error) {
  const QString message = QString::fromUtf8(error.what());
  if (message == lastError_) return;  // polling would repeat it five times per second
  lastError_ = message;
  emit service_->failed(message);
}

void WorkspaceReader::setState(WorkspaceState::Kind kind, const QString& message) {
  const WorkspaceState state{kind, message};
  if (std::exchange(state_, state) == state) return;
  emit service_->stateChanged(state);
}

bool WorkspaceReader::openAs(Access access) {
  WorkspaceOptions options;
  options.access = access;
  options.busyMilliseconds = kBusyMs;
  try {
    workspace_ = std::make_unique<Workspace>(toStd(root_), options);
    return true;
  } catch (const IndexIsNewer& error) {
    setState(WorkspaceState::Kind::kNewer, QString::fromUtf8(error.what()));
  } catch (const std::exception& error) {
    setState(WorkspaceState::Kind::kUnreadable, QString::fromUtf8(error.what()));
  }
  return false;
}

// What cannot be written is read. A folder that was removed is not created again.
void WorkspaceReader::open() {
  if (workspace_) return;
  using Kind = WorkspaceState::Kind;
  const std::filesystem::path root = toStd(root_), index = root / "workspace.db";
  const bool exists = fileNumber(index) != 0;
  if (state_.kind == Kind::kGone && !exists) throw NotOpen("{} is gone", root.string());
  bool readOnly = exists && !(isWritable(root) && isWritable(index));
  QString why = tr("%1 cannot be written. Change the folder's permissions, or copy it to a place "
                   "of your own")
                    .arg(root_);
  if (!openAs(readOnly ? Access::kRead : Access::kWrite)) {
    // Without space on the disk it can be read all the same.
    why = state_.message;
    if (readOnly || state_.kind != Kind::kUnreadable || !exists || !openAs(Access::kRead))
      throw NotOpen("not open");
    readOnly = true;
  }
  indexFile_ = fileNumber(index);
  version_ = -1;
  if (!readOnly) return setState(Kind::kOpen);
  setState(Kind::kReadOnly,
           tr("Its runs are shown, but nothing can be started or changed: %1.").arg(why));
}

// An index that was replaced (by a repair, by putting a copy back) is opened anew.
void WorkspaceReader::noticeRemoval() {
  const quint64 now = fileNumber(std::filesystem::path(toStd(root_)) / "workspace.db");
  if (now == indexFile_) return;
  workspace_.reset();
  if (now != 0) return open();
  setState(WorkspaceState::Kind::kGone,
           tr("The workspace %1 was moved or removed while it was open. Put it back, and the "
              "window goes on; or open another one.")
               .arg(root_));
  QMetaObject::invokeMethod(
      service_, [service = service_] { emit service->runsChanged({}); }, Qt::QueuedConnection);
  throw NotOpen("{} is gone", toStd(root_));
}

void WorkspaceReader::reading(const std::function<void()>& task) {
  try {
    open();
    task();
  } catch (const NotOpen&) {
  } catch (const std::exception& error) {
    report(error);
  }
}

void WorkspaceReader::poll() {
  reading([this] {
    look(false);
    lastError_.clear();
  });
}

void WorkspaceReader::look(bool all) {
  const bool health = polls_++ % kHealthPolls == 0;
  if (health) noticeRemoval();
  const bool writable = state_.kind != WorkspaceState::Kind::kReadOnly;
  if (health && writable && refreshWorkspace(*workspace_) > 0) all = true;
  if (health && runs_.changedFolders()) all = true;
  const std::int64_t version = workspace_->dataVersion();
  const bool news = version != version_;
  if (all || news) {
    version_ = version;
    readRuns();
    readAcknowledgements();
    readActivity();
  }
  if (all || health) readAlerts();
  if (health) {
    readQueueSettings();
    readDatasets();
    emit service_->systemUseChanged(system_.read(toStd(root_)));
  }
  if (!opened_) {
    opened_ = true;
    emit service_->opened();
  }
  readWatches(all || news);
}

void WorkspaceReader::change(const std::function<void(Workspace&)>& task) {
  try {
    open();
    task(*workspace_);
    look(true);
  } catch (const NotOpen&) {
    emit service_->failed(state_.message);
  } catch (const std::exception& error) {
    emit service_->failed(QString::fromUtf8(error.what()));
  }
}

void WorkspaceReader::readActivity() {
  auto runs = activeRuns(*workspace_);
  if (runs == activity_) return;
  activity_ = std::move(runs);
  emit service_->activityChanged(activity_);
}

void WorkspaceReader::setAlertRules(const AlertRules& rules) {
  alertRules_ = rules;
  if (workspace_) reading([this] { readAlerts(); });
}

void WorkspaceReader::readAlerts() {
  auto alerts = runAlerts(*workspace_, alertRules_);
  const auto sameAs = [](const Alert& a, const Alert& b) {
    return a.kind == b.kind && a.run == b.run && a.step == b.step && a.text == b.text;
  };
  if (alerts_ && std::ranges::equal(alerts, *alerts_, sameAs)) return;
  alerts_ = std::move(alerts);
  emit service_->alertsChanged(*alerts_);
}

void WorkspaceReader::readRuns() {
  QVector<RunRow> rows;
  RunFilter filter;
  filter.trashed = true;
  for (const RunSummary& summary : listRuns(*workspace_, filter))
    rows << runs_.rowOf(*workspace_, summary);
  std::sort(rows.begin(), rows.end(), [](const RunRow& a, const RunRow& b) { return a.id < b.id; });
  // In the service's thread, where one event brings the rows to all receivers.
  QMetaObject::invokeMethod(
      service_, [service = service_, rows] { emit service->runsChanged(rows); },
      Qt::QueuedConnection);
}

QString WorkspaceReader::answer(const std::function<void(OpenWorkspace&)>& question) {
  try {
    open();
    OpenWorkspace view = current();
    question(view);
  } catch (const NotOpen&) {
  } catch (const std::exception& error) {
    return QString::fromUtf8(error.what());
  }
  return {};
}

void WorkspaceReader::setWatch(const WatchKey& key, const std::shared_ptr<AnyWatch>& watch) {
  if (!watch) {
    watches_.erase(key);
    return;
  }
  std::shared_ptr<AnyWatch>& place = watches_[key];
  if (place) watch->goOnFrom(*place);
  place = watch;
  if (!workspace_) return;
  reading([&] {
    OpenWorkspace view = current();
    watch->read(view);
  });
}

// What one of them cannot read does not keep news from the others.
void WorkspaceReader::readWatches(bool news) {
  std::exception_ptr problem;
  OpenWorkspace view = current();
  for (const auto& [key, watch] : watches_) {
    if (!news && !watch->isReadAlways()) continue;
    try {
      watch->read(view);
    } catch (const std::exception&) {
      problem = std::current_exception();
    }
  }
  if (problem) std::rethrow_exception(problem);
}

void WorkspaceReader::readDatasets() {
  QVector<DatasetRow> rows;
  for (const Dataset& dataset : listDatasets(workspace_->datasetsFolder()).datasets) {
    const QString name = qs(dataset.name());
    if (std::ranges::find(rows, name, &DatasetRow::name) != rows.end()) continue;  // older version
    const Json& manifest = dataset.manifest();
    const Json train = manifest.contains("train") && manifest["train"].is_object()
                           ? manifest["train"]
                           : Json::object();
    rows << DatasetRow{name, qs(dataset.sourceLanguage()), qs(dataset.targetLanguage()),
                       train.value("pairs", qint64(0)), qint64(dataset.version())};
  }
  if (opened_ && rows == datasets_) return;
  datasets_ = rows;
  emit service_->datasetsChanged(rows);
}

void WorkspaceReader::command(const QVector<qint64>& runs, RunCommand command) {
  for (const qint64 run : runs) {
    change([&](Workspace& workspace) {
      if (command == RunCommand::kResume || command == RunCommand::kResumeEdited) {
        return resume(workspace, run, command == RunCommand::kResumeEdited);
      }
      if (command == RunCommand::kFirst) return queueFirst(workspace, run);
      const bool stop = command == RunCommand::kStop;
      waiting_[sendCommand(workspace, run, stop ? Command::kStop : Command::kPause)] = run;
    });
  }
}

void WorkspaceReader::resume(Workspace& workspace, qint64 run, bool acceptEdited) {
  if (acceptEdited) acceptConfig(workspace, runById(workspace, run));
  try {
    const Job job = enqueueResume(workspace, run);
    emit service_->queued(run, qs(job.name));
  } catch (const ConfigEdited& error) {
    emit service_->configEdited(run, QString::fromUtf8(error.what()));
  }
}

void WorkspaceReader::moveInQueue(qint64 run, qint64 before) {
  change([&](Workspace& workspace) { queueBefore(workspace, run, before); });
}

void WorkspaceReader::setQueueSettings(const QueueSettings& settings) {
  change([&](Workspace& workspace) {
    strata::setQueueSettings(workspace, settings);
    readQueueSettings();
  });
}

// A damaged file is told once, and everything else goes on.
void WorkspaceReader::readQueueSettings() {
  QString problem;
  try {
    const QueueSettings settings = queueSettings(*workspace_);
    if (std::exchange(queueSettings_, settings) != settings)
      emit service_->queueSettingsChanged(settings);
  } catch (const Error& error) {
    problem = QString::fromUtf8(error.what());
  }
  if (std::exchange(queueProblem_, problem) != problem && !problem.isEmpty())
    emit service_->failed(problem);
}

void WorkspaceReader::continueRun(qint64 run, qint64 updates) {
  change([&](Workspace& workspace) {
    const Job job = enqueueUpdates(workspace, run, updates);
    emit service_->queued(run, qs(job.name));
  });
}

void WorkspaceReader::readAcknowledgements() {
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    const CommandState state = commandState(*workspace_, it->first);
    if (state.acknowledged == 0) {
      ++it;
      continue;
    }
    const RunRow* row = runs_.find(it->second);
    emit service_->acknowledged(
        tr("%1: %2 (%3)")
            .arg(row ? row->name : QString(), qs(state.outcome), qs(nameOf(state.command))));
    it = waiting_.erase(it);
  }
}

void WorkspaceReader::startNewRun(const QString& name, const QString& preset, const Json& config) {
  change([&](Workspace& workspace) {
    if (const auto same = sameRun(workspace, config)) {
      emit service_->sameRunFound(
          {same->run.id, qs(same->run.name), same->run.status, same->freeSeed});
      return;
    }
    const Job job = enqueueRun(workspace, {toStd(name), config, toStd(preset)});
    emit service_->queued(job.run, qs(job.name));
  });
}

void WorkspaceReader::startRun(const QString& name, const QString& preset, const Json& config) {
  change([&](Workspace& workspace) {
    const Job job = enqueueRun(workspace, {toStd(name), config, toStd(preset)});
    emit service_->queued(job.run, qs(job.name));
  });
}

}  // namespace strata::ui
