#pragma once
#include <QListView>
#include <QVector>
#include <utility>

class QPainter;
class QStandardItemModel;

namespace strata::ui {

// An n-gram with its two counts.
struct NGramRow {
  QString text;
  int order = 1;
  qint64 here = 0, other = 0;
  QString details;  // as text, for the tooltip
};

// A list of n-grams, each with its two counts as bars. A click, Enter or the space bar activates
// one.
class NGramList : public QListView {
  Q_OBJECT
 public:
  explicit NGramList(QWidget* parent = nullptr);

  void setRows(QVector<NGramRow> rows);
  const QVector<NGramRow>& rows() const { return rows_; }
  // Labels of the two counts: "here", "baseline".
  void setSides(const QString& here, const QString& other) { sides_ = {here, other}; }
  const std::pair<QString, QString>& sides() const { return sides_; }
  // Paints all rows as they look here, from `area`'s top down, whether visible or not.
  void paintRows(QPainter& painter, const QRectF& area) const;
  double rowsHeight() const;

 signals:
  void ngramActivated(const QString& text);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void activateRow(const QModelIndex& index);
  qint64 most() const;  // the largest count

  QVector<NGramRow> rows_;
  std::pair<QString, QString> sides_;
  QStandardItemModel* model_;
};

}  // namespace strata::ui
