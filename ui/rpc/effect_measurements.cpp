#include "ui/rpc/effect_measurements.h"

#include <signal.h>

#include <QFile>
#include <QFileInfo>

#include "core/base/progress_line.h"
#include "core/base/text_limits.h"
#include "ui/data/text.h"
#include "ui/rpc/runner.h"

namespace strata::ui {
namespace {
constexpr int kEffectsPollMs = 300;
const QString kEffectsLog = QStringLiteral("effects.log");
const QString kEffectsResult = QStringLiteral("effects.json");  // of the last task

QByteArray contentFrom(const QString& path, qint64 from) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) && file.seek(from) ? file.readAll() : QByteArray();
}

}  // namespace

EffectMeasurements::EffectMeasurements(const QString& workspace, QObject* parent)
    : QObject(parent), workspace_(workspace) {
  timer_.setInterval(kEffectsPollMs);
  connect(&timer_, &QTimer::timeout, this, &EffectMeasurements::look);
}

QString EffectMeasurements::file(const QString& name) const {
  return workspace_ + QStringLiteral("/ui/") + name;
}

void EffectMeasurements::start(const Task& task) {
  if (process_.pid != 0) return;
  task_ = task;
  stopping_ = false;
  logBefore_ = QFileInfo(file(kEffectsLog)).size();
  try {
    process_ = startDetached(workspace_, QStringList{QStringLiteral("--json")} + task.arguments,
                             kEffectsLog, kEffectsResult);
  } catch (const std::exception& error) {
    emit failed(task.run, QString::fromUtf8(error.what()));
    return;
  }
  emit progressed(task_.run, 0);
  timer_.start();
}

void EffectMeasurements::cancel() {
  if (process_.pid == 0 || !isAlive(process_)) return;
  stopping_ = true;
  ::kill(static_cast<pid_t>(process_.pid), SIGTERM);
}

// A detached process gives no exit status; it prints its result, one JSON document, only after it
// has been stored.
void EffectMeasurements::look() {
  const QByteArray log = contentFrom(file(kEffectsLog), logBefore_);
  if (isAlive(process_)) {
    const auto progress = lastProgress({log.constData(), std::size_t(log.size())});
    if (progress && progress->total > 0)
      emit progressed(task_.run, double(progress->done) / double(progress->total));
    return;
  }
  process_ = {};
  timer_.stop();
  if (tryParseJson(contentFrom(file(kEffectsResult), 0).toStdString())) {
    emit finished(task_.run);
  } else if (stopping_) {
    emit cancelled(task_.run);
  } else {
    QString reason = lastLine(log);
    if (progressLineFrom(toStd(reason)) || reason.isEmpty()) reason = tr("its process has ended");
    emit failed(task_.run,
                tr("%1: %2 (complete log: %3)").arg(task_.name, reason, file(kEffectsLog)));
  }
}

}  // namespace strata::ui
