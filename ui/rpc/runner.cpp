#include "ui/rpc/runner.h"

#include <signal.h>

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QProcess>

#include "core/base/error.h"
#include "ui/data/text.h"

namespace strata::ui {
namespace {

// Whether a process lives and is a strata-run.
bool isRunner(qint64 pid) {
  if (pid <= 0 || ::kill(pid_t(pid), 0) != 0) return false;
  QFile command(QStringLiteral("/proc/%1/cmdline").arg(pid));
  return command.open(QIODevice::ReadOnly) && command.readAll().contains("strata-run");
}

}  // namespace

QString runnerPath() {
  const QString given = qEnvironmentVariable("STRATA_RUN");
  return given.isEmpty() ? QCoreApplication::applicationDirPath() + QStringLiteral("/strata-run")
                         : given;
}

bool isAlive(qint64 pid) {
  return isRunner(pid);
}

qint64 startDetached(const QString& workspace, const QStringList& arguments, const QString& log) {
  const QString folder = workspace + QStringLiteral("/ui");
  QDir().mkpath(folder);
  QProcess process;
  process.setProgram(runnerPath());
  process.setArguments(QStringList{QStringLiteral("--workspace"), workspace} + arguments);
  process.setStandardInputFile(QProcess::nullDevice());
  process.setStandardOutputFile(folder + QLatin1Char('/') + log);
  process.setStandardErrorFile(folder + QLatin1Char('/') + log, QIODevice::Append);
  qint64 pid = 0;
  if (!process.startDetached(&pid)) {
    throw Error("{} cannot be started: {}. Build strata-run, or set STRATA_RUN to its path.",
                toStd(runnerPath()), toStd(process.errorString()));
  }
  return pid;
}

void ensureWorker(const QString& workspace) {
  QFile known(workspace + QStringLiteral("/ui/worker.pid"));
  if (known.open(QIODevice::ReadOnly) && isRunner(known.readAll().trimmed().toLongLong())) return;
  known.close();
  const qint64 pid = startDetached(workspace, {QStringLiteral("work")}, QStringLiteral("work.log"));
  if (known.open(QIODevice::WriteOnly | QIODevice::Truncate)) known.write(QByteArray::number(pid));
}

}  // namespace strata::ui
