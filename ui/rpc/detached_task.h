#pragma once
#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>

#include "core/base/json.h"
#include "core/base/progress_line.h"
#include "core/store/process_id.h"
#include "ui/data/job_list.h"

namespace strata::ui {

// One strata-run at a time, in a process that outlives the window. While it runs it is in the list
// of jobs, from where it can be cancelled; the next window of the workspace can go on following it.
class DetachedTask : public QObject {
  Q_OBJECT
 public:
  struct Kind {
    QString files;  // in the folder ui of the workspace: FILES.log, FILES.json, FILES.running.json
    JobKind job = JobKind::kComputation;
  };
  struct Task {
    QString name = {};           // in the list of jobs
    qint64 run = 0;              // that it concerns; 0: none
    QStringList arguments = {};  // of strata-run, which prints one JSON document at its end
    QStringList about = {};      // what the owner wants to know of it in the next window, too
  };

  DetachedTask(const QString& workspace, const Kind& kind, JobList* jobs,
               QObject* parent = nullptr);

  void resume();  // follows what an earlier window has started, until its end has been told
  bool isRunning() const { return process_.pid != 0; }
  qint64 process() const { return process_.pid; }  // 0: none
  const Task& task() const { return task_; }       // the latest
  // Ignored while one is running. `job`: it is in the list of jobs, queued; 0: it is not yet.
  void start(const Task& task, qint64 job = 0);
  void cancel();

 signals:
  void started();
  void progressed(const strata::ProgressLine& progress);
  void finished(const strata::Json& result);  // what it has printed
  void cancelled();
  void failed(const QString& reason);  // what it has said last, and where to read more

 private:
  void follow();
  void look();
  void readProgress();
  void conclude();
  JobList::Task inList();
  void fail(const QString& reason);
  void keep() const;
  QString reason() const;
  QString file(const char* ending) const;

  QString workspace_;
  Kind kind_;
  JobList* jobs_;
  Task task_;
  qint64 job_ = 0;     // of the task
  ProcessId process_;  // pid 0: none
  qint64 logBefore_ = 0, logRead_ = 0;
  bool cancelling_ = false;
  QTimer timer_;
};

}  // namespace strata::ui
