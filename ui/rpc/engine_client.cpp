#include "ui/rpc/engine_client.h"

#include "core/base/text_limits.h"
#include "ui/data/text.h"
#include "ui/rpc/runner.h"

namespace strata::ui {
namespace {
constexpr int kShutdownMs = 1500;  // serve exits at the end of its input; after this it is killed
constexpr int kKeptErrorBytes = 4096;  // enough for the last lines of a log
// The engine is the window's own child process and is trusted: answers may be large, since maps of
// a long sentence have many values.
constexpr TextLimits kAnswer{.bytes = std::size_t{1} << 30, .values = 100'000'000};
}  // namespace

EngineClient::EngineClient(Options options, QObject* parent)
    : QObject(parent), options_(std::move(options)) {}

EngineClient::~EngineClient() {
  if (!process_) return;
  process_->disconnect(this);
  process_->closeWriteChannel();
  if (process_->state() != QProcess::NotRunning && !process_->waitForFinished(kShutdownMs)) {
    process_->kill();
    process_->waitForFinished(kShutdownMs);
  }
}

void EngineClient::start() {
  partial_.clear();
  lastErrors_.clear();
  process_ = new QProcess(this);
  connect(process_, &QProcess::readyReadStandardOutput, this, &EngineClient::readLines);
  connect(process_, &QProcess::readyReadStandardError, this, [this] {
    lastErrors_ += process_->readAllStandardError();
    lastErrors_ = lastErrors_.right(kKeptErrorBytes);
  });
  connect(process_, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
    childEnded(status == QProcess::CrashExit ? tr("it crashed")
                                             : tr("it exited with status %1").arg(code));
  });
  connect(process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) {
      childEnded(tr("%1 could not be started: %2").arg(options_.program, process_->errorString()));
    }
  });
  process_->start(options_.program, options_.arguments);
}

qint64 EngineClient::call(const QString& method, const Json& params, QObject* context, Done done,
                          Failed failed) {
  const qint64 id = nextId_++;
  calls_.insert(id, {method, context, std::move(done), std::move(failed)});
  if (!isRunning()) start();
  send({{"jsonrpc", "2.0"}, {"id", id}, {"method", toStd(method)}, {"params", params}});
  return id;
}

void EngineClient::cancel(qint64 id) {
  if (calls_.remove(id) == 0 || !isRunning()) return;
  const qint64 own = nextId_++;
  send({{"jsonrpc", "2.0"}, {"id", own}, {"method", "cancel"}, {"params", {{"id", id}}}});
}

void EngineClient::send(const Json& message) {
  if (!isRunning()) return;  // failed to start: childEnded has reported the call
  process_->write(QByteArray::fromStdString(message.dump() + "\n"));
}

void EngineClient::readLines() {
  partial_ += process_->readAllStandardOutput();
  qsizetype begin = 0;
  for (qsizetype end; (end = partial_.indexOf('\n', begin)) >= 0; begin = end + 1) {
    receive(partial_.mid(begin, end - begin));
  }
  partial_.remove(0, begin);
}

void EngineClient::receive(const QByteArray& line) {
  const Json message =
      tryParseJson({line.constData(), std::size_t(line.size())}, kAnswer).value_or(nullptr);
  if (!message.is_object() || !message.contains("id") || !message["id"].is_number_integer()) return;
  const auto found = calls_.find(message["id"].get<qint64>());
  if (found == calls_.end()) return;  // cancelled, or the answer to a cancel
  const Call call = found.value();
  calls_.erase(found);
  if (!call.context) return;
  try {
    if (message.contains("result")) {
      if (call.done) call.done(message["result"]);
    } else if (call.failed) {
      call.failed(qs(message.at("error").value("message", "the engine gave no reason")));
    }
  } catch (const std::exception& error) {  // an answer of an unexpected shape
    if (call.failed) {
      call.failed(tr("The engine's answer to %1 is invalid: %2")
                      .arg(call.method, QString::fromUtf8(error.what())));
    }
  }
}

void EngineClient::childEnded(const QString& reason) {
  process_->disconnect(this);
  process_->deleteLater();
  process_ = nullptr;
  const QHash<qint64, Call> lost = std::exchange(calls_, {});
  const QString last = lastMessage(lastErrors_);
  const QString detail = last.isEmpty() ? reason : tr("%1 (%2)").arg(reason, last);
  for (const Call& call : lost) {
    if (call.context && call.failed) {
      call.failed(
          tr("The engine exited during %1: %2. It restarts with the next request; this one is "
             "not repeated.")
              .arg(call.method, detail));
    }
  }
  emit died(detail);
}

}  // namespace strata::ui
