#include "ui/plots/heat_map.h"

#include <QFileInfo>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPrinter>
#include <QSvgGenerator>
#include <QToolTip>
#include <cmath>

#include "core/base/error.h"
#include "ui/data/text.h"
#include "ui/style/colour_map.h"
#include "ui/style/theme.h"

namespace strata::ui {
namespace {
constexpr double kPadding = 10, kLegendWidth = 62, kSmallestWidth = 16, kSmallestHeight = 14,
                 kSlant = 52 * M_PI / 180;
}  // namespace

HeatMapView::HeatMapView(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void HeatMapView::setMaps(QStringList columns, QVector<HeatMap> maps) {
  columns_ = std::move(columns);
  maps_ = std::move(maps);
  hovered_ = {};
  updateGeometry();
  update();
}

void HeatMapView::setAxisTitles(const QString& rows, const QString& columns) {
  rowTitle_ = rows;
  columnTitle_ = columns;
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

double HeatMapView::longestColumnLabel() const {
  double longest = 0;
  for (const QString& label : columns_) {
    longest = std::max(longest, QFontMetricsF(font()).horizontalAdvance(label));
  }
  return longest;
}

double HeatMapView::labelHeightFor(double cellWidth, bool* slanted) const {
  const double longest = longestColumnLabel();
  *slanted = longest > cellWidth - 4;
  const double line = QFontMetricsF(font()).height();
  const double title = columnTitle_.isEmpty() ? 0 : line + 2;
  return title + (*slanted ? longest * std::sin(kSlant) + line : line + 4);
}

HeatMapView::Layout HeatMapView::layoutFor(const QSizeF& size) const {
  Layout layout;
  const QFontMetricsF metrics(font());
  double rowLabels = rowTitle_.isEmpty() ? 0 : metrics.horizontalAdvance(rowTitle_);
  bool titled = false;
  for (const HeatMap& map : maps_) {
    for (const QString& row : map.rows)
      rowLabels = std::max(rowLabels, metrics.horizontalAdvance(row));
    titled = titled || !map.title.isEmpty();
  }
  layout.left = kPadding + rowLabels + 8;
  layout.titleHeight = titled ? metrics.height() + 3 : 0;
  layout.gap = maps_.size() > 1 ? 8 : 0;
  const double columns = std::max(1.0, double(columns_.size()));
  // Slanted labels of the last columns lean to the left, so the right side needs the legend only.
  const double width = size.width() - layout.left - kLegendWidth - kPadding;
  layout.cellWidth = std::clamp(width / columns, kSmallestWidth, double(largestWidth_));
  layout.labelHeight = labelHeightFor(layout.cellWidth, &layout.slanted);
  if (layout.slanted && !columns_.isEmpty()) {  // the first label leans over to the left
    const double lean = metrics.horizontalAdvance(columns_.first()) * std::cos(kSlant);
    layout.left = std::max(layout.left, kPadding + lean - layout.cellWidth / 2);
  }
  layout.top = kPadding + (rowTitle_.isEmpty() || titled ? 0 : metrics.height() + 3);
  const double maps = double(maps_.size());
  const double height = size.height() - layout.top - layout.labelHeight - kPadding -
                        maps * layout.titleHeight - (maps - 1) * layout.gap;
  layout.cellHeight =
      std::clamp(height / std::max(1, totalRows()), kSmallestHeight, double(largestHeight_));
  layout.legendLeft = layout.left + layout.cellWidth * columns + 18;
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
  return {layout.left + column * layout.cellWidth, topOf(layout, map) + row * layout.cellHeight,
          layout.cellWidth, layout.cellHeight};
}

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
  paintColumnLabels(painter, layout);
  paintLegend(painter, layout);
  if (hovered_.map >= 0) {
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme().accent, 2));
    painter.drawRect(cellRect(hovered_.map, hovered_.row, hovered_.column));
  }
}

void HeatMapView::paintMap(QPainter& painter, const Layout& layout, int index) const {
  const HeatMap& map = maps_[index];
  const double top = topOf(layout, index);
  const QFontMetricsF metrics(font());
  if (!map.title.isEmpty()) {
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    painter.setFont(bold);
    painter.setPen(theme().text);
    painter.drawText(QPointF(layout.left, top - 5), map.title);
    painter.setFont(font());
  } else if (!rowTitle_.isEmpty()) {
    painter.setPen(theme().muted);
    painter.drawText(QRectF(0, top - metrics.height() - 3, layout.left - 8, metrics.height()),
                     Qt::AlignRight | Qt::AlignVCenter, rowTitle_);
  }
  // Cells with room for it carry their figure.
  const bool figures = layout.cellWidth >= metrics.horizontalAdvance(QStringLiteral("0.00")) + 5 &&
                       layout.cellHeight >= metrics.height();
  for (int row = 0; row < map.rows.size(); ++row) {
    const double y = top + row * layout.cellHeight;
    painter.setPen(theme().muted);
    painter.drawText(QRectF(0, y, layout.left - 8, layout.cellHeight),
                     Qt::AlignRight | Qt::AlignVCenter, map.rows[row]);
    for (int column = 0; column < columns_.size(); ++column) {
      const double value = map.values[std::size_t(row * columns_.size() + column)];
      // One pixel of the surface stays between cells: neighbours of one colour remain countable.
      const QRectF cell(layout.left + column * layout.cellWidth, y, layout.cellWidth - 1,
                        layout.cellHeight - 1);
      painter.fillRect(cell, mapColour(value));
      if (!figures || !std::isfinite(value)) continue;
      painter.setPen(textOn(value));
      painter.drawText(cell, Qt::AlignCenter, QString::number(value, 'f', 2));
    }
  }
}

