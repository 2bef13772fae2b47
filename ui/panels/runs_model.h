#pragma once
#include <QAbstractTableModel>
#include <QRegularExpression>
#include <QSortFilterProxyModel>
#include <optional>

#include "ui/data/setting_columns.h"
#include "ui/data/values.h"

namespace strata::ui {

// The runs of a workspace as a table.
class RunsModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column {
    kId,
    kName,
    kStatus,
    kPreset,
    kDataset,
    kMetric,
    kBest,
    kLast,
    kStep,
    kSpeed,
    kDuration,
    kSeed,
    kTags,
    kNote,
    kColumns
  };
  enum Role { kSortRole = Qt::UserRole, kRunIdRole };

  using QAbstractTableModel::QAbstractTableModel;

  void setRuns(QVector<RunRow> runs);  // keeps unchanged rows in place, so that selections stay
  const QVector<RunRow>& runs() const { return runs_; }
  // Columns behind the others, one per key; their values come with setSettings.
  void setSettingKeys(const QStringList& keys);
  const QStringList& settingKeys() const { return settings_; }
  void setSettings(const RunSettingColumns& values);
  const RunRow* run(qint64 id) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QVariant settingData(const RunRow& run, int column, int role) const;
  QString titleOf(int column) const;

  QVector<RunRow> runs_;
  QStringList settings_;
  RunSettingColumns values_;
};

// Shows the runs with a column that matches a regular expression; trashed runs only on request.
class RunsFilter : public QSortFilterProxyModel {
  Q_OBJECT
 public:
  explicit RunsFilter(QObject* parent = nullptr);
  // A regular expression for any column, and terms for one: "status:running", "best<3.5". False if
  // one of them is not valid; the previous filter stays.
  bool setPattern(const QString& pattern);
  void setShowTrash(bool on);

 protected:
  // A run without a score comes last in both orders.
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  struct Term {
    int column;
    QString relation;  // ":", "<", "<=", ">" or ">="
    QRegularExpression pattern = {};
    double bound = 0;
  };
  // Of a word; none: it is not one. `valid` becomes false if it is an unfinished one.
  std::optional<Term> termIn(const QString& word, bool& valid) const;
  bool fits(const Term& term, int row, const QModelIndex& parent) const;

  QRegularExpression pattern_;
  QVector<Term> terms_;
  bool trash_ = false;
};

}  // namespace strata::ui
