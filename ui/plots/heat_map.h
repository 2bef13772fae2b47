#pragma once
#include <QStringList>
#include <QVector>
#include <QWidget>
#include <vector>

namespace strata::ui {

// One picture of a HeatMapView.
struct HeatMap {
  QString title;              // "hop 1"; empty: none
  QStringList rows;           // top to bottom
  std::vector<float> values;  // rows x columns of the view, row-major; NaN: nothing drawn
};

// Heat-maps on one fixed colour scale from 0 to 1, below each other as small multiples that share
// their columns. A legend is always there; the cell under the mouse is framed and read out; cells
// that have room carry their figure.
class HeatMapView : public QWidget {
  Q_OBJECT
 public:
  explicit HeatMapView(QWidget* parent = nullptr);

  void setMaps(QStringList columns, QVector<HeatMap> maps);
  void setAxisTitles(const QString& rows, const QString& columns);
  // Cells wider than this (pixels) are not drawn wider; maps of few columns stay compact.
  void setLargestCell(int width, int height);

  const QVector<HeatMap>& maps() const { return maps_; }
  const QStringList& columns() const { return columns_; }
  // The rectangle of a cell in widget coordinates; empty where there is none.
  QRectF cellRect(int map, int row, int column) const;

  // .png, .svg or .pdf. Throws Error.
  void exportTo(const QString& path);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Cell {
    int map = -1, row = -1, column = -1;
    bool operator==(const Cell&) const = default;
  };
  struct Layout {
    double left = 0, top = 0, cellWidth = 0, cellHeight = 0, gap = 0, titleHeight = 0,
           labelHeight = 0;
    double legendLeft = 0;
    bool slanted = false;  // column labels do not fit side by side
  };

  Layout layoutFor(const QSizeF& size) const;
  double labelHeightFor(double cellWidth, bool* slanted) const;
  double longestColumnLabel() const;
  Cell cellAt(const QPointF& position) const;
  QString textOf(const Cell& cell) const;
  void paintMap(QPainter& painter, const Layout& layout, int map) const;
  void paintColumnLabels(QPainter& painter, const Layout& layout) const;
  void paintLegend(QPainter& painter, const Layout& layout) const;
  void paintTo(QPainter& painter, const QSizeF& size) const;
  double topOf(const Layout& layout, int map) const;
  int totalRows() const;
  QSize sizeForCells(double width, double height) const;

  QStringList columns_;
  QVector<HeatMap> maps_;
  QString rowTitle_, columnTitle_;
  int largestWidth_ = 76, largestHeight_ = 34;
  Cell hovered_;
};

}  // namespace strata::ui
