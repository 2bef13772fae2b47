#pragma once
#include <QStyledItemDelegate>

namespace strata::ui {

// Draws the text of a cell over a bar as long as its share of the whole.
class ShareDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  static constexpr int kShareRole = Qt::UserRole + 100;  // 0 .. 1; invalid: no bar

  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
};

}  // namespace strata::ui
