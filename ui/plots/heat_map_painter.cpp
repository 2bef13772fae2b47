#include "ui/plots/heat_map_painter.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/plots/heat_map.h"
#include "ui/style/colour_map.h"
#include "ui/style/theme.h"

namespace strata::ui {
namespace {

QColor shadeOf(const ColumnBlock& block, double shade) {
  return block.difference ? differenceColour(shade) : mapColour(shade);
}

// Whether a column is in the part that is painted; null: all is.
bool showsColumn(double left, double width, const QRectF& visible) {
  return visible.isNull() || (left <= visible.right() && left + width >= visible.left());
}

class HeatMapPainter {
 public:
  HeatMapPainter(QPainter& painter, const HeatMapLayout& layout, const HeatMapMarks& marks)
      : painter_(painter),
        layout_(layout),
        content_(layout.content()),
        marks_(marks),
        metrics_(layout.font()),
        bold_(layout.font()) {
    bold_.setWeight(QFont::DemiBold);
  }

  void paint() {
    painter_.setFont(layout_.font());
    for (int map = 0; map < content_.maps.size(); ++map) {
      paintTitle(map);
      for (int row = 0; row < content_.maps[map].rows.size(); ++row) paintRow(map, row);
    }
    for (const ColumnBlock& block : content_.blocks) paintBlock(block);
    paintColumnLabels();
    paintLegend();
    paintMarks();
  }

 private:
  void paintTitle(int map);
  void paintRow(int map, int row);
  void paintBlock(const ColumnBlock& block);
  void paintColumnLabels();
  void paintLegend();
  void paintScale(const QRectF& bar, const ColumnBlock& block);
  void paintMarks();

