#include "ui/rpc/set_translations.h"

#include <QFile>
#include <QFileInfo>

#include "core/base/text_limits.h"
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

}  // namespace

SetTranslations::SetTranslations(const QString& workspace, QObject* parent)
    : QObject(parent), workspace_(workspace) {
  timer_.setInterval(kProgressPollMs);
  connect(&timer_, &QTimer::timeout, this, &SetTranslations::look);
}

QString SetTranslations::file(const QString& name) const {
  return workspace_ + QStringLiteral("/ui/") + name;
}

void SetTranslations::add(const Task& task) {
  waiting_.enqueue(task);
  if (process_.pid == 0) next();
}

void SetTranslations::next() {
  while (process_.pid == 0 && !waiting_.isEmpty()) {
    task_ = waiting_.dequeue();
    logBefore_ = QFileInfo(file(kLog)).size();
    try {
      process_ = startDetached(
          workspace_,
          {QStringLiteral("--json"), QStringLiteral("translate"), QStringLiteral("--run"),
           QStringLiteral("%1@%2").arg(task_.run).arg(task_.checkpoint), QStringLiteral("--set"),
           task_.set},
          kLog, kResult);
    } catch (const std::exception& error) {
      emit failed(QString::fromUtf8(error.what()));
      continue;
    }
    emit started(task_.name, task_.set);
    timer_.start();
  }
}

// A detached process gives no exit status; it prints its result, one JSON document, only after the
// translation has been stored.
void SetTranslations::look() {
  if (isAlive(process_)) return;
  process_ = {};
  timer_.stop();
  if (tryParseJson(contentOf(file(kResult)).toStdString())) {
    emit finished(task_.name, task_.set);
  } else {
    emit failed(
        tr("%1 did not translate %2: %3 (complete log: %4)")
            .arg(task_.name, task_.set, lastLine(contentOf(file(kLog), logBefore_)), file(kLog)));
  }
  next();
}

}  // namespace strata::ui
