#pragma once
#include <QAbstractTableModel>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/compare/comparison.h"

namespace strata::ui {

// The filtered sentences of a comparison as a table, sorted by any column.
// A *position* is an index into Comparison::sentences.
class SentenceModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum class Kind {
    kNumber,   // line number in the files, from 1
    kWords,    // of the first reference
    kUnknown,  // out-of-vocabulary words, if the comparison has a vocabulary
    kScore,
    kDifference,
    kImported,   // imported scores under another metric than the first
    kReference,  // the first
    kSource
  };
  struct Column {
    Kind kind = Kind::kNumber;
    std::size_t system = 0;  // of kScore, kDifference and kImported
    std::size_t metric = 0;  // of kImported

    bool isText() const { return kind == Kind::kReference || kind == Kind::kSource; }
    QVariant alignment() const {
      return QVariant(Qt::AlignVCenter | (isText() ? Qt::AlignLeft : Qt::AlignRight));
    }
    bool operator==(const Column&) const = default;
  };
  enum Role { kPositionRole = Qt::UserRole };

  using QAbstractTableModel::QAbstractTableModel;

  // Shows all sentences in the order of the files; nullptr: none.
  void setComparison(std::shared_ptr<const Comparison> comparison);
  // Keeps the sort column. Positions that do not exist are left out.
  void setShown(std::vector<std::size_t> positions);

  const std::shared_ptr<const Comparison>& comparison() const { return comparison_; }
  const std::vector<Column>& columns() const { return columns_; }
  int columnOf(const Column& column) const;  // -1: not found
  std::size_t positionAt(int row) const { return order_[static_cast<std::size_t>(row)]; }
  int rowOf(std::size_t position) const;  // -1: not shown
  // The texts of the smallest and the largest number of a column, over all sentences.
  QStringList extremes(int column) const;

  static QString shortName(const QString& name);  // shortened name of a system

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  // Stable. Numbers sort by value, NaN last; texts sort by bytes. Column -1 is the order of the
  // files.
  void sort(int column, Qt::SortOrder order) override;

 private:
  double number(const Column& column, std::size_t position) const;
  const std::string& text(const Column& column, std::size_t position) const;
  QString display(const Column& column, std::size_t position) const;
  QString tip(const Column& column, std::size_t position) const;
  struct Heading {
    QString text, tip;  // the tip is HTML
  };
  Heading headingOf(const Column& column) const;
  void sortOrder();

  std::shared_ptr<const Comparison> comparison_;
  std::vector<Column> columns_;
  std::vector<double> words_;       // per position
  std::vector<std::size_t> order_;  // the position in every row
  std::vector<int> rows_;           // the row of every position; -1: not shown
  int sortColumn_ = -1;
  Qt::SortOrder sortOrder_ = Qt::AscendingOrder;
};

}  // namespace strata::ui
