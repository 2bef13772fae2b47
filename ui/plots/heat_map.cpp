#include "ui/plots/heat_map.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QTextStream>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "ui/data/text.h"
#include "ui/plots/picture_export.h"

namespace strata::ui {
namespace {
constexpr double kMapPadding = 10, kSmallestWidth = 18, kSmallestHeight = 15, kBlockGap = 14;
}  // namespace

HeatMapView::HeatMapView(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void HeatMapView::setMaps(QStringList columns, QVector<HeatMap> maps) {
  columns_ = std::move(columns);
  maps_ = std::move(maps);
  hovered_ = {};
  linkedRow_ = -1;
  linkedColumns_.clear();
  updateGeometry();
  update();
}

void HeatMapView::setAxisTitles(const QString& rows, const QString& columns) {
  rowTitle_ = rows;
  columnTitle_ = columns;
  update();
}

void HeatMapView::setBlocks(QVector<ColumnBlock> blocks) {
  blocks_ = std::move(blocks);
  updateGeometry();
  update();
}

void HeatMapView::setScale(double maximum) {
  scale_ = maximum > 0 ? maximum : 1;
  update();
}

void HeatMapView::setLinked(int row, const QVector<int>& columns) {
  if (row == linkedRow_ && columns == linkedColumns_) return;
  linkedRow_ = row;
  linkedColumns_ = columns;
  update();
}

void HeatMapView::setLargestCell(int width, int height) {
  largestWidth_ = width;
  largestHeight_ = height;
  updateGeometry();
  update();
}

int HeatMapView::totalRows() const {
  int rows = 0;
  for (const HeatMap& map : maps_) rows += int(map.rows.size());
  return rows;
}

bool HeatMapView::hasMapTitles() const {
  return std::any_of(maps_.begin(), maps_.end(),
                     [](const HeatMap& map) { return !map.title.isEmpty(); });
}

bool HeatMapView::hasBlockTitles() const {
  return std::any_of(blocks_.begin(), blocks_.end(),
                     [](const ColumnBlock& block) { return !block.title.isEmpty(); });
}

double HeatMapView::rowLabelWidth() const {
  const QFontMetricsF metrics(font());
  double width = rowTitle_.isEmpty() ? 0 : metrics.horizontalAdvance(rowTitle_);
  for (const HeatMap& map : maps_) {
    for (const QString& row : map.rows) width = std::max(width, metrics.horizontalAdvance(row));
  }
  return width;
}

double HeatMapView::figureWidth() const {
  return QFontMetricsF(font()).horizontalAdvance(QStringLiteral("0.00")) + 5;
}

ColumnBlock HeatMapView::blockOf(int column) const {
  ColumnBlock found;
  for (const ColumnBlock& block : blocks_) {
    if (block.first <= column) found = block;
  }
  return found;
}

// Fixed widths: gaps and columns of numbers, which do not share the remaining room.
double HeatMapView::fixedWidth() const {
  double width = 0;
  for (const ColumnBlock& block : blocks_) {
    if (block.first > 0 && !block.continuesLast) width += kBlockGap;
  }
  for (int column = 0; column < columns_.size(); ++column) {
    if (isWide(column)) width += figureWidth();
  }
  return width;
}

double HeatMapView::placeColumns(Layout& layout) const {
  layout.lefts.clear();
  layout.widths.clear();
  QFont bold = font();
  bold.setWeight(QFont::DemiBold);
  double x = 0, titleEnd = 0;
  for (int column = 0; column < columns_.size(); ++column) {
    for (const ColumnBlock& block : blocks_) {
      if (block.first != column) continue;
      // A block narrower than its title pushes the next one to the right.
      if (column > 0) x = std::max(block.continuesLast ? x : x + kBlockGap, titleEnd);
      titleEnd = x + QFontMetricsF(bold).horizontalAdvance(block.title) + 10;
    }
    layout.lefts.push_back(x);
    layout.widths.push_back(isWide(column) ? std::max(figureWidth(), layout.cellWidth)
                                           : layout.cellWidth);
    x += layout.widths.back();
  }
  return std::max(x, titleEnd - 10);
}

double HeatMapView::labelHeightFor(const Layout& layout, bool* slanted) const {
  const QFontMetricsF metrics(font());
  double longest = 0;
  *slanted = false;
  for (int column = 0; column < columns_.size(); ++column) {
    const double width = metrics.horizontalAdvance(columns_[column]);
    longest = std::max(longest, width);
    *slanted = *slanted || width > layout.widths[std::size_t(column)] - 4;
  }
  const double line = metrics.height();
  const double title = columnTitle_.isEmpty() ? 0 : line + 2;
  return title + (*slanted ? longest * std::sin(kSlant) + line : line + 4);
}

HeatMapView::Layout HeatMapView::layoutFor(const QSizeF& size) const {
  Layout layout;
  const QFontMetricsF metrics(font());
  layout.left = kMapPadding + rowLabelWidth() + 8;
  layout.titleHeight = hasMapTitles() ? metrics.height() + 3 : 0;
  layout.gap = maps_.size() > 1 ? 8 : 0;
  int sharing = 0;
  for (int column = 0; column < columns_.size(); ++column) sharing += !isWide(column);
  // Slanted labels lean to the left, so the right side only needs room for the legend.
  const double width = size.width() - layout.left - kLegendWidth - kMapPadding - fixedWidth();
  layout.cellWidth =
      std::clamp(width / std::max(1, sharing), kSmallestWidth, double(largestWidth_));
  double all = placeColumns(layout);
  const double taken = layout.left + all + 18 + kLegendWidth - 8;
  if (taken > size.width() && sharing > 0) {  // titles wider than their blocks
    layout.cellWidth =
        std::max(kSmallestWidth, layout.cellWidth - (taken - size.width()) / sharing);
    all = placeColumns(layout);
  }
  layout.labelHeight = labelHeightFor(layout, &layout.slanted);
  if (layout.slanted && !columns_.isEmpty()) {  // the first label leans over to the left
    const double lean = metrics.horizontalAdvance(columns_.first()) * std::cos(kSlant);
    layout.left = std::max(layout.left, kMapPadding + lean - layout.cellWidth / 2);
  }
  layout.top = kMapPadding + (hasBlockTitles() ? metrics.height() + 6 : 0) +
               (rowTitle_.isEmpty() || hasMapTitles() ? 0 : metrics.height() + 3);
  const double maps = double(maps_.size());
  const double height = size.height() - layout.top - layout.labelHeight - kMapPadding -
                        maps * layout.titleHeight - (maps - 1) * layout.gap;
  layout.cellHeight =
      std::clamp(height / std::max(1, totalRows()), kSmallestHeight, double(largestHeight_));
  layout.legendLeft = layout.left + all + 18;
  return layout;
}

double HeatMapView::topOf(const Layout& layout, int map) const {
  double top = layout.top + layout.titleHeight;
  for (int i = 0; i < map; ++i) {
    top += double(maps_[i].rows.size()) * layout.cellHeight + layout.gap + layout.titleHeight;
  }
  return top;
}

QRectF HeatMapView::cellRect(int map, int row, int column) const {
  if (map < 0 || map >= maps_.size() || row < 0 || row >= maps_[map].rows.size() || column < 0 ||
      column >= columns_.size()) {
    return {};
  }
  const Layout layout = layoutFor(size());
  return {layout.left + layout.lefts[std::size_t(column)],
          topOf(layout, map) + row * layout.cellHeight, layout.widths[std::size_t(column)],
          layout.cellHeight};
}

HeatMapView::Cell HeatMapView::cellAt(const QPointF& position) const {
  const Layout layout = layoutFor(size());
  for (int column = 0; column < columns_.size(); ++column) {
    const double x = position.x() - layout.left - layout.lefts[std::size_t(column)];
    if (x < 0 || x >= layout.widths[std::size_t(column)]) continue;
    for (int map = 0; map < maps_.size(); ++map) {
      const int row = int(std::floor((position.y() - topOf(layout, map)) / layout.cellHeight));
      if (row >= 0 && row < maps_[map].rows.size()) return {map, row, column};
    }
  }
  return {};
}

QString HeatMapView::readout(int map, int row, int column) const {
  const float value = maps_[map].values[std::size_t(row * columns_.size() + column)];
  QStringList parts;
  if (!maps_[map].title.isEmpty()) parts << maps_[map].title;
  parts << maps_[map].rows[row] << columns_[column];
  return tr("%1: %2").arg(parts.join(QStringLiteral(" · ")),
                          QString::number(double(value), 'f', 3));
}

void HeatMapView::hover(const Cell& cell) {
  if (cell == hovered_) return;
  hovered_ = cell;
  update();
  emit hovered(cell.map, cell.row, cell.column);
}

void HeatMapView::mouseMoveEvent(QMouseEvent* event) {
  hover(cellAt(event->position()));
}

void HeatMapView::leaveEvent(QEvent*) {
  hover({});
}

void HeatMapView::keyPressEvent(QKeyEvent* event) {
  const QPoint step = event->key() == Qt::Key_Left    ? QPoint(-1, 0)
                      : event->key() == Qt::Key_Right ? QPoint(1, 0)
                      : event->key() == Qt::Key_Up    ? QPoint(0, -1)
                      : event->key() == Qt::Key_Down  ? QPoint(0, 1)
                                                      : QPoint();
  if (step.isNull() || maps_.isEmpty() || columns_.isEmpty()) {
    QWidget::keyPressEvent(event);
    return;
  }
  if (hovered_.map < 0) {
    hover({0, 0, 0});
    return;
  }
  Cell cell = hovered_;
  cell.column = std::clamp(cell.column + step.x(), 0, int(columns_.size()) - 1);
  cell.row += step.y();
  if (cell.row < 0 && cell.map > 0) cell.row = int(maps_[--cell.map].rows.size()) - 1;
  if (cell.row >= maps_[cell.map].rows.size() && cell.map + 1 < maps_.size()) {
    ++cell.map;
    cell.row = 0;
  }
  cell.row = std::clamp(cell.row, 0, int(maps_[cell.map].rows.size()) - 1);
  hover(cell);
}

bool HeatMapView::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    auto* help = static_cast<QHelpEvent*>(event);
    const Cell cell = cellAt(help->pos());
    if (cell.map >= 0) {
      QToolTip::showText(help->globalPos(), readout(cell.map, cell.row, cell.column), this);
    } else {
      QToolTip::hideText();
    }
    return true;
  }
  return QWidget::event(event);
}

