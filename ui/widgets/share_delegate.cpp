#include "ui/widgets/share_delegate.h"

#include <QPainter>

#include "ui/style/theme.h"

namespace strata::ui {

void ShareDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
  QStyledItemDelegate::paint(painter, option, index);
  const QVariant value = index.data(kShareRole);
  if (!value.isValid()) return;
  const QRectF place = QRectF(option.rect).adjusted(4, option.rect.height() - 5, -4, -2);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(Qt::NoPen);
  painter->setBrush(theme().border);
  painter->drawRoundedRect(place, 1.5, 1.5);
  painter->setBrush(theme().accent);
  QRectF done = place;
  done.setWidth(place.width() * value.toDouble());
  painter->drawRoundedRect(done, 1.5, 1.5);
  painter->restore();
}

}  // namespace strata::ui