void HeatMapView::paintColumnLabels(QPainter& painter, const Layout& layout) const {
  const int last = int(maps_.size()) - 1;
  const double bottom = topOf(layout, last) + double(maps_[last].rows.size()) * layout.cellHeight;
  const QFontMetricsF metrics(font());
  painter.setPen(theme().text);
  for (int column = 0; column < columns_.size(); ++column) {
    const double x = layout.left + (column + 0.5) * layout.cellWidth;
    if (!layout.slanted) {
      painter.drawText(
          QRectF(x - layout.cellWidth / 2, bottom + 3, layout.cellWidth, metrics.height()),
          Qt::AlignCenter, columns_[column]);
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
  painter.drawText(
      QRectF(layout.left, bottom + layout.labelHeight - metrics.height(),
             std::max(200.0, layout.cellWidth * double(columns_.size())), metrics.height()),
      Qt::AlignLeft | Qt::AlignVCenter, columnTitle_);
}

void HeatMapView::paintLegend(QPainter& painter, const Layout& layout) const {
  const QFontMetricsF metrics(font());
  const double top = topOf(layout, 0) + metrics.height() / 2;
  const double height = std::clamp(double(maps_[0].rows.size()) * layout.cellHeight, 70.0, 170.0);
  const QRectF bar(layout.legendLeft, top, 12, height);
  for (int i = 0; i < int(height); ++i) {
    painter.fillRect(QRectF(bar.left(), bar.top() + i, bar.width(), 1.5),
                     mapColour(1 - i / (height - 1)));
  }
  painter.setPen(theme().muted);
  for (const double tick : {0.0, 0.5, 1.0}) {
    const double y = bar.bottom() - tick * height;
    painter.drawText(QRectF(bar.right() + 6, y - metrics.height() / 2, 40, metrics.height()),
                     Qt::AlignLeft | Qt::AlignVCenter, QString::number(tick));
  }
}

HeatMapView::Cell HeatMapView::cellAt(const QPointF& position) const {
  const Layout layout = layoutFor(size());
  const int column = int(std::floor((position.x() - layout.left) / layout.cellWidth));
  if (column < 0 || column >= columns_.size()) return {};
  for (int map = 0; map < maps_.size(); ++map) {
    const int row = int(std::floor((position.y() - topOf(layout, map)) / layout.cellHeight));
    if (row >= 0 && row < maps_[map].rows.size()) return {map, row, column};
  }
  return {};
}

QString HeatMapView::textOf(const Cell& cell) const {
  const HeatMap& map = maps_[cell.map];
  const float value = map.values[std::size_t(cell.row * columns_.size() + cell.column)];
  QStringList parts;
  if (!map.title.isEmpty()) parts << map.title;
  parts << map.rows[cell.row] << columns_[cell.column];
  return tr("%1: %2").arg(parts.join(QStringLiteral(" · ")),
                          QString::number(double(value), 'f', 3));
}

void HeatMapView::mouseMoveEvent(QMouseEvent* event) {
  const Cell cell = cellAt(event->position());
  if (cell == hovered_) return;
  hovered_ = cell;
  update();
}

void HeatMapView::leaveEvent(QEvent*) {
  hovered_ = {};
  update();
}

bool HeatMapView::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    auto* help = static_cast<QHelpEvent*>(event);
    const Cell cell = cellAt(help->pos());
    if (cell.map >= 0) {
      QToolTip::showText(help->globalPos(), textOf(cell), this);
    } else {
      QToolTip::hideText();
    }
    return true;
  }
  return QWidget::event(event);
}

QSize HeatMapView::sizeForCells(double width, double height) const {
  if (maps_.isEmpty()) return {240, 120};
  const Layout base = layoutFor(QSizeF(1e4, 1e4));
  bool slanted = false;
  const double labels = labelHeightFor(width, &slanted);
  const double maps = double(maps_.size());
  return QSizeF(base.left + width * double(columns_.size()) + kLegendWidth + kPadding,
                base.top + labels + kPadding + maps * base.titleHeight + (maps - 1) * base.gap +
                    totalRows() * height)
      .toSize();
}

QSize HeatMapView::sizeHint() const {
  return sizeForCells(largestWidth_, largestHeight_);
}
QSize HeatMapView::minimumSizeHint() const {
  return sizeForCells(kSmallestWidth, kSmallestHeight);
}

void HeatMapView::exportTo(const QString& path) {
  const QString type = QFileInfo(path).suffix().toLower();
  const QSize whole = size().expandedTo(minimumSizeHint());
  bool done = false;
  if (type == QLatin1String("png")) {
    QImage image(whole * 2, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(2);
    QPainter painter(&image);
    paintTo(painter, whole);
    painter.end();
    done = image.save(path);
  } else if (type == QLatin1String("svg")) {
    QSvgGenerator generator;
    generator.setFileName(path);
    generator.setSize(whole);
    generator.setViewBox(QRect(QPoint(0, 0), whole));
    QPainter painter;
    done = painter.begin(&generator);
    if (done) paintTo(painter, whole);
  } else if (type == QLatin1String("pdf")) {
    QPrinter printer(QPrinter::ScreenResolution);
    printer.setOutputFormat(QPrinter::PdfFormat);
    printer.setOutputFileName(path);
    printer.setPageMargins(QMarginsF(0, 0, 0, 0));
    printer.setPageSize(QPageSize(QSizeF(whole) * 72 / printer.resolution(), QPageSize::Point));
    QPainter painter;
    done = painter.begin(&printer);
    if (done) paintTo(painter, whole);
  }
  if (!done) {
    throw Error(
        "{}: cannot be written: use a name that ends in .png, .svg or .pdf in a folder that can be "
        "written",
        toStd(path));
  }
}

}  // namespace strata::ui
