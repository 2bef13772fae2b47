#include "ui/plots/heat_map_layout.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "ui/data/text.h"
#include "ui/plots/text_widths.h"

namespace strata::ui {
namespace {
constexpr double kMapPadding = 10, kBlockGap = 14, kLegendGap = 18;
}  // namespace

bool HeatMapContent::has(const HeatMapCell& cell) const {
  return cell.map >= 0 && cell.map < maps.size() && cell.row >= 0 &&
         cell.row < maps[cell.map].rows.size() && cell.column >= 0 && cell.column < columns.size();
}

float HeatMapContent::value(const HeatMapCell& cell) const {
  return maps[cell.map].values[std::size_t(cell.row * columns.size() + cell.column)];
}

QString HeatMapContent::text(const HeatMapCell& cell) const {
  return maps[cell.map].texts.value(cell.row * columns.size() + cell.column);
}

double HeatMapContent::shade(double value) const {
  return ranks ? 1 - std::log(value) / std::log(std::max(scale, 2.0)) : value / scale;
}

double HeatMapContent::valueOf(double shade) const {
  return ranks ? std::round(std::pow(std::max(scale, 2.0), 1 - shade)) : shade * scale;
}

QString HeatMapContent::number(double value) const {
  if (!std::isfinite(value)) return numberText(value);
  return QString::number(value, 'f', ranks ? 0 : 3);
}

const ColumnBlock& HeatMapContent::blockOf(int column) const {
  static const ColumnBlock kAll;
  const ColumnBlock* found = &kAll;
  for (const ColumnBlock& block : blocks) {
    if (block.first <= column) found = &block;
  }
  return *found;
}

bool HeatMapContent::hasMapTitles() const {
  return std::ranges::any_of(maps, [](const HeatMap& map) { return !map.title.isEmpty(); });
}

bool HeatMapContent::hasDifferences() const {
  return std::ranges::any_of(blocks, &ColumnBlock::difference);
}

int HeatMapContent::totalRows() const {
  int rows = 0;
  for (const HeatMap& map : maps) rows += int(map.rows.size());
  return rows;
}

HeatMapLayout::HeatMapLayout(const HeatMapContent& content, const QFont& font, const QSizeF& size)
    : content_(content), font_(font), size_(size) {
  fitWidth();
  fitHeight();
}

void HeatMapLayout::fitWidth() {
  left_ = kMapPadding + content_.labels(font_).widestRow + 8;
  int sharing = 0;
  for (int column = 0; column < content_.columns.size(); ++column)
    sharing += !content_.blockOf(column).figures;
  // Slanted labels lean to the left, so the right side only needs room for the legend.
  const double room = size_.width() - left_ - kLegendWidth - kMapPadding - fixedWidth();
  cellWidth_ = std::clamp(room / std::max(1, sharing), content_.smallestCell.width(),
                          content_.largestCell.width());
  placeColumns();
  const double taken = left_ + width_ + kLegendGap + kLegendWidth - 8;
  if (taken > size_.width() && sharing > 0) {  // titles wider than their blocks
    cellWidth_ =
        std::max(content_.smallestCell.width(), cellWidth_ - (taken - size_.width()) / sharing);
    placeColumns();
  }
  measureLabels();
  if (slanted_ && !content_.columns.isEmpty()) {  // the first label leans over to the left
    const double lean = content_.labels(font_).columns.front() * std::cos(kSlant);
    left_ = std::max(left_, kMapPadding + lean - cellWidth_ / 2);
  }
}

void HeatMapLayout::fitHeight() {
  const double line = QFontMetricsF(font_).height();
  const bool blockTitles = std::ranges::any_of(
      content_.blocks, [](const ColumnBlock& block) { return !block.title.isEmpty(); });
  titleHeight_ = content_.hasMapTitles() ? line + 3 : 0;
  gap_ = content_.maps.size() > 1 ? 8 : 0;
  top_ = kMapPadding + (blockTitles ? line + 6 : 0) +
         (content_.rowTitle.isEmpty() || content_.hasMapTitles() ? 0 : line + 3);
  const double maps = double(content_.maps.size());
  const double room =
      size_.height() - top_ - labelHeight_ - kMapPadding - maps * titleHeight_ - (maps - 1) * gap_;
  cellHeight_ = std::clamp(room / std::max(1, content_.totalRows()), content_.smallestCell.height(),
                           content_.largestCell.height());
}

QSize HeatMapLayout::sizeFor(const HeatMapContent& content, const QFont& font, const QSizeF& cell) {
  if (content.maps.isEmpty()) return {240, 120};
  HeatMapLayout layout(content, font, QSizeF(1e4, 1e4));
  layout.cellWidth_ = cell.width();
  layout.placeColumns();
  layout.measureLabels();
  const double maps = double(content.maps.size());
  const double rows = layout.top_ + layout.labelHeight_ + kMapPadding + maps * layout.titleHeight_ +
                      (maps - 1) * layout.gap_ + content.totalRows() * cell.height();
  // The scales' titles are above them, half of their lowest number below them.
  const double line = QFontMetricsF(font).height(), differences = content.hasDifferences() ? 1 : 0;
  const double scales =
      layout.mapRect(0).top() + 2 * line + kLeastScale + differences * (2.5 * line + kLeastScale);
  return QSizeF(layout.left_ + layout.width_ + kLegendWidth + kMapPadding, std::max(rows, scales))
      .toSize();
}

const HeatMapLabels& HeatMapContent::labels(const QFont& font) const {
  if (labels_ && labels_->font == font) return *labels_;
  HeatMapLabels& labels = labels_.emplace();
  labels.font = font;
  labels.columns = widthsOf(columns, font);
  if (!rowTitle.isEmpty()) labels.widestRow = widestOf({rowTitle}, font);
  for (const HeatMap& map : maps)
    labels.widestRow = std::max(labels.widestRow, widestOf(map.rows, font));
  return labels;
}

double HeatMapLayout::figureWidth() const {
  return QFontMetricsF(font_).horizontalAdvance(QStringLiteral("0.00")) + 5;
}

// Of gaps and of columns of figures, which do not share the remaining room.
double HeatMapLayout::fixedWidth() const {
  double width = 0;
  for (const ColumnBlock& block : content_.blocks) {
    if (block.first > 0 && !block.continuesLast) width += kBlockGap;
  }
  for (int column = 0; column < content_.columns.size(); ++column) {
    if (content_.blockOf(column).figures) width += figureWidth();
  }
  return width;
}

void HeatMapLayout::placeColumns() {
  lefts_.clear();
  widths_.clear();
  QFont bold = font_;
  bold.setWeight(QFont::DemiBold);
  double x = 0, titleEnd = 0;
  for (int column = 0; column < content_.columns.size(); ++column) {
    for (const ColumnBlock& block : content_.blocks) {
      if (block.first != column) continue;
      // A block narrower than its title pushes the next one to the right.
      if (column > 0) x = std::max(block.continuesLast ? x : x + kBlockGap, titleEnd);
      titleEnd = x + QFontMetricsF(bold).horizontalAdvance(block.title) + 10;
    }
    lefts_.push_back(x);
    widths_.push_back(content_.blockOf(column).figures ? std::max(figureWidth(), cellWidth_)
                                                       : cellWidth_);
    x += widths_.back();
  }
  width_ = std::max(x, titleEnd - 10);
}

void HeatMapLayout::measureLabels() {
  const QFontMetricsF metrics(font_);
  double longest = 0;
  slanted_ = false;
  const HeatMapLabels& labels = content_.labels(font_);
  for (int column = 0; column < content_.columns.size(); ++column) {
    const double width = labels.columns[std::size_t(column)];
    longest = std::max(longest, width);
    slanted_ = slanted_ || width > columnWidth(column) - 4;
  }
  const double line = metrics.height();
  const double title = content_.columnTitle.isEmpty() ? 0 : line + 2;
  labelHeight_ = title + (slanted_ ? longest * std::sin(kSlant) + line : line + 4);
}

QRectF HeatMapLayout::mapRect(int map) const {
  double top = top_ + titleHeight_;
  for (int i = 0; i < map; ++i)
    top += double(content_.maps[i].rows.size()) * cellHeight_ + gap_ + titleHeight_;
  return {left_, top, width_, double(content_.maps[map].rows.size()) * cellHeight_};
}

QRectF HeatMapLayout::cellRect(const HeatMapCell& cell) const {
  if (!content_.has(cell)) return {};
  return {columnLeft(cell.column), mapRect(cell.map).top() + cell.row * cellHeight_,
          columnWidth(cell.column), cellHeight_};
}

HeatMapCell HeatMapLayout::cellAt(const QPointF& position) const {
  for (int column = 0; column < content_.columns.size(); ++column) {
    const double x = position.x() - columnLeft(column);
    if (x < 0 || x >= columnWidth(column)) continue;
    for (int map = 0; map < content_.maps.size(); ++map) {
      const int row = int(std::floor((position.y() - mapRect(map).top()) / cellHeight_));
      if (row >= 0 && row < content_.maps[map].rows.size()) return {map, row, column};
    }
  }
  return {};
}

bool HeatMapLayout::showsValues(int column) const {
  return columnWidth(column) >= figureWidth() && cellHeight_ >= QFontMetricsF(font_).height() - 3;
}

double HeatMapLayout::legendLeft() const {
  return left_ + width_ + kLegendGap;
}

}  // namespace strata::ui
