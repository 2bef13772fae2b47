#include "ui/plots/map_grid.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/style/colour_map.h"
#include "ui/style/theme.h"

namespace strata::ui {
namespace {

constexpr double kGridMargin = 10, kBetween = 8, kLegend = 70, kLeastTile = 46, kMostTile = 240;
constexpr int kMostPixels = 256;  // of a tile's image, each way
constexpr int kMostCells =
    20000;  // of all tiles, drawn as cells that stay sharp in vector pictures

// One pixel per cell; of a larger map the cell with the largest magnitude among those that share a
// pixel, so that peaks stay visible.
QImage imageOf(const WeightMap& map, double scale) {
  const int rows = int(map.rows.size()), columns = int(map.columns.size());
  const int height = std::min(rows, kMostPixels), width = std::min(columns, kMostPixels);
  QImage image(width, height, QImage::Format_ARGB32);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      float most = NAN;
      for (int row = y * rows / height; row < (y + 1) * rows / height; ++row) {
        for (int column = x * columns / width; column < (x + 1) * columns / width; ++column) {
          const float value = map.at(row, column);
          if (!(std::abs(most) >= std::abs(value))) most = value;
        }
      }
      image.setPixelColor(x, y, weightColour(map, double(most), scale));
    }
  }
  return image;
}

void paintCells(QPainter& painter, const QRectF& rect, const QImage& image) {
  const double width = rect.width() / image.width(), height = rect.height() / image.height();
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x)
      painter.fillRect(
          QRectF(rect.left() + x * width, rect.top() + y * height, width + 0.3, height + 0.3),
          image.pixelColor(x, y));
  }
}

}  // namespace

QVector<QImage> MapGridView::imagesOf(const Content& content) {
  QVector<QImage> images;
  for (const WeightMap& tile : content.tiles)
    images << (tile.isEmpty() ? QImage() : imageOf(tile, content.scale));
  return images;
}

void MapGridView::setContent(Content content, QVector<QImage> images) {
  content_ = std::move(content);
  images_ = std::move(images);
  hovered_ = -1;
  updateGeometry();
  update();
}

double MapGridView::rowTitleWidth() const {
  const QFontMetricsF metrics(font());
  double width = 0;
  for (const QString& row : content_.rows) width = std::max(width, metrics.horizontalAdvance(row));
  return width;
}

MapGridView::Layout MapGridView::layoutFor(const QSizeF& size) const {
  Layout layout;
  layout.left = kGridMargin + rowTitleWidth() + 8;
  layout.top = kGridMargin + QFontMetricsF(font()).height() + 4;
  const double columns = std::max<double>(1, double(content_.columns.size())),
               rows = std::max<double>(1, double(content_.rows.size()));
  const double width = (size.width() - layout.left - kLegend - kGridMargin) / columns - kBetween,
               height = (size.height() - layout.top - kGridMargin) / rows - kBetween;
  layout.width = std::clamp(width, kLeastTile, kMostTile);
  layout.height = std::clamp(height, kLeastTile, kMostTile);
  return layout;
}

QRectF MapGridView::rectIn(const Layout& layout, int tile) const {
  const int columns = int(content_.columns.size());
  return {layout.left + tile % columns * (layout.width + kBetween),
          layout.top + double(tile / columns) * (layout.height + kBetween), layout.width,
          layout.height};
}

QRectF MapGridView::tileRect(int tile) const {
  return has(tile) ? rectIn(layoutFor(size()), tile) : QRectF();
}

QSize MapGridView::minimumSizeHint() const {
  const Layout layout = layoutFor(QSizeF(0, 0));
  const double columns = std::max<double>(3, double(content_.columns.size())),
               rows = std::max<double>(3, double(content_.rows.size()));
  return QSizeF(layout.left + columns * (kLeastTile + kBetween) + kLegend + kGridMargin,
                layout.top + rows * (kLeastTile + kBetween) + kGridMargin)
      .toSize();
}

