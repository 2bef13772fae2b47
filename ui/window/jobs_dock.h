#pragma once
#include <QDockWidget>

class QAction;
class QLabel;
class QProgressBar;
class QToolButton;

namespace strata::ui {
class JobList;
class JobTable;

// The list of jobs at the bottom of the window, hidden until it is asked for, and its summary for
// the status bar, which opens it: how many run, how far they are, and how long they take.
class JobsDock : public QDockWidget {
  Q_OBJECT
 public:
  JobsDock(JobList* jobs, QAction* show, QWidget* parent);

  QWidget* summary() const { return summary_; }

 signals:
  void runChosen(qint64 run);

 private:
  QWidget* makeSummary(QAction* show);
  void refresh();

  JobList* jobs_;
  JobTable* table_;
  QLabel* empty_;
  QWidget* summary_;
  QToolButton* button_;
  QProgressBar* bar_;
};

}  // namespace strata::ui