QSize HeatMapView::sizeForCells(double width, double height) const {
  if (maps_.isEmpty()) return {240, 120};
  Layout layout = layoutFor(QSizeF(1e4, 1e4));
  layout.cellWidth = width;
  const double all = placeColumns(layout);
  bool slanted = false;
  const double labels = labelHeightFor(layout, &slanted);
  const double maps = double(maps_.size());
  return QSizeF(layout.left + all + kLegendWidth + kMapPadding,
                layout.top + labels + kMapPadding + maps * layout.titleHeight +
                    (maps - 1) * layout.gap + totalRows() * height)
      .toSize();
}

QSize HeatMapView::sizeHint() const {
  return sizeForCells(largestWidth_, largestHeight_);
}
QSize HeatMapView::minimumSizeHint() const {
  return sizeForCells(kSmallestWidth, kSmallestHeight);
}

void HeatMapView::exportTo(const QString& path) {
  if (!path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive)) {
    exportPicture(path, size().expandedTo(minimumSizeHint()),
                  [this](QPainter& painter, const QSizeF& size) { paintTo(painter, size); });
    return;
  }
  exportText(path, [this](QTextStream& out) {
    out << "map,row_number,row,column_number,column,value\n";
    for (const HeatMap& map : maps_) {
      for (int row = 0; row < map.rows.size(); ++row) {
        for (int column = 0; column < columns_.size(); ++column) {
          const float value = map.values[std::size_t(row * columns_.size() + column)];
          if (std::isnan(value)) continue;
          out << csvField(map.title) << ',' << row << ',' << csvField(map.rows[row]) << ','
              << column << ',' << csvField(columns_[column]) << ','
              << QString::number(double(value), 'g', 9) << '\n';
        }
      }
    }
  });
}

}  // namespace strata::ui
