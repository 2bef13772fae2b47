#pragma once
#include <QImage>
#include <QPen>
#include <QPointF>
#include <QSize>
#include <span>
#include <vector>

namespace strata::ui {

// A picture of many lines of one pixel, for lines that go up and down in every column: what a line
// covers of a column is one run of pixels, and these are adjacent in memory. Colours may be
// translucent. Dashes are along x; a column in which the line is higher than a gap is wide is drawn
// in gaps, too, so that no peak is left out.
class LineCanvas {
 public:
  explicit LineCanvas(const QSize& size);

  QSize size() const { return size_; }

  struct Columns {
    int begin = 0, end = 0;
  };
  // The part in these columns of a line through points in pixels, with ascending x; y NaN: a gap.
  // Threads may draw into different columns at a time.
  void draw(std::span<const QPointF> points, const QPen& pen, const Columns& columns);

  // Rows as usual; each part of the columns can be copied by another thread.
  void copyTo(QImage& image, const Columns& columns) const;

 private:
  class Line;

  QRgb* column(int x) { return pixels_.data() + std::size_t(x) * std::size_t(size_.height()); }

  QSize size_;
  std::vector<QRgb> pixels_;  // premultiplied, column by column
};

}  // namespace strata::ui
