#include "ui/rpc/set_translations.h"

#include <signal.h>

#include <QFile>
#include <QFileInfo>
#include <algorithm>
#include <memory>
#include <utility>

#include "core/base/progress_line.h"
#include "core/base/text_limits.h"
#include "ui/data/job_list.h"
#include "ui/rpc/runner.h"

namespace strata::ui {
namespace {
constexpr int kProgressPollMs = 500;
const QString kLog = QStringLiteral("translate.log");
const QString kResult = QStringLiteral("translate.json");  // of the last task

QByteArray contentOf(const QString& path, qint64 from = 0) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) && file.seek(from) ? file.readAll() : QByteArray();
}

// What it wrote besides its progress.
QByteArray messagesIn(const QByteArray& log) {
  QByteArray messages;
  for (const QByteArray& line : log.split('\n')) {
    if (!progressLineFrom(line.trimmed().toStdString())) messages += line + '\n';
  }
  return messages;
}

}  // namespace

SetTranslations::SetTranslations(const QString& workspace, JobList* jobs, QObject* parent)
    : QObject(parent), workspace_(workspace), jobs_(jobs) {
  timer_.setInterval(kProgressPollMs);
  connect(&timer_, &QTimer::timeout, this, &SetTranslations::look);
}

QString SetTranslations::file(const QString& name) const {
  return workspace_ + QStringLiteral("/ui/") + name;
}

void SetTranslations::add(const Task& task) {
  // The job's id is known only afterwards.
  const auto job = std::make_shared<qint64>(0);
  *job = jobs_->add({.kind = JobKind::kTranslation,
                     .name = tr("%1 translates %2").arg(task.name, task.set),
                     .run = task.run,
                     .cancel = [this, job] { cancel(*job); },
                     .state = JobProgress::kQueued});
  waiting_.enqueue({task, *job});
  if (process_.pid == 0) next();
}

void SetTranslations::next() {
  while (process_.pid == 0 && !waiting_.isEmpty()) {
    const Waiting chosen = waiting_.dequeue();
    task_ = chosen.task;
    job_ = chosen.job;
    logBefore_ = logRead_ = QFileInfo(file(kLog)).size();
    try {
      process_ = startDetached(
          workspace_,
          {QStringLiteral("--json"), QStringLiteral("translate"), QStringLiteral("--run"),
           QStringLiteral("%1@%2").arg(task_.run).arg(task_.checkpoint), QStringLiteral("--set"),
           task_.set},
          kLog, kResult);
    } catch (const std::exception& error) {
      jobs_->end(job_);
      emit failed(QString::fromUtf8(error.what()));
      continue;
    }
    jobs_->start(job_);
    emit started(task_.name, task_.set);
    timer_.start();
  }
}

void SetTranslations::readProgress() {
  const QByteArray news = contentOf(file(kLog), logRead_);
  const qsizetype whole = news.lastIndexOf('\n') + 1;  // the last line may be half written
  logRead_ += whole;
  const auto lines = news.left(whole).split('\n');
  // Only the newest says how far it is.
  std::any_of(lines.rbegin(), lines.rend(),
              [this](const QByteArray& line) { return jobs_->readProgress(job_, line); });
}

void SetTranslations::cancel(qint64 job) {
  waiting_.removeIf([job](const Waiting& each) { return each.job == job; });
  if (job != job_) return jobs_->end(job);
  if (isAlive(process_)) ::kill(pid_t(process_.pid), SIGTERM);
  cancelled_ = true;
}

// A detached process gives no exit status; it prints its result, one JSON document, only after the
// translation has been stored.
void SetTranslations::look() {
  readProgress();
  if (isAlive(process_)) return;
  process_ = {};
  timer_.stop();
  jobs_->end(std::exchange(job_, 0));
  if (std::exchange(cancelled_, false)) {
    emit cancelled(task_.name, task_.set);
  } else if (tryParseJson(contentOf(file(kResult)).toStdString())) {
    emit finished(task_.name, task_.set);
  } else {
    emit failed(tr("%1 did not translate %2: %3 (complete log: %4)")
                    .arg(task_.name, task_.set,
                         lastLine(messagesIn(contentOf(file(kLog), logBefore_))), file(kLog)));
  }
  next();
}

}  // namespace strata::ui
