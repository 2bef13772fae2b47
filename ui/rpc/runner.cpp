#include "ui/rpc/runner.h"

#include <QCoreApplication>
#include <QDir>
#include <QProcess>

#include "core/base/error.h"
#include "core/base/progress_line.h"
#include "core/base/shell.h"
#include "ui/data/text.h"

namespace strata::ui {

QString runnerPath() {
  const QString given = qEnvironmentVariable("STRATA_RUN");
  return given.isEmpty() ? QCoreApplication::applicationDirPath() + QStringLiteral("/strata-run")
                         : given;
}

QString commandLine(const QString& workspace, const QStringList& arguments) {
  return qs(shellLine(
      toStd(QStringList{runnerPath(), QStringLiteral("--workspace"), workspace} + arguments)));
}

ProcessId startDetached(const QString& workspace, const QStringList& arguments, const QString& log,
                        const QString& result) {
  const QString folder = workspace + QStringLiteral("/ui/");
  QDir().mkpath(folder);
  QProcess process;
  process.setProgram(runnerPath());
  process.setArguments(QStringList{QStringLiteral("--workspace"), workspace} + arguments);
  if (!result.isEmpty()) {
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QLatin1String(kProgressVariable), QLatin1String(kProgressAsLines));
    process.setProcessEnvironment(environment);
  }
  process.setStandardInputFile(QProcess::nullDevice());
  process.setStandardOutputFile(folder + (result.isEmpty() ? log : result),
                                result.isEmpty() ? QIODevice::Append : QIODevice::Truncate);
  process.setStandardErrorFile(folder + log, QIODevice::Append);
  qint64 pid = 0;
  if (!process.startDetached(&pid)) {
    throw Error("{} cannot be started: {}. Build strata-run, or set STRATA_RUN to its path.",
                toStd(runnerPath()), toStd(process.errorString()));
  }
  return processOnThisHost(pid);
}

QString lastLine(const QByteArray& text) {
  return QString::fromUtf8(text.trimmed().split('\n').last()).trimmed();
}

void ensureWorker(const QString& workspace) {
  startDetached(workspace, {QStringLiteral("work"), QStringLiteral("--once")},
                QStringLiteral("work.log"));
}

}  // namespace strata::ui
