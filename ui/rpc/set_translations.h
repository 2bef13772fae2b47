#pragma once
#include <QObject>
#include <QQueue>
#include <QString>
#include <QTimer>

#include "core/store/process_id.h"

namespace strata::ui {

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

  explicit SetTranslations(const QString& workspace, QObject* parent = nullptr);

  void add(const Task& task);

 signals:
  void started(const QString& name, const QString& set);
  void finished(const QString& name, const QString& set);
  void failed(const QString& message);  // what, where, and where to read more

 private:
  void next();
  void look();
  QString file(const QString& name) const;

  QString workspace_;
  QQueue<Task> waiting_;
  Task task_;
  ProcessId process_;  // pid 0: none
  qint64 logBefore_ = 0;
  QTimer timer_;
};

}  // namespace strata::ui
