#pragma once
#include <QStringList>
#include <QVector>
#include <QWidget>
#include <cmath>
#include <vector>

namespace strata::ui {

// One map of a HeatMapView.
struct HeatMap {
  QString title;              // "hop 1"; empty: none
  QStringList rows;           // top to bottom
  std::vector<float> values;  // rows x columns of the view, row-major; NaN: nothing drawn
};

// A group of adjacent columns with a title. It is separated from the columns before by a gap, or by
// a line if both belong to one distribution.
struct ColumnBlock {
  QString title;
  int first = 0;               // its first column; the block reaches to the next one
  bool continuesLast = false;  // a line instead of a gap
  bool figures = false;  // columns are wide enough to print values; always coloured from 0 to 1
  bool plain = false;    // values without a colour
};

// Heat maps on one colour scale, 0 to 1 by default, stacked as small multiples that share their
// columns. The legend is always shown; the cell under the mouse is framed and read out; cells
// with enough room show their value.
class HeatMapView : public QWidget {
  Q_OBJECT
 public:
  explicit HeatMapView(QWidget* parent = nullptr);

  void setMaps(QStringList columns, QVector<HeatMap> maps);
  void setAxisTitles(const QString& rows, const QString& columns);
  void setBlocks(QVector<ColumnBlock> blocks);  // ascending; none: all columns are one
  // The value with the lightest colour, 1 by default.
  void setScale(double maximum);
  // Marks a row of every map and columns: the words selected in a linked view.
  void setLinked(int row, const QVector<int>& columns);
  // Cells wider than this (pixels) are not drawn wider; maps of few columns stay compact.
  void setLargestCell(int width, int height);

  const QVector<HeatMap>& maps() const { return maps_; }
  const QStringList& columns() const { return columns_; }
  // The rectangle of a cell in widget coordinates; empty if there is none.
  QRectF cellRect(int map, int row, int column) const;

  // .png, .svg or .pdf, or all values as .csv. Throws Error.
  void exportTo(const QString& path);
  QString readout(int map, int row, int column) const;  // "hop 1 · layer 2 · a: 0.250"

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 signals:
  void hovered(int map, int row, int column);  // by mouse or arrow keys; -1: none

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  // Angle of labels that do not fit side by side: steep enough for the narrowest cells.
  static constexpr double kSlant = 60 * M_PI / 180;

  static constexpr double kLegendWidth = 66;

  struct Cell {
    int map = -1, row = -1, column = -1;
    bool operator==(const Cell&) const = default;
  };
  struct Layout {
    double left = 0, top = 0, cellWidth = 0, cellHeight = 0, gap = 0, titleHeight = 0,
           labelHeight = 0;
    double legendLeft = 0;
    bool slanted = false;               // column labels do not fit side by side
    std::vector<double> lefts, widths;  // of the columns, from `left` on
  };

  Layout layoutFor(const QSizeF& size) const;
  double placeColumns(Layout& layout) const;  // returns the width of all
  double labelHeightFor(const Layout& layout, bool* slanted) const;
  double rowLabelWidth() const;
  double figureWidth() const;
  ColumnBlock blockOf(int column) const;
  bool isWide(int column) const { return blockOf(column).figures; }
  double fixedWidth() const;
  bool hasMapTitles() const;
  bool hasBlockTitles() const;
  Cell cellAt(const QPointF& position) const;
  void hover(const Cell& cell);
  void paintMap(QPainter& painter, const Layout& layout, int map) const;
  void paintMapTitle(QPainter& painter, const Layout& layout, int map) const;
  void paintRow(QPainter& painter, const Layout& layout, int map, int row) const;
  void paintBlocks(QPainter& painter, const Layout& layout) const;
  void paintColumnLabels(QPainter& painter, const Layout& layout) const;
  void paintLegend(QPainter& painter, const Layout& layout) const;
  void paintMarks(QPainter& painter, const Layout& layout) const;
  void paintTo(QPainter& painter, const QSizeF& size) const;
  double topOf(const Layout& layout, int map) const;
  int totalRows() const;
  QSize sizeForCells(double width, double height) const;

  QStringList columns_;
  QVector<HeatMap> maps_;
  QVector<ColumnBlock> blocks_;
  QString rowTitle_, columnTitle_;
  int largestWidth_ = 76, largestHeight_ = 34;
  double scale_ = 1;
  Cell hovered_;
  int linkedRow_ = -1;
  QVector<int> linkedColumns_;
};

}  // namespace strata::ui
