#include "ui/rpc/set_translations.h"

#include <QFile>
#include <QFileInfo>

#include "ui/rpc/runner.h"

namespace strata::ui {
namespace {
constexpr int kProgressPollMs = 500;
const QString kLog = QStringLiteral("translate.log");
}  // namespace

SetTranslations::SetTranslations(const QString& workspace, QObject* parent)
    : QObject(parent), workspace_(workspace) {
  timer_.setInterval(kProgressPollMs);
  connect(&timer_, &QTimer::timeout, this, &SetTranslations::look);
}

QString SetTranslations::log() const {
  return workspace_ + QStringLiteral("/ui/") + kLog;
}

void SetTranslations::add(const Task& task) {
  waiting_.enqueue(task);
  if (process_ == 0) next();
}

void SetTranslations::next() {
  while (process_ == 0 && !waiting_.isEmpty()) {
    task_ = waiting_.dequeue();
    logBefore_ = QFileInfo(log()).size();
    try {
      process_ = startDetached(workspace_,
                               {QStringLiteral("translate"), QStringLiteral("--run"),
                                QStringLiteral("%1@%2").arg(task_.run).arg(task_.checkpoint),
                                QStringLiteral("--set"), task_.set},
                               kLog);
    } catch (const std::exception& error) {
      emit failed(QString::fromUtf8(error.what()));
      continue;
    }
    emit started(task_.name, task_.set);
    timer_.start();
  }
}

// A detached process gives no exit status, so its last log line decides; errors start with the
// program's name.
void SetTranslations::look() {
  if (isAlive(process_)) return;
  process_ = 0;
  timer_.stop();
  QFile file(log());
  QString last;
  if (file.open(QIODevice::ReadOnly) && file.seek(logBefore_)) {
    const QList<QByteArray> lines = file.readAll().trimmed().split('\n');
    last = QString::fromUtf8(lines.last()).trimmed();
  }
  if (last.contains(QStringLiteral(" is kept as "))) {
    emit finished(task_.name, task_.set);
  } else {
    emit failed(tr("%1 did not translate %2: %3 (complete log: %4)")
                    .arg(task_.name, task_.set, last, log()));
  }
  next();
}

}  // namespace strata::ui
