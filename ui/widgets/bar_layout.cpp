#include "ui/widgets/bar_layout.h"

#include <QVector>
#include <algorithm>

namespace strata::ui {

QSize BarLayout::minimumSize() const {
  int widest = 0;
  for (int i = 0; i < count(); ++i) {
    if (!itemAt(i)->isEmpty() && !itemAt(i)->spacerItem())
      widest = std::max(widest, itemAt(i)->minimumSize().width());
  }
  const QMargins margins = contentsMargins();
  return {widest + margins.left() + margins.right(), QHBoxLayout::minimumSize().height()};
}

QVector<QVector<BarLayout::Place>> BarLayout::linesFor(int width) const {
  QVector<QVector<Place>> lines;
  int taken = 0;
  for (int i = 0; i < count(); ++i) {
    QLayoutItem* item = itemAt(i);
    if (item->isEmpty() || item->spacerItem()) continue;
    const int least = item->minimumSize().width();
    const bool grows = stretch(i) > 0 || item->expandingDirections().testFlag(Qt::Horizontal);
    if (lines.isEmpty() || taken + gap() + least > width) {
      lines << QVector<Place>();
      taken = -gap();
    }
    taken += gap() + least;
    const int wanted = std::min({item->sizeHint().width(), item->maximumSize().width(), width});
    lines.last() << Place{item, least, std::max(least, wanted), grows};
  }
  for (QVector<Place>& line : lines) {
    int room = width - gap() * (int(line.size()) - 1);
    for (const Place& place : line) room -= place.width;
    for (Place& place : line) {
      const int more = std::clamp(room, 0, place.wanted - place.width);
      place.width += more;
      room -= more;
    }
    const auto growing = int(std::ranges::count_if(line, &Place::grows));
    for (Place& place : line) {
      if (place.grows && room > 0)
        place.width = std::min(place.width + room / growing, place.item->maximumSize().width());
    }
  }
  return lines;
}

int BarLayout::heightForWidth(int width) const {
  const QSize whole = QHBoxLayout::sizeHint();
  if (fits(width))
    return QHBoxLayout::hasHeightForWidth() ? QHBoxLayout::heightForWidth(width) : whole.height();
  const QMargins margins = contentsMargins();
  const auto lines = int(linesFor(width - margins.left() - margins.right()).size());
  const int line = whole.height() - margins.top() - margins.bottom();
  return margins.top() + margins.bottom() + lines * line + std::max(0, lines - 1) * gap();
}

void BarLayout::setGeometry(const QRect& rect) {
  if (fits(rect.width())) return QHBoxLayout::setGeometry(rect);
  QLayout::setGeometry(rect);
  const QRect area = rect.marginsRemoved(contentsMargins());
  const auto lines = linesFor(area.width());
  const int room = area.height() - gap() * (int(lines.size()) - 1);
  const int height = std::max(1, room / std::max(1, int(lines.size())));
  int y = area.top();
  for (const QVector<Place>& line : lines) {
    int x = area.left();
    for (const Place& place : line) {
      const int own = place.item->expandingDirections().testFlag(Qt::Vertical)
                          ? height
                          : std::min(height, std::max(place.item->minimumSize().height(),
                                                      place.item->sizeHint().height()));
      place.item->setGeometry({x, y + (height - own) / 2, place.width, own});
      x += place.width + gap();
    }
    y += height + gap();
  }
}

}  // namespace strata::ui
