// The painting of HeatMapView.
#include <QPainter>
#include <cmath>

#include "ui/plots/heat_map.h"
#include "ui/style/colour_map.h"
#include "ui/style/theme.h"

namespace strata::ui {

void HeatMapView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paintTo(painter, size());
}

void HeatMapView::paintTo(QPainter& painter, const QSizeF& size) const {
  painter.setRenderHint(QPainter::TextAntialiasing);
  painter.fillRect(QRectF(QPointF(0, 0), size), theme().surface);
  if (maps_.isEmpty() || columns_.isEmpty()) return;
  painter.setFont(font());
  const Layout layout = layoutFor(size);
  for (int map = 0; map < maps_.size(); ++map) paintMap(painter, layout, map);
  paintBlocks(painter, layout);
  paintColumnLabels(painter, layout);
  paintLegend(painter, layout);
  paintMarks(painter, layout);
}

void HeatMapView::paintMapTitle(QPainter& painter, const Layout& layout, int index) const {
  const double top = topOf(layout, index);
  const QFontMetricsF metrics(font());
  if (!maps_[index].title.isEmpty()) {
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    painter.setFont(bold);
    painter.setPen(theme().text);
    painter.drawText(QPointF(layout.left, top - 5), maps_[index].title);
    painter.setFont(font());
  } else if (!rowTitle_.isEmpty()) {
    painter.setPen(theme().muted);
    painter.drawText(QRectF(0, top - metrics.height() - 3, layout.left - 8, metrics.height()),
                     Qt::AlignRight | Qt::AlignVCenter, rowTitle_);
  }
}

void HeatMapView::paintMap(QPainter& painter, const Layout& layout, int index) const {
  paintMapTitle(painter, layout, index);
  for (int row = 0; row < maps_[index].rows.size(); ++row) paintRow(painter, layout, index, row);
}

void HeatMapView::paintRow(QPainter& painter, const Layout& layout, int index, int row) const {
  const HeatMap& map = maps_[index];
  const QFontMetricsF metrics(font());
  const double y = topOf(layout, index) + row * layout.cellHeight;
  painter.setPen(row == linkedRow_ ? theme().accent : theme().muted);
  painter.drawText(QRectF(0, y, layout.left - 8, layout.cellHeight),
                   Qt::AlignRight | Qt::AlignVCenter | Qt::TextDontClip, map.rows[row]);
  for (int column = 0; column < columns_.size(); ++column) {
    const ColumnBlock block = blockOf(column);
    const double value = double(map.values[std::size_t(row * columns_.size() + column)]);
    const double shade = block.figures ? value : value / scale_;
    const double width = layout.widths[std::size_t(column)];
    // One pixel of background between cells: neighbours of the same colour remain countable.
    const QRectF cell(layout.left + layout.lefts[std::size_t(column)], y, width - 1,
                      layout.cellHeight - 1);
    if (!block.plain) painter.fillRect(cell, mapColour(shade));
    // Cells with enough room show their value.
    const bool room = width >= figureWidth() && layout.cellHeight >= metrics.height() - 3;
    if (!room || !std::isfinite(value)) continue;
    painter.setPen(block.plain ? theme().muted : textOn(shade));
    painter.drawText(cell, Qt::AlignCenter, QString::number(value, 'f', 2));
  }
}

void HeatMapView::paintBlocks(QPainter& painter, const Layout& layout) const {
  QFont bold = font();
  bold.setWeight(QFont::DemiBold);
  for (const ColumnBlock& block : blocks_) {
    if (block.first >= columns_.size()) continue;
    const double x = layout.left + layout.lefts[std::size_t(block.first)];
    painter.setFont(bold);
    painter.setPen(theme().text);
    painter.drawText(QPointF(x + (block.continuesLast ? 5 : 0), QFontMetricsF(bold).ascent() + 8),
                     block.title);
    painter.setFont(font());
    if (!block.continuesLast) continue;
    // The border within one distribution, in every map.
    painter.setPen(QPen(theme().text, 2));
    for (int map = 0; map < maps_.size(); ++map) {
      const double top = topOf(layout, map),
                   bottom = top + double(maps_[map].rows.size()) * layout.cellHeight;
      painter.drawLine(QPointF(x - 0.5, top - 3), QPointF(x - 0.5, bottom + 2));
    }
  }
}

