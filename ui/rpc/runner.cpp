#include "ui/rpc/runner.h"

#include <QCoreApplication>
#include <QDir>
#include <QProcess>
#include <algorithm>

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

QString lastMessage(const QByteArray& log) {
  const auto lines = log.split('\n');
  const auto last = std::find_if(lines.rbegin(), lines.rend(), [](const QByteArray& line) {
    const QByteArray text = line.trimmed();
    return !text.isEmpty() && !progressLineFrom(text.toStdString());
  });
  if (last == lines.rend()) return {};
  const QString message = QString::fromUtf8(last->trimmed());
  const QString name = QStringLiteral("strata-run: ");
  return message.startsWith(name) ? message.mid(name.size()) : message;
}

void ensureWorker(const QString& workspace) {
  startDetached(workspace, {QStringLiteral("work"), QStringLiteral("--once")},
                QStringLiteral("work.log"));
}

}  // namespace strata::ui
