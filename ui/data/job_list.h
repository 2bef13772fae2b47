#pragma once
#include <QElapsedTimer>
#include <QObject>
#include <QVector>
#include <functional>
#include <vector>

#include "ui/data/jobs.h"

namespace strata::ui {

// Everything that goes on for a window, in one list: training runs, as the workspace says, and what
// the window itself has started. Who starts something adds it, tells its progress, and ends it.
// What has failed stays until it is dismissed or done again.
class JobList : public QObject {
  Q_OBJECT
 public:
  struct Task {
    JobKind kind = JobKind::kComputation;
    QString name = {};
    qint64 run = 0;                     // that it concerns; 0: none
    std::function<void()> cancel = {};  // asks it to end; the one who added it then ends it here
    JobProgress state = JobProgress::kRunning;
  };

  using QObject::QObject;

  qint64 add(const Task& task);                                              // returns its id
  void start(qint64 id);                                                     // it was queued
  void progress(qint64 id, qint64 done, qint64 total, const QString& unit);  // total 0: unknown
  // A line of the stderr of strata-run, started with STRATA_PROGRESS=lines
  // (core/base/progress_line.h). False: it is not about progress.
  bool readProgress(qint64 id, const QByteArray& line);
  void end(qint64 id);
  void fail(qint64 id, const QString& reason);  // its end

  void setActivity(const std::vector<RunActivity>& runs);

  // Running ones first, in the order of their start, then those that have failed; training runs
  // before others.
  const QVector<JobRow>& rows() const { return rows_; }
  // Tells who runs it to stop it; until it has, it is "cancelling". One that has failed is removed.
  void cancel(qint64 id);

  int running() const;
  int failed() const;
  double share() const;  // mean of the running ones whose share is known; NaN: none
  std::optional<TimeRange> left() const;  // until all running ones have ended

 signals:
  void changed();
  void stopRequested(qint64 run);  // of a training run

 private:
  struct Entry {
    qint64 id = 0;
    Task task;
    JobRow row;
    std::vector<ScalarPoint> points;  // progress over time, for an estimate
  };

  Entry* find(qint64 id);
  void forgetFailed(const Task& task);
  void rebuild();

  QVector<Entry> tasks_;
  QVector<JobRow> trainings_, rows_;
  QVector<qint64> stopping_;  // runs that were asked to stop
  qint64 next_ = 1;
};

}  // namespace strata::ui
