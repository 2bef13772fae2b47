#pragma once
#include <QTreeWidget>

#include "ui/data/jobs.h"

namespace strata::ui {

// Everything that goes on, one per row: what, how far, how long it takes, and a button to cancel
// it. Delete cancels the current row.
class JobTable : public QTreeWidget {
  Q_OBJECT
 public:
  enum Column { kName, kProgress, kLeft, kState, kDevice, kCancel, kColumns };

  explicit JobTable(QWidget* parent = nullptr);

  void setJobs(const QVector<JobRow>& jobs);

 signals:
  void cancelled(qint64 job);
  void runChosen(qint64 run);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  QTreeWidgetItem* itemOf(qint64 job) const;
  QTreeWidgetItem* addItem(const JobRow& job);
  void fill(QTreeWidgetItem* item, const JobRow& job);

  QVector<JobRow> jobs_;
};

}  // namespace strata::ui
