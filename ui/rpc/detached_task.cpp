#include "ui/rpc/detached_task.h"

#include <signal.h>

#include <QFile>
#include <QFileInfo>
#include <algorithm>
#include <utility>

#include "core/base/files.h"
#include "core/base/text_limits.h"
#include "ui/data/text.h"
#include "ui/rpc/runner.h"

namespace strata::ui {
namespace {

constexpr int kTaskPollMs = 250;
constexpr qint64 kLogTail = 1 << 16;  // bytes of a log that are read at once

QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// The last bytes of a file after a place in it.
QByteArray tailFrom(const QString& path, qint64 from) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return {};
  return file.seek(std::max(from, file.size() - kLogTail)) ? file.readAll() : QByteArray();
}

}  // namespace

DetachedTask::DetachedTask(const QString& workspace, const Kind& kind, JobList* jobs,
                           QObject* parent)
    : QObject(parent), workspace_(workspace), kind_(kind), jobs_(jobs) {
  timer_.setInterval(kTaskPollMs);
  connect(&timer_, &QTimer::timeout, this, &DetachedTask::look);
}

QString DetachedTask::file(const char* ending) const {
  return workspace_ + QStringLiteral("/ui/") + kind_.files + QLatin1String(ending);
}

void DetachedTask::start(const Task& task, qint64 job) {
  if (isRunning()) return;
  task_ = task;
  job_ = job;
  logBefore_ = logRead_ = QFileInfo(file(".log")).size();
  try {
    process_ =
        startDetached(workspace_, QStringList{QStringLiteral("--json")} + task.arguments,
                      kind_.files + QStringLiteral(".log"), kind_.files + QStringLiteral(".json"));
  } catch (const std::exception& error) {
    if (job_ == 0) job_ = jobs_->add(inList());
    fail(QString::fromUtf8(error.what()));
    return;
  }
  keep();
  follow();
}

// Without it only the next window does not know of the task.
void DetachedTask::keep() const {
  const Json state{{"host", process_.host},       {"pid", process_.pid},
                   {"process", process_.process}, {"log", logBefore_},
                   {"name", toStd(task_.name)},   {"run", task_.run},
                   {"about", toStd(task_.about)}};
  try {
    writeFileAtomic(toStd(file(".running.json")), state.dump());
  } catch (const std::exception&) {
  }
}

void DetachedTask::resume() {
  const auto state = tryParseJson(contentOf(file(".running.json")).toStdString());
  if (isRunning() || !state || !state->is_object()) return;
  try {
    const ProcessId process{state->at("host"), state->at("pid"), state->at("process")};
    task_ = {.name = qs(state->at("name").get<std::string>()),
             .run = state->at("run"),
             .about = qs(state->at("about").get<std::vector<std::string>>())};
    logBefore_ = logRead_ = state->at("log");
    process_ = process;
  } catch (const Json::exception&) {
    return;  // damaged, or of another version
  }
  if (isRunning()) follow();
}

void DetachedTask::follow() {
  cancelling_ = false;
  if (job_ != 0)
    jobs_->start(job_);
  else
    job_ = jobs_->add(inList());
  timer_.start();
  emit started();
}

JobList::Task DetachedTask::inList() {
  return {.kind = kind_.job, .name = task_.name, .run = task_.run, .cancel = [this] { cancel(); }};
}

void DetachedTask::fail(const QString& reason) {
  jobs_->fail(std::exchange(job_, 0), reason);
  emit failed(reason);
}

void DetachedTask::cancel() {
  if (!isRunning() || !isAlive(process_)) return;
  cancelling_ = true;
  ::kill(pid_t(process_.pid), SIGTERM);
}

void DetachedTask::look() {
  const bool ended = !isAlive(process_);  // before its last words are read
  readProgress();
  if (ended) conclude();
}

void DetachedTask::readProgress() {
  const qint64 size = QFileInfo(file(".log")).size();
  if (size <= logRead_) return;
  const QByteArray news = tailFrom(file(".log"), logRead_);
  const qsizetype whole = news.lastIndexOf('\n') + 1;  // the last line may be half written
  const auto progress = lastProgress({news.constData(), std::size_t(whole)});
  if (!progress) return;
  logRead_ = size - (news.size() - whole);
  jobs_->progress(job_, progress->done, progress->total, qs(progress->unit));
  emit progressed(*progress);
}

// A detached process gives no exit status; it prints its result only after everything is stored.
void DetachedTask::conclude() {
  process_ = {};
  timer_.stop();
  QFile::remove(file(".running.json"));
  const auto result = tryParseJson(contentOf(file(".json")).toStdString());
  const bool done = result && !result->is_null();
  if (!done && !cancelling_) return fail(reason());
  jobs_->end(std::exchange(job_, 0));
  if (done)
    emit finished(*result);
  else
    emit cancelled();
}

QString DetachedTask::reason() const {
  const QString said = lastMessage(tailFrom(file(".log"), logBefore_));
  return tr("%1 (complete log: %2)")
      .arg(said.isEmpty() ? tr("its process ended without a message") : said, file(".log"));
}

}  // namespace strata::ui
