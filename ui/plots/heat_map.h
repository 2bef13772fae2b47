#pragma once
#include <QStringList>
#include <QVector>

#include "ui/plots/chart.h"
#include "ui/plots/heat_map_layout.h"
#include "ui/plots/heat_map_painter.h"

namespace strata::ui {

// Heat maps on one colour scale, 0 to 1 by default, stacked as small multiples that share their
// columns. The legend is always shown; the cell under the mouse is framed and read out; cells
// with enough room show their value, or the text that a map has for them. The arrow keys, Home and
// End (with Ctrl: of all maps) move a cursor over the cells; Enter chooses its cell, like a click.
class HeatMapView : public PaintedChart {
  Q_OBJECT
 public:
  explicit HeatMapView(QWidget* parent = nullptr);

  void setMaps(QStringList columns, QVector<HeatMap> maps);
  void setAxisTitles(const QString& rows, const QString& columns);
  void setBlocks(QVector<ColumnBlock> blocks);  // ascending; none: all columns are one
  // The value with the lightest colour, 1 by default.
  void setScale(double maximum);
  // What the colours are of, "weight" by default. Ranks: from 1, the lightest, to the scale, by
  // their logarithm.
  enum class Values { kPlain, kRanks };
  void setScaleTitle(const QString& title, Values values = Values::kPlain);
  // Marks a row of every map and columns: the words selected in a linked view.
  void setLinked(int row, const QVector<int>& columns);
  // Cells wider than this (pixels) are not drawn wider; maps of few columns stay compact.
  void setLargestCell(int width, int height);
  void setSmallestCell(int width, int height);

  const QVector<HeatMap>& maps() const { return content_.maps; }
  const QStringList& columns() const { return content_.columns; }
  // The rectangle of a cell in widget coordinates; empty if there is none.
  QRectF cellRect(int map, int row, int column) const;

  HeatMapCell cursor() const { return cursor_; }  // of the keyboard; map -1: none
  float valueAt(const HeatMapCell& cell) const { return content_.value(cell); }

  QString readout(int map, int row, int column) const;  // "hop 1 · layer 2 · a: 0.250"

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 signals:
  void hovered(int map, int row, int column);  // by mouse or arrow keys; -1: none
  void chosen(int map, int row, int column);   // by a click or Enter

 protected:
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void paintTo(QPainter& painter, const QSizeF& size) const override;
  void writeValues(QTextStream& out) const override;
  HeatMapLayout layoutNow() const { return {content_, font(), size()}; }
  void contentChanged();
  void hover(const HeatMapCell& cell);
  void paintOverlay(QPainter& painter) const override;
  HeatMapCell stepped(HeatMapCell cell, int key) const;
  void moveCursor(const HeatMapCell& cell);

  HeatMapContent content_;
  HeatMapMarks marks_;
  HeatMapCell hovered_, cursor_;
};

}  // namespace strata::ui
