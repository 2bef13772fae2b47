#pragma once
#include <QStringList>
#include <QTableWidget>

#include "core/data/prepare.h"

namespace strata::ui {

// The pairs of files of a corpus, one per row, each with what it is for: training, validation,
// test, or nothing. Names and paths are edited in place.
class ImportFileTable : public QTableWidget {
  Q_OBJECT
 public:
  explicit ImportFileTable(QWidget* parent = nullptr);

  void setFiles(const PrepareOptions& options);  // in the place of its rows
  void addFilesTo(PrepareOptions& options) const;
  void removeSelectedRows();
  void swapSides();

  QStringList savedRows() const;
  void addSavedRows(const QStringList& rows);  // what is not of this form is left out

 signals:
  void edited();  // also by the functions above

 private:
  void addRow(int role, const QString& set, const PairInput& files);
  void openCell(int row, int column);
  int roleOf(int row) const;
  QString textIn(int row, int column) const;  // a path, of which the file's name is visible
};

}  // namespace strata::ui
