#pragma once
#include <QImage>

#include "ui/plots/chart.h"
#include "ui/plots/weight_map.h"

namespace strata::ui {

// A bird's eye view: many maps as small multiples on one colour scale, one row of them per layer.
// The one under the mouse, or selected with the arrow keys, is framed; a click or Enter opens it.
class MapGridView : public PaintedChart {
  Q_OBJECT
 public:
  struct Content {
    QVector<WeightMap> tiles;   // row by row; empty ones stay free
    QStringList rows, columns;  // "layer 1", ...; "head 1", ...
    double scale = 1;           // the largest magnitude of the legend
  };

  explicit MapGridView(QWidget* parent = nullptr) : PaintedChart(parent) {}

  void setContent(Content content) {
    QVector<QImage> images = imagesOf(content);
    setContent(std::move(content), std::move(images));
  }
  // With the images of its tiles, which another thread may have made.
  void setContent(Content content, QVector<QImage> images);
  static QVector<QImage> imagesOf(const Content& content);
  const Content& content() const { return content_; }
  QRectF tileRect(int tile) const;  // in widget coordinates; empty if there is none
  int hoveredTile() const { return hovered_; }

  QSize sizeHint() const override { return minimumSizeHint(); }
  QSize minimumSizeHint() const override;

 signals:
  void hovered(int tile);  // -1: none
  void opened(int tile);

 protected:
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  struct Layout {
    double left = 0, top = 0, width = 0, height = 0;  // of the first tile
  };
  Layout layoutFor(const QSizeF& size) const;
  QRectF rectIn(const Layout& layout, int tile) const;
  double rowTitleWidth() const;
  int tileAt(const QPointF& position) const;
  bool has(int tile) const {
    return tile >= 0 && tile < content_.tiles.size() && !content_.tiles[tile].isEmpty();
  }
  void paintTo(QPainter& painter, const QSizeF& size) const override;
  void paintTitles(QPainter& painter, const Layout& layout) const;
  void paintLegend(QPainter& painter, const Layout& layout, double left) const;
  void writeValues(QTextStream& out) const override { writeWeightMaps(out, content_.tiles); }
  void hover(int tile);

  Content content_;
  QVector<QImage> images_;  // one per tile
  int hovered_ = -1;
};

}  // namespace strata::ui
