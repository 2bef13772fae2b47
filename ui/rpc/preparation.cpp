#include "ui/rpc/preparation.h"

#include <signal.h>

#include <QFile>
#include <QFileInfo>
#include <utility>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/progress_line.h"
#include "core/base/text_limits.h"
#include "ui/data/text.h"
#include "ui/rpc/runner.h"

namespace strata::ui {
namespace {

constexpr int kPollMs = 200;
constexpr qint64 kProgressTail = 4096;  // bytes of the log in which the last progress is
const QString kPrepareLog = QStringLiteral("prepare.log");
const QString kPrepareResult = QStringLiteral("prepare.json");     // what the process prints
const QString kPrepareProcess = QStringLiteral("preparing.json");  // while it runs

QByteArray readFrom(const QString& path, qint64 from) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) && file.seek(from) ? file.readAll() : QByteArray();
}

}  // namespace

Preparation::Preparation(const QString& workspace, QObject* parent)
    : QObject(parent), workspace_(workspace) {
  timer_.setInterval(kPollMs);
  connect(&timer_, &QTimer::timeout, this, &Preparation::look);
}

QString Preparation::file(const QString& name) const {
  return workspace_ + QStringLiteral("/ui/") + name;
}

void Preparation::start(const QString& name, const QStringList& arguments) {
  if (isRunning()) return;
  logBefore_ = QFileInfo(file(kPrepareLog)).size();
  name_ = name;
  try {
    process_ = startDetached(workspace_, QStringList{QStringLiteral("--json")} + arguments,
                             kPrepareLog, kPrepareResult);
    const Json state = {{"host", process_.host},
                        {"pid", process_.pid},
                        {"process", process_.process},
                        {"name", toStd(name)},
                        {"log", logBefore_}};
    writeFileAtomic(toStd(file(kPrepareProcess)), state.dump());
  } catch (const std::exception& error) {
    emit failed(QString::fromUtf8(error.what()));
    if (!isRunning()) return;  // else only the next window does not know of it
  }
  follow();
}

void Preparation::resume() {
  const auto state = tryParseJson(readFrom(file(kPrepareProcess), 0).toStdString());
  if (isRunning() || !state || !state->is_object()) return;
  try {
    process_ = {state->at("host"), state->at("pid"), state->at("process")};
    name_ = qs(state->at("name").get<std::string>());
    logBefore_ = state->at("log");
  } catch (const Json::exception&) {
    process_ = {};
  }
  if (!isRunning()) return;
  follow();
}

void Preparation::follow() {
  cancelling_ = false;
  timer_.start();
  emit started(name_);
}

void Preparation::cancel() {
  if (!isAlive(process_)) return;
  cancelling_ = true;
  ::kill(pid_t(process_.pid), SIGTERM);
}

void Preparation::look() {
  const QString log = file(kPrepareLog);
  const QByteArray tail =
      readFrom(log, std::max(logBefore_, QFileInfo(log).size() - kProgressTail));
  if (const auto progress = lastProgress({tail.constData(), std::size_t(tail.size())}))
    emit progressed(qs(progress->what), progress->done, progress->total);
  if (!isAlive(process_)) conclude();
}

// A detached process gives no exit status; it prints its result, one JSON document, only after the
// dataset has been published.
void Preparation::conclude() {
  process_ = {};
  timer_.stop();
  QFile::remove(file(kPrepareProcess));
  const auto result = tryParseJson(readFrom(file(kPrepareResult), 0).toStdString());
  if (result && result->is_object()) {
    emit finished(name_, result->value("unchanged", false));
  } else if (cancelling_) {
    emit cancelled(name_);
  } else {
    const QString line = lastLine(readFrom(file(kPrepareLog), logBefore_));
    const QString prefix = QStringLiteral("strata-run: ");
    emit failed(line.isEmpty() || line.startsWith(QLatin1Char('{'))
                    ? tr("%1 was not prepared: its process ended without a word.").arg(name_)
                    : line.mid(line.startsWith(prefix) ? prefix.size() : 0));
  }
}

}  // namespace strata::ui
