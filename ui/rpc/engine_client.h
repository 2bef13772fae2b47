#pragma once
#include <QHash>
#include <QObject>
#include <QPointer>
#include <QProcess>
#include <QString>
#include <functional>

#include "core/base/json.h"

namespace strata::ui {

// The window's side of `strata-run serve`: JSON-RPC 2.0, one message a line, UTF-8, no line feeds
// inside a message; methods are described in core/run/serve_protocol.h. A request is
// {"jsonrpc":"2.0","id":N,"method":M,"params":{...}}; the answer carries the same id and either
// `result` or `error` {"code","message"}.
//
// The child process is started at the first call and restarted after it has died; calls in progress
// when it dies fail with a message that says so and are not repeated. GUI thread only; nothing here
// blocks.
class EngineClient : public QObject {
  Q_OBJECT
 public:
  struct Options {
    QString program;        // path of strata-run
    QStringList arguments;  // {"--workspace", DIR, "serve"}
  };
  using Done = std::function<void(const Json& result)>;
  using Failed = std::function<void(const QString& message)>;

  explicit EngineClient(Options options, QObject* parent = nullptr);
  ~EngineClient() override;

  // Sends a request and returns its id. The callbacks run on the GUI thread, only while `context`
  // lives.
  qint64 call(const QString& method, const Json& params, QObject* context, Done done,
              Failed failed = {});

  // Asks the child to cancel a request, whose `failed` is then not called. Unknown ids are ignored.
  void cancel(qint64 id);

  bool isRunning() const { return process_ && process_->state() != QProcess::NotRunning; }
  int pendingCalls() const { return int(calls_.size()); }

 signals:
  void died(const QString& message);  // after the pending calls have failed

 private:
  struct Call {
    QString method;
    QPointer<QObject> context;
    Done done;
    Failed failed;
  };

  void start();
  void send(const Json& message);
  void readLines();
  void receive(const QByteArray& line);
  void childEnded(const QString& reason);

  Options options_;
  QProcess* process_ = nullptr;  // child of this
  QHash<qint64, Call> calls_;
  QByteArray partial_;     // an incomplete message
  QByteArray lastErrors_;  // end of the child's stderr, shown when it dies
  qint64 nextId_ = 1;
};

}  // namespace strata::ui
