#pragma once
#include <QWidget>

#include "core/report/table.h"
#include "ui/data/paper_runs.h"
#include "ui/panels/here.h"

namespace strata::ui {
class PaperNotes;
class ReportTable;

// A paper's table as `paper show` prints it, with the state of each row's runs and a button that
// queues what is missing or opens them; below it the runs of the current row, and the notes.
class PaperTableView : public QWidget {
  Q_OBJECT
 public:
  explicit PaperTableView(QWidget* parent = nullptr);

  void showResult(const PaperRuns& runs);
  void showProgress(const PaperRuns& runs);  // of the table that it shows
  void chooseRowOf(const QString& run);
  // Its first column of results, and its gains.
  void addCurrentRowTo(Here& here) const;

 signals:
  void queueRequested(const QStringList& rows);
  void runsOpened(const QStringList& names);

 private:
  void fillTable();
  void fillCells();
  void placeButton(int row);
  Table cellsOf(const PaperRowState& row) const;

  ReportTable *table_, *cells_;
  PaperNotes* notes_;
  PaperRuns runs_;
  QStringList states_;  // shown in the table
};

}  // namespace strata::ui
