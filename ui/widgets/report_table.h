#pragma once
#include <QTableView>
#include <optional>

#include "core/report/table.h"

namespace strata::ui {
class ReportTableModel;

// What a cell sorts by where all of its column's cells begin with a number ("34.5 ± 0.6", "12 of
// 30", "10-19"): that number. "< 10" comes before all others; empty cells and dashes have none.
struct LeadingNumber {
  bool blank = false;
  std::optional<double> value = {};
};
LeadingNumber leadingNumber(const QString& cell);

// A table of a report, in its own order until a title is clicked: by number where a column's cells
// are numbers, else by text as people read it ("run 9" before "run 10"); cells without a value stay
// last. Marked rows are bold. Ctrl+C copies the selected rows, or all, with the titles as TSV.
class ReportTable : public QTableView {
  Q_OBJECT
 public:
  explicit ReportTable(QWidget* parent = nullptr);

  void setTable(Table table);
  const Table& table() const;
  // As high as its rows: on a page that scrolls as a whole.
  void setWholeHeight(bool on);
  QString tsv() const;  // what Ctrl+C copies

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  int wholeHeight() const;

  ReportTableModel* model_;
  bool whole_ = false;
};

}  // namespace strata::ui
