#include "ui/plots/line_canvas.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace strata::ui {
namespace {

// `over` on top of `below`, both premultiplied; two channels at a time, rounded.
QRgb composed(QRgb over, QRgb below) {
  const quint32 rest = 255 - quint32(qAlpha(over));
  const auto scaled = [rest](quint32 two) {
    const quint32 product = (two & 0x00ff00ff) * rest + 0x00800080;
    return ((product + ((product >> 8) & 0x00ff00ff)) >> 8) & 0x00ff00ff;
  };
  return over + (scaled(below) | (scaled(below >> 8) << 8));
}

// For each column of a repeated pattern the width of the gap that it lies in; 0: it is drawn.
std::vector<int> gapsOf(const QPen& pen) {
  std::vector<int> gaps;
  if (pen.style() == Qt::SolidLine) return gaps;
  const QList<qreal> pattern = pen.dashPattern();
  for (int i = 0; i < pattern.size(); ++i) {
    const int width = std::max(1, int(std::lround(pattern[i])));
    gaps.insert(gaps.end(), std::size_t(width), i % 2 == 0 ? 0 : width);
  }
  return gaps;
}

}  // namespace

// The column of a line that has been reached, and what the line covers of it.
class LineCanvas::Line {
 public:
  Line(LineCanvas& canvas, const QPen& pen, const Columns& columns)
      : canvas_(canvas),
        columns_(columns),
        colour_(qPremultiply(pen.color().rgba())),
        gaps_(gapsOf(pen)) {}

  // From a point to the next one, over all columns between them.
  void segment(const QPointF& from, const QPointF& to) {
    const double slope = (to.y() - from.y()) / (to.x() - from.x());
    const double left = std::max(std::floor(from.x()), double(columns_.begin));
    const double right = std::min(std::floor(to.x()), double(columns_.end - 1));
    for (double x = left; x <= right; ++x) {
      include(int(x), x <= from.x() ? from.y() : from.y() + slope * (x - from.x()));
      include(int(x), x + 1 >= to.x() ? to.y() : from.y() + slope * (x + 1 - from.x()));
    }
  }

  void include(int column, double y) {
    if (column != column_) {
      finish();
      column_ = column;
      top_ = bottom_ = y;
    } else {
      top_ = std::min(top_, y);
      bottom_ = std::max(bottom_, y);
    }
  }

  void finish() {
    const int column = std::exchange(column_, kNone);
    const double height = canvas_.size_.height();
    if (column < columns_.begin || column >= columns_.end || bottom_ < 0 || top_ >= height) return;
    const int gap = gaps_.empty() ? 0 : gaps_[std::size_t(column) % gaps_.size()];
    if (gap > 0 && bottom_ - top_ <= gap) return;
    QRgb* const pixels = canvas_.column(column);
    QRgb* const begin = pixels + int(std::max(0.0, top_));
    QRgb* const end = pixels + int(std::min(height - 1, bottom_)) + 1;
    if (qAlpha(colour_) == 255) {
      std::fill(begin, end, colour_);
    } else {
      for (QRgb* pixel = begin; pixel != end; ++pixel) *pixel = composed(colour_, *pixel);
    }
  }

 private:
  static constexpr int kNone = -1;

  LineCanvas& canvas_;
  const Columns columns_;
  const QRgb colour_;
  const std::vector<int> gaps_;
  int column_ = kNone;
  double top_ = 0, bottom_ = 0;  // rows; top_ <= bottom_
};

LineCanvas::LineCanvas(const QSize& size)
    : size_(size), pixels_(std::size_t(size.width()) * std::size_t(size.height()), 0) {}

void LineCanvas::draw(std::span<const QPointF> points, const QPen& pen, const Columns& columns) {
  Line line(*this, pen, columns);
  const QPointF* last = nullptr;  // null: before the first point, or in a gap
  for (const QPointF& point : points) {
    if (std::isnan(point.y()) || !std::isfinite(point.x())) {
      line.finish();
      last = nullptr;
      continue;
    }
    if (last != nullptr && std::floor(last->x()) != std::floor(point.x())) {
      line.segment(*last, point);
    } else if (point.x() >= columns.begin && point.x() < columns.end) {
      line.include(int(point.x()), point.y());
    }
    last = &point;
  }
  line.finish();
}

// In blocks that fit into the processor's cache.
void LineCanvas::copyTo(QImage& image, const Columns& columns) const {
  constexpr int kBlock = 32;
  const std::size_t height = std::size_t(size_.height());
  auto* const rows = reinterpret_cast<QRgb*>(image.bits());
  const std::ptrdiff_t stride = image.bytesPerLine() / std::ptrdiff_t(sizeof(QRgb));
  for (int left = columns.begin; left < columns.end; left += kBlock) {
    const int right = std::min(left + kBlock, columns.end);
    for (std::size_t top = 0; top < height; top += kBlock) {
      const std::size_t bottom = std::min(top + kBlock, height);
      for (std::size_t y = top; y < bottom; ++y) {
        QRgb* const row = rows + std::ptrdiff_t(y) * stride;
        for (int x = left; x < right; ++x) row[x] = pixels_[std::size_t(x) * height + y];
      }
    }
  }
}

}  // namespace strata::ui