void HeatMapView::paintColumnLabels(QPainter& painter, const Layout& layout) const {
  const int last = int(maps_.size()) - 1;
  const double bottom = topOf(layout, last) + double(maps_[last].rows.size()) * layout.cellHeight;
  const QFontMetricsF metrics(font());
  for (int column = 0; column < columns_.size(); ++column) {
    painter.setPen(linkedColumns_.contains(column) ? theme().accent : theme().text);
    const double cell = layout.widths[std::size_t(column)];
    const double x = layout.left + layout.lefts[std::size_t(column)] + cell / 2;
    if (!layout.slanted) {
      painter.drawText(QRectF(x - cell / 2, bottom + 3, cell, metrics.height()), Qt::AlignCenter,
                       columns_[column]);
      continue;
    }
    painter.save();
    painter.translate(x + metrics.ascent() / 3, bottom + 6);
    painter.rotate(-kSlant * 180 / M_PI);
    const double width = metrics.horizontalAdvance(columns_[column]);
    painter.drawText(QPointF(-width, metrics.ascent() * 0.6), columns_[column]);
    painter.restore();
  }
  if (columnTitle_.isEmpty()) return;
  painter.setPen(theme().muted);
  painter.drawText(QRectF(layout.left, bottom + layout.labelHeight - metrics.height(),
                          std::max(200.0, layout.legendLeft - layout.left), metrics.height()),
                   Qt::AlignLeft | Qt::AlignVCenter, columnTitle_);
}

void HeatMapView::paintLegend(QPainter& painter, const Layout& layout) const {
  const QFontMetricsF metrics(font());
  painter.setPen(theme().muted);
  painter.drawText(QRectF(layout.legendLeft, topOf(layout, 0) - 3, kLegendWidth, metrics.height()),
                   Qt::AlignLeft | Qt::AlignVCenter, tr("weight"));
  const double top = topOf(layout, 0) + metrics.height() * 1.5;
  const double height = std::clamp(double(maps_[0].rows.size()) * layout.cellHeight, 70.0, 170.0);
  const QRectF bar(layout.legendLeft, top, 12, height);
  for (int i = 0; i < int(height); ++i) {
    painter.fillRect(QRectF(bar.left(), bar.top() + i, bar.width(), 1.5),
                     mapColour(1 - i / (height - 1)));
  }
  for (const double tick : {0.0, 0.5, 1.0}) {
    const double y = bar.bottom() - tick * height;
    painter.drawText(QRectF(bar.right() + 6, y - metrics.height() / 2, 44, metrics.height()),
                     Qt::AlignLeft | Qt::AlignVCenter, QString::number(tick * scale_, 'g', 2));
  }
}

// Frames around the cell under the mouse and the linked row.
void HeatMapView::paintMarks(QPainter& painter, const Layout& layout) const {
  painter.setBrush(Qt::NoBrush);
  for (int map = 0; map < maps_.size(); ++map) {
    if (linkedRow_ < 0 || linkedRow_ >= maps_[map].rows.size()) continue;
    painter.setPen(QPen(theme().accent, 1));
    painter.drawRect(QRectF(layout.left - 1.5,
                            topOf(layout, map) + linkedRow_ * layout.cellHeight - 1,
                            layout.legendLeft - 18 - layout.left + 1.5, layout.cellHeight));
  }
  if (hovered_.map < 0) return;
  painter.setPen(QPen(theme().accent, 2));
  painter.drawRect(cellRect(hovered_.map, hovered_.row, hovered_.column));
}

}  // namespace strata::ui
