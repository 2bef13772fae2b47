#pragma once
#include <QTableView>
#include <functional>

#include "core/report/table.h"

namespace strata::ui {
class ReportTableModel;

// A report's table, unsorted until a header is clicked: by value if all of a column's cells have a
// sort key or nothing, else in natural order ("run 9" before "run 10"); cells without a value stay
// last. Marked rows are bold. Ctrl+C copies the selected rows, or all, with the headers as TSV.
class ReportTable : public QTableView {
  Q_OBJECT
 public:
  explicit ReportTable(QWidget* parent = nullptr);

  void setTable(Table table);
  const Table& table() const;
  // What a column means, by its title, as a tooltip of its header; a title whose note is empty has
  // none. setTable keeps it.
  void setTips(std::function<QString(const QString& title)> tips);
  // Makes it as high as its rows, for a page that scrolls.
  void setWholeHeight(bool on);
  // For sentences next to each other: columns of text share the width that numbers leave.
  void setSentences();
  QString tsv() const;  // what Ctrl+C copies
  // Of the current row, in the column of this title; empty: there is no such row or column.
  QString cell(const QString& title) const;
  // The current row, as it is read out: "unit hop 1 · effect 0.012".
  QString readout() const;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  int wholeHeight() const;
  int widestCell(int column) const;
  bool isText(int column) const;
  void shareWidth();

  ReportTableModel* model_;
  bool whole_ = false, sentences_ = false;
};

}  // namespace strata::ui
