#pragma once
#include <QHash>
#include <QObject>
#include <QPointer>
#include <QProcess>
#include <QString>
#include <functional>

#include "core/base/json.h"

namespace strata::ui {

// The window's side of `strata-run serve`: JSON-RPC 2.0, one message per line, UTF-8, no line feeds
// inside a message. A request is {"jsonrpc":"2.0","id":N,"method":M,"params":{...}}; the answer has
// the same id and either `result` or `error` {"code","message"}. Unknown members of a request are
// errors, unknown members of a result are ignored; optional members are marked with a question
// mark.
//
//   hello     {} -> {program, version, protocol: 1, libtorch, device}
//   presets   {dataset? | vocabulary?: [SOURCE, TARGET]} -> {papers: [{name, title}],
//             presets: [{name, paper, description, parameters?, problem?}], vocabulary?}
//     Parameters are counted if sizes are given.
//   schema    {preset? | config?} -> {keys, config}
//     keys: [{path, type, default, minimum?, maximum?, choices?, unit, help, resumable}]; type is
//     bool, int, int-or-list, number, string, choice, string-list, number-list, list or object;
//     config is the complete effective configuration.
//   dryRun    {preset, dataset?, overrides?: ["training.batch.size=64", ...], latest?} ->
//             {parameters?, memoryBytes?, secondsEstimate?, learningRate?, config}
//     Checks the complete configuration; without a dataset the estimates that need one are left
//     out. learningRate: [[step, rate], ...]. `latest` cancels unanswered calls of the method.
//   translate {run | model, checkpoint?: "best" | "last" | "STEP", text, beam?, nbest?,
//              record?: [NAME, ...], latest?} -> {tokens, hypotheses}
//     hypotheses: [{text, tokens, score, logProbabilities, recordings?: [{name, kind, side, layer,
//     axes, shape, values}]}]; the score is the length-normalised one that the search sorts by,
//     log-probabilities are natural, one per token of `tokens`, </s> included.
//   cancel    {id} -> {cancelled}; the request `id` then fails with kCancelled.
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

  static constexpr int kCancelled = -32800;  // error code of a request that was cancelled

  explicit EngineClient(Options options, QObject* parent = nullptr);
  ~EngineClient() override;

  // Sends a request and returns its id. The callbacks run on the GUI thread, only while `context`
  // lives.
  qint64 call(const QString& method, const Json& params, QObject* context, Done done,
              Failed failed = {});

  // Asks the child to cancel a request, whose `failed` is then not called. Unknown ids are ignored.
  void cancel(qint64 id);

  bool isRunning() const { return process_ && process_->state() != QProcess::NotRunning; }
  qint64 processId() const { return process_ ? process_->processId() : 0; }
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