void MapGridView::paintTo(QPainter& painter, const QSizeF& size) const {
  painter.fillRect(QRectF(QPointF(0, 0), size), theme().surface);
  if (content_.tiles.isEmpty()) return;
  painter.setFont(font());
  const Layout layout = layoutFor(size);
  qsizetype cells = 0;
  for (const QImage& image : images_) cells += qsizetype(image.width()) * image.height();
  for (int tile = 0; tile < images_.size(); ++tile) {
    if (!has(tile)) continue;
    const QRectF rect = rectIn(layout, tile);
    cells <= kMostCells ? paintCells(painter, rect, images_[tile])
                        : painter.drawImage(rect, images_[tile]);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(
        QPen(tile == hovered_ ? theme().accent : theme().border, tile == hovered_ ? 2.5 : 1));
    painter.drawRect(rect);
  }
  paintTitles(painter, layout);
  const double right = layout.left + double(content_.columns.size()) * (layout.width + kBetween);
  paintLegend(painter, layout, right + 8);
}

void MapGridView::paintTitles(QPainter& painter, const Layout& layout) const {
  const QFontMetricsF metrics(font());
  painter.setPen(theme().text);
  for (int column = 0; column < content_.columns.size(); ++column) {
    const QRectF rect = rectIn(layout, column);
    painter.drawText(
        QRectF(rect.left(), kGridMargin, rect.width() + kBetween - 2, metrics.height()),
        Qt::AlignLeft | Qt::AlignVCenter,
        metrics.elidedText(content_.columns[column], Qt::ElideRight, rect.width()));
  }
  for (int row = 0; row < content_.rows.size(); ++row) {
    const QRectF rect = rectIn(layout, row * int(content_.columns.size()));
    painter.drawText(QRectF(kGridMargin, rect.top(), layout.left - kGridMargin - 8, rect.height()),
                     Qt::AlignRight | Qt::AlignVCenter, content_.rows[row]);
  }
}

void MapGridView::paintLegend(QPainter& painter, const Layout& layout, double left) const {
  const auto shown =
      std::ranges::find_if(content_.tiles, [](const WeightMap& tile) { return !tile.isEmpty(); });
  if (shown == content_.tiles.end()) return;
  const double line = QFontMetricsF(font()).height(), height = 110;
  const double lowest = shown->difference ? -1 : 0;
  const QRectF bar(left, layout.top + line * 1.4, 12, height);
  painter.setPen(theme().muted);
  painter.drawText(QRectF(left, layout.top - 2, kLegend, line), Qt::AlignLeft,
                   shown->difference ? tr("difference") : tr("weight"));
  for (int i = 0; i < int(height); ++i) {
    const double value = 1 - (1 - lowest) * i / (height - 1);
    painter.fillRect(QRectF(bar.left(), bar.top() + i, bar.width(), 1.5),
                     weightColour(*shown, value, 1));
  }
  for (const double tick : {0.0, 0.5, 1.0}) {
    painter.drawText(QRectF(bar.right() + 6, bar.bottom() - tick * height - line / 2, 44, line),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     QString::number((lowest + (1 - lowest) * tick) * content_.scale, 'g', 2));
  }
}

int MapGridView::tileAt(const QPointF& position) const {
  const Layout layout = layoutFor(size());
  for (int tile = 0; tile < content_.tiles.size(); ++tile) {
    if (has(tile) && rectIn(layout, tile).contains(position)) return tile;
  }
  return -1;
}

void MapGridView::hover(int tile) {
  if (tile == hovered_) return;
  hovered_ = tile;
  setCursor(tile < 0 ? Qt::ArrowCursor : Qt::PointingHandCursor);
  update();
  emit hovered(tile);
}

void MapGridView::mouseMoveEvent(QMouseEvent* event) {
  hover(tileAt(event->position()));
}

void MapGridView::mouseReleaseEvent(QMouseEvent* event) {
  const int tile = tileAt(event->position());
  if (event->button() == Qt::LeftButton && tile >= 0) emit opened(tile);
}

void MapGridView::leaveEvent(QEvent*) {
  hover(-1);
}

void MapGridView::keyPressEvent(QKeyEvent* event) {
  const int columns = int(content_.columns.size());
  const int step = event->key() == Qt::Key_Left    ? -1
                   : event->key() == Qt::Key_Right ? 1
                   : event->key() == Qt::Key_Up    ? -columns
                   : event->key() == Qt::Key_Down  ? columns
                                                   : 0;
  const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (enter && has(hovered_)) {
    emit opened(hovered_);
  } else if (step != 0 && hovered_ < 0) {
    if (has(0)) hover(0);
  } else if (step != 0) {
    if (has(hovered_ + step)) hover(hovered_ + step);
  } else {
    PaintedChart::keyPressEvent(event);
  }
}

}  // namespace strata::ui