  QPainter& painter_;
  const HeatMapLayout& layout_;
  const HeatMapContent& content_;
  const HeatMapMarks& marks_;
  QFontMetricsF metrics_;
  QFont bold_;
};

void HeatMapPainter::paintTitle(int map) {
  const QRectF rect = layout_.mapRect(map);
  if (!content_.maps[map].title.isEmpty()) {
    painter_.setFont(bold_);
    painter_.setPen(theme().text);
    painter_.drawText(QPointF(rect.left(), rect.top() - 5), content_.maps[map].title);
    painter_.setFont(layout_.font());
  } else if (!content_.rowTitle.isEmpty()) {
    painter_.setPen(theme().muted);
    painter_.drawText(
        QRectF(0, rect.top() - metrics_.height() - 3, rect.left() - 8, metrics_.height()),
        Qt::AlignRight | Qt::AlignVCenter, content_.rowTitle);
  }
}

void HeatMapPainter::paintRow(int map, int row) {
  const QRectF rect = layout_.mapRect(map);
  const double height = layout_.cellHeight(), y = rect.top() + row * height;
  const QRectF visible = painter_.hasClipping() ? painter_.clipBoundingRect() : QRectF();
  if (!visible.isNull() && (y > visible.bottom() || y + height < visible.top())) return;
  painter_.setPen(row == marks_.linkedRow ? theme().accent : theme().muted);
  painter_.drawText(QRectF(0, y, rect.left() - 8, height),
                    Qt::AlignRight | Qt::AlignVCenter | Qt::TextDontClip,
                    content_.maps[map].rows[row]);
  for (int column = 0; column < content_.columns.size(); ++column) {
    if (!showsColumn(layout_.columnLeft(column), layout_.columnWidth(column), visible)) continue;
    const ColumnBlock block = content_.blockOf(column);
    const double value = double(content_.value({map, row, column}));
    const QColor colour = shadeOf(block, block.figures ? value : content_.shade(value));
    // One pixel of background between cells: neighbours of the same colour remain countable.
    const QRectF cell(layout_.columnLeft(column), y, layout_.columnWidth(column) - 1, height - 1);
    if (!block.plain) painter_.fillRect(cell, colour);
    if (!layout_.showsValues(column) || !std::isfinite(value)) continue;
    painter_.setPen(block.plain ? theme().muted : textOn(colour));
    const QString text = content_.text({map, row, column});
    painter_.drawText(cell, Qt::AlignCenter,
                      text.isEmpty() ? QString::number(value, 'f', content_.ranks ? 0 : 2)
                                     : metrics_.elidedText(text, Qt::ElideRight, cell.width() - 4));
  }
}

void HeatMapPainter::paintBlock(const ColumnBlock& block) {
  if (block.first >= content_.columns.size()) return;
  const double x = layout_.columnLeft(block.first);
  painter_.setFont(bold_);
  painter_.setPen(theme().text);
  painter_.drawText(QPointF(x + (block.continuesLast ? 5 : 0), QFontMetricsF(bold_).ascent() + 8),
                    block.title);
  painter_.setFont(layout_.font());
  if (!block.continuesLast) return;
  // The border within one distribution, in every map.
  painter_.setPen(QPen(theme().text, 2));
  for (int map = 0; map < content_.maps.size(); ++map) {
    const QRectF rect = layout_.mapRect(map);
    painter_.drawLine(QPointF(x - 0.5, rect.top() - 3), QPointF(x - 0.5, rect.bottom() + 2));
  }
}

void HeatMapPainter::paintColumnLabels() {
  const QRectF last = layout_.mapRect(int(content_.maps.size()) - 1);
  const double line = metrics_.height();
  const QRectF visible = painter_.hasClipping() ? painter_.clipBoundingRect() : QRectF();
  const double lean = layout_.labelHeight();  // of slanted labels, at most
  for (int column = 0; column < content_.columns.size(); ++column) {
    if (!showsColumn(layout_.columnLeft(column) - lean, layout_.columnWidth(column) + 2 * lean,
                     visible))
      continue;
    const QString& label = content_.columns[column];
    painter_.setPen(marks_.linkedColumns.contains(column) ? theme().accent : theme().text);
    const double left = layout_.columnLeft(column), width = layout_.columnWidth(column);
    if (!layout_.slantsLabels()) {
      painter_.drawText(QRectF(left, last.bottom() + 3, width, line), Qt::AlignCenter, label);
      continue;
    }
    painter_.save();
    painter_.translate(left + width / 2 + metrics_.ascent() / 3, last.bottom() + 6);
    painter_.rotate(-HeatMapLayout::kSlant * 180 / M_PI);
    painter_.drawText(QPointF(-metrics_.horizontalAdvance(label), metrics_.ascent() * 0.6), label);
    painter_.restore();
  }
  if (content_.columnTitle.isEmpty()) return;
  painter_.setPen(theme().muted);
  painter_.drawText(QRectF(last.left(), last.bottom() + layout_.labelHeight() - line,
                           std::max(200.0, layout_.legendLeft() - last.left()), line),
                    Qt::AlignLeft | Qt::AlignVCenter, content_.columnTitle);
}

void HeatMapPainter::paintLegend() {
  const QRectF first = layout_.mapRect(0);
  const double line = metrics_.height();
  const double height = std::clamp(first.height(), HeatMapLayout::kLeastScale,
                                   content_.hasDifferences() ? 100.0 : 170.0);
  QRectF bar(layout_.legendLeft(), first.top() + line * 1.5, 12, height);
  paintScale(bar, {});
  bar.translate(0, height + line * 2.5);
  if (content_.hasDifferences()) paintScale(bar, {.difference = true});
}

// The colours from 0, or of differences from -1, to 1, times the scale, and what they are of.
void HeatMapPainter::paintScale(const QRectF& bar, const ColumnBlock& block) {
  const double line = metrics_.height(), height = bar.height();
  const double lowest = block.difference ? -1 : 0;
  painter_.setPen(theme().muted);
  painter_.drawText(
      QRectF(bar.left(), bar.top() - line * 1.5 - 3, HeatMapLayout::kLegendWidth, line),
      Qt::AlignLeft | Qt::AlignVCenter,
      block.difference ? HeatMapView::tr("difference") : content_.scaleTitle);
  for (int i = 0; i < int(height); ++i) {
    painter_.fillRect(QRectF(bar.left(), bar.top() + i, bar.width(), 1.5),
                      shadeOf(block, 1 - (1 - lowest) * i / (height - 1)));
  }
  for (const double tick : {0.0, 0.5, 1.0}) {
    const double y = bar.bottom() - tick * height;
    painter_.drawText(
        QRectF(bar.right() + 6, y - line / 2, 44, line), Qt::AlignLeft | Qt::AlignVCenter,
        content_.ranks && !block.difference
            ? content_.number(content_.valueOf(tick))
            : QString::number((lowest + (1 - lowest) * tick) * content_.scale, 'g', 2));
  }
}

// A frame around the linked row.
void HeatMapPainter::paintMarks() {
  painter_.setBrush(Qt::NoBrush);
  painter_.setPen(QPen(theme().accent, 1));
  for (int map = 0; map < content_.maps.size(); ++map) {
    if (marks_.linkedRow < 0 || marks_.linkedRow >= content_.maps[map].rows.size()) continue;
    const QRectF rect = layout_.mapRect(map);
    painter_.drawRect(QRectF(rect.left() - 1.5,
                             rect.top() + marks_.linkedRow * layout_.cellHeight() - 1,
                             rect.width() + 1.5, layout_.cellHeight()));
  }
}

}  // namespace

void paintHeatMaps(QPainter& painter, const HeatMapLayout& layout, const HeatMapMarks& marks) {
  painter.setRenderHint(QPainter::TextAntialiasing);
  painter.fillRect(QRectF(QPointF(0, 0), layout.size()), theme().surface);
  const HeatMapContent& content = layout.content();
  if (content.maps.isEmpty() || content.columns.isEmpty()) return;
  HeatMapPainter(painter, layout, marks).paint();
}

}  // namespace strata::ui
