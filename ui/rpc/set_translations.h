#pragma once
#include <QObject>
#include <QQueue>
#include <QString>
#include <QTimer>

#include "core/store/process_id.h"

namespace strata::ui {
class JobList;

// Translates evaluation sets with runs, one after the other, by `strata-run translate --set` in
// processes that outlive the window; tasks not yet started when it closes are dropped.
class SetTranslations : public QObject {
  Q_OBJECT
 public:
  struct Task {
    qint64 run = 0;
    QString name;        // of the run
    QString set;         // of its dataset
    QString checkpoint;  // "best" or "last"
  };

  // Lists them as jobs, from where they can be cancelled.
  SetTranslations(const QString& workspace, JobList* jobs, QObject* parent = nullptr);

  void add(const Task& task);

 signals:
  void started(const QString& name, const QString& set);
  void finished(const QString& name, const QString& set);
  void cancelled(const QString& name, const QString& set);
  void failed(const QString& message);  // what, where, and where to read more

 private:
  struct Waiting {
    Task task;
    qint64 job = 0;
  };

  void next();
  void look();
  void readProgress();
  void cancel(qint64 job);
  QString file(const QString& name) const;

  QString workspace_;
  JobList* jobs_;
  QQueue<Waiting> waiting_;
  Task task_;
  qint64 job_ = 0;  // of the task
  bool cancelled_ = false;
  ProcessId process_;  // pid 0: none
  qint64 logBefore_ = 0, logRead_ = 0;
  QTimer timer_;
};

}  // namespace strata::ui
