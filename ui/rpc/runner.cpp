#include "ui/rpc/runner.h"

#include <signal.h>

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QProcess>

#include "core/base/error.h"
#include "ui/data/text.h"

namespace strata::ui {

// Process ids are reused, so the name is checked too.
bool isAlive(qint64 pid) {
  if (pid <= 0 || ::kill(pid_t(pid), 0) != 0) return false;
  QFile command(QStringLiteral("/proc/%1/cmdline").arg(pid));
  return command.open(QIODevice::ReadOnly) && command.readAll().contains("strata-run");
}

QString runnerPath() {
  const QString given = qEnvironmentVariable("STRATA_RUN");
  return given.isEmpty() ? QCoreApplication::applicationDirPath() + QStringLiteral("/strata-run")
                         : given;
}

qint64 startDetached(const QString& workspace, const QStringList& arguments, const QString& log) {
  const QString folder = workspace + QStringLiteral("/ui");
  QDir().mkpath(folder);
  QProcess process;
  process.setProgram(runnerPath());
  process.setArguments(QStringList{QStringLiteral("--workspace"), workspace} + arguments);
  process.setStandardInputFile(QProcess::nullDevice());
  process.setStandardOutputFile(folder + QLatin1Char('/') + log, QIODevice::Append);
  process.setStandardErrorFile(folder + QLatin1Char('/') + log, QIODevice::Append);
  qint64 pid = 0;
  if (!process.startDetached(&pid)) {
    throw Error("{} cannot be started: {}. Build strata-run, or set STRATA_RUN to its path.",
                toStd(runnerPath()), toStd(process.errorString()));
  }
  return pid;
}

void ensureWorker(const QString& workspace) {
  startDetached(workspace, {QStringLiteral("work"), QStringLiteral("--once")},
                QStringLiteral("work.log"));
}

}  // namespace strata::ui
