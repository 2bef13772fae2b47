#include "ui/widgets/elided_label.h"

#include <QHelpEvent>
#include <QPainter>
#include <QStyle>
#include <algorithm>

#include "ui/style/plain_text.h"

namespace strata::ui {
namespace {
constexpr int kLeastWidth = 40;  // pixels: a few letters
}

QString ElidedLabel::shown() const {
  return fontMetrics().elidedText(text(), Qt::ElideRight, contentsRect().width());
}

bool ElidedLabel::isElided() const {
  return !wordWrap() && shown() != text();
}

QSize ElidedLabel::minimumSizeHint() const {
  const QSize whole = QLabel::minimumSizeHint();
  return wordWrap() ? whole : QSize(std::min(kLeastWidth, whole.width()), whole.height());
}

void ElidedLabel::paintEvent(QPaintEvent* event) {
  if (!isElided()) return QLabel::paintEvent(event);
  QPainter painter(this);
  style()->drawItemText(&painter, contentsRect(), int(alignment()), palette(), isEnabled(), shown(),
                        foregroundRole());
}

bool ElidedLabel::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip || !isElided()) return QLabel::event(event);
  showTip(static_cast<QHelpEvent*>(event)->globalPos(), text(), this);
  return true;
}

}  // namespace strata::ui
