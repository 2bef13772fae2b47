#pragma once
#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>

#include "core/store/process_id.h"

namespace strata::ui {

// A dataset that is prepared by `strata-run data prepare` in a process that outlives the window:
// one at a time. The next window of the workspace goes on following it.
class Preparation : public QObject {
  Q_OBJECT
 public:
  explicit Preparation(const QString& workspace, QObject* parent = nullptr);

  void resume();  // follows a process that an earlier window has started, if it still runs
  bool isRunning() const { return process_.pid != 0; }
  qint64 process() const { return process_.pid; }  // 0: none
  // `arguments` of strata-run, as prepareArguments() makes them.
  void start(const QString& name, const QStringList& arguments);
  void cancel();

 signals:
  void started(const QString& name);
  // What it does now; total 0: unknown.
  void progressed(const QString& what, qint64 done, qint64 total);
  void finished(const QString& name, bool unchanged);
  void cancelled(const QString& name);
  void failed(const QString& message);  // why, as the process has said it

 private:
  void follow();
  void look();
  void conclude();
  QString file(const QString& name) const;

  QString workspace_, name_;
  ProcessId process_;  // pid 0: none
  qint64 logBefore_ = 0;
  bool cancelling_ = false;
  QTimer timer_;
};

}  // namespace strata::ui
