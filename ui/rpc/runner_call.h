#pragma once
#include <QByteArray>
#include <QObject>
#include <QPointer>
#include <QStringList>

class QProcess;

namespace strata::ui {

// Calls of strata-run on a workspace in a child process that ends with this object; the latest call
// counts.
class RunnerCall : public QObject {
  Q_OBJECT
 public:
  explicit RunnerCall(QString workspace, QObject* parent = nullptr);
  ~RunnerCall() override;

  // Ends a call in progress, which then is not answered.
  void start(const QStringList& arguments);
  void cancel();
  bool isRunning() const { return !process_.isNull(); }

 signals:
  void finished(const QByteArray& output);  // what it printed on stdout
  void failed(const QString& message);      // the last line of what it said on stderr

 private:
  void readErrors(QProcess* process);
  void end(QProcess* process, bool good);

  QString workspace_;
  QPointer<QProcess> process_;  // null: no call in progress
  QByteArray errors_;           // the last line that the call in progress has written
};

}  // namespace strata::ui
