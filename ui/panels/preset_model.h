#pragma once
#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <QStringList>
#include <QVector>
#include <optional>

#include "core/run/serve_protocol.h"

namespace strata::ui {

// A preset as the engine describes it.
struct PresetRow {
  QString name, paper, description;
  std::optional<qint64> parameters;  // for the requested vocabulary sizes
  QString problem;                   // why they cannot be counted; empty: they can
  // Of a row of a paper's table: the preset that it trains, with these changes, and the dataset
  // that the paper trains it on. Empty: a preset.
  QString base = {};
  QStringList overrides = {};
  QString dataset = {};

  bool isTableRow() const { return !base.isEmpty(); }
  const QString& trains() const { return isTableRow() ? base : name; }
  bool operator==(const PresetRow&) const = default;
};

// The presets and the rows of tables grouped by paper: name, parameters, description; at the end a
// combination of presets. Headings cannot be selected.
class PresetModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { kName, kParameters, kDescription, kColumns };

  using QAbstractTableModel::QAbstractTableModel;

  // Where names and papers are those of before, rows stay in place and only their counts change.
  void setPresets(const serve::PresetsReply& reply);
  const PresetRow* preset(int row) const;  // null: a heading, or out of range
  int rowOf(const QString& name) const;    // -1: not found
  // The row of a combination, "deepatt/att-2-2,deepatt/small-data"; the engine says whether its
  // later parts exist. -1: its first part is no preset.
  int combine(const QString& names);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 private:
  // A heading has a title, a preset has none.
  struct Row {
    QString title;
    PresetRow preset;
  };
  static QVector<Row> rowsOf(const serve::PresetsReply& reply);
  static QVector<Row> tableRowsOf(const std::string& paper, const QVector<Row>& presets);
  QVariant headingData(const Row& row, int column, int role) const;
  QString text(const PresetRow& preset, int column) const;

  QVector<Row> rows_;
  bool combined_ = false;  // the last row is a combination
  QString sizes_;  // vocabulary sizes that parameters are counted for: "8,848 / 6,632"; empty: none
};

// The presets whose name or description contains every word of a text, without headings.
class PresetFilter : public QSortFilterProxyModel {
  Q_OBJECT
 public:
  using QSortFilterProxyModel::QSortFilterProxyModel;
  void setText(const QString& text);

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  QStringList words_;
};

}  // namespace strata::ui
