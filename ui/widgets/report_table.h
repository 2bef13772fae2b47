#pragma once
#include <QTableView>
#include <optional>

#include "core/report/table.h"

namespace strata::ui {
class ReportTableModel;

// The sort key of a cell if all cells of its column begin with a number ("34.5 ± 0.6", "12 of
// 30", "10-19"): that number. "< 10" comes before all others; empty cells and dashes have none.
struct LeadingNumber {
  bool blank = false;
  std::optional<double> value = {};
};
LeadingNumber leadingNumber(const QString& cell);

// A report's table, unsorted until a header is clicked: numerically if a column's cells are
// numbers, else in natural order ("run 9" before "run 10"); cells without a value stay last. Marked
// rows are bold. Ctrl+C copies the selected rows, or all, with the headers as TSV.
class ReportTable : public QTableView {
  Q_OBJECT
 public:
  explicit ReportTable(QWidget* parent = nullptr);

  void setTable(Table table);
  const Table& table() const;
  // Makes it as high as its rows, for a page that scrolls.
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
