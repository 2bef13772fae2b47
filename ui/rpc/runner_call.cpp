#include "ui/rpc/runner_call.h"

#include <QProcess>
#include <QTimer>
#include <utility>

#include "ui/rpc/runner.h"

namespace strata::ui {
namespace {
constexpr int kCallEndMs = 2000;  // after a request to end, before it is killed
}

RunnerCall::RunnerCall(QString workspace, QObject* parent)
    : QObject(parent), workspace_(std::move(workspace)) {}

RunnerCall::~RunnerCall() {
  if (!process_) return;
  process_->disconnect();
  process_->kill();
  process_->waitForFinished(kCallEndMs);
}

void RunnerCall::start(const QStringList& arguments) {
  cancel();
  auto* process = new QProcess(this);
  process_ = process;
  errors_.clear();
  connect(process, &QProcess::readyReadStandardError, this, [this, process] {
    if (process == process_) readErrors(process);
  });
  connect(process, &QProcess::finished, this, [this, process](int status) {
    end(process, status == 0 && process->exitStatus() == QProcess::NormalExit);
  });
  connect(process, &QProcess::errorOccurred, this, [this, process](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) end(process, false);
  });
  process->setStandardInputFile(QProcess::nullDevice());
  process->start(runnerPath(), QStringList{QStringLiteral("--workspace"), workspace_} + arguments);
}

// Keeps what it said last, for a message if it fails.
void RunnerCall::readErrors(QProcess* process) {
  for (const QByteArray& text : process->readAllStandardError().split('\n')) {
    if (!text.trimmed().isEmpty()) errors_ = text;
  }
}

void RunnerCall::end(QProcess* process, bool good) {
  process->deleteLater();
  if (process != process_) return;  // a later call has replaced it
  process_ = nullptr;
  if (good) {
    emit finished(process->readAllStandardOutput());
  } else if (process->error() == QProcess::FailedToStart) {
    emit failed(tr("%1 cannot be started. Build strata-run, or set STRATA_RUN to its path.")
                    .arg(runnerPath()));
  } else {
    readErrors(process);
    const QString last = lastMessage(errors_);
    emit failed(last.isEmpty() ? tr("strata-run ended without a message.") : last);
  }
}

void RunnerCall::cancel() {
  QProcess* process = process_;
  process_ = nullptr;
  if (!process) return;
  process->terminate();
  QTimer::singleShot(kCallEndMs, process, &QProcess::kill);
}

}  // namespace strata::ui
