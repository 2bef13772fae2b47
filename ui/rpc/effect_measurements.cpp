#include "ui/rpc/effect_measurements.h"

#include <signal.h>

#include <QFile>
#include <QFileInfo>

#include "core/base/text_limits.h"
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

// The share done of a line "DONE/TOTAL ..."; negative: it is another line.
double shareIn(const QString& line) {
  const QStringList parts = line.section(QLatin1Char(' '), 0, 0).split(QLatin1Char('/'));
  if (parts.size() != 2) return -1;
  bool isDone = false, isTotal = false;
  const double done = parts[0].toDouble(&isDone), total = parts[1].toDouble(&isTotal);
  return isDone && isTotal && total > 0 ? done / total : -1;
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
    process_ = startDetached(workspace_,
                             QStringList{QStringLiteral("--json")} + task.arguments +
                                 QStringList{QStringLiteral("--progress")},
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
    const double share = shareIn(lastLine(log));
    if (share >= 0) emit progressed(task_.run, share);
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
    if (shareIn(reason) >= 0 || reason.isEmpty()) reason = tr("its process has ended");
    emit failed(task_.run,
                tr("%1: %2 (complete log: %3)").arg(task_.name, reason, file(kEffectsLog)));
  }
}

}  // namespace strata::ui
