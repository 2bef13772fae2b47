#pragma once
#include <QFont>
#include <QRectF>
#include <QSize>
#include <QStringList>
#include <QVector>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

namespace strata::ui {

// One map of a HeatMapView.
struct HeatMap {
  QString title;              // "hop 1"; empty: none
  QStringList rows;           // top to bottom
  std::vector<float> values;  // rows x columns of the view, row-major; NaN: nothing drawn
  QStringList texts = {};     // of the cells, in place of their values; empty: none
};

// A group of adjacent columns with a title. It is separated from the columns before by a gap, or by
// a line if both belong to one distribution.
struct ColumnBlock {
  QString title = {};
  int first = 0;               // its first column; the block reaches to the next one
  bool continuesLast = false;  // a line instead of a gap
  bool figures = false;     // columns are wide enough to print values; always coloured from 0 to 1
  bool plain = false;       // values without a colour
  bool difference = false;  // from -1 to 1, on a colour scale of its own
};

struct HeatMapCell {
  int map = -1, row = -1, column = -1;
  bool operator==(const HeatMapCell&) const = default;
};

// Widths of labels in a font: they are measured once, since shaping text is slow.
struct HeatMapLabels {
  QFont font;
  std::vector<double> columns;
  double widestRow = 0;  // the title included
};

// What a HeatMapView shows.
struct HeatMapContent {
  QStringList columns;
  QVector<HeatMap> maps;
  QVector<ColumnBlock> blocks;  // ascending; none: all columns are one
  QString rowTitle, columnTitle;
  QString scaleTitle;          // what the colours are of
  double scale = 1;            // the value with the lightest colour
  bool ranks = false;          // values from 1, the lightest, to the scale, by their logarithm
  QSizeF largestCell{76, 34};  // pixels
  QSizeF smallestCell{18, 15};

  bool has(const HeatMapCell& cell) const;
  float value(const HeatMapCell& cell) const;
  QString text(const HeatMapCell& cell) const;  // empty: its value
  double shade(double value) const;             // 0 (dark) .. 1 (light)
  double valueOf(double shade) const;           // of the legend
  QString number(double value) const;           // as it is read out
  const ColumnBlock& blockOf(int column) const;
  bool hasMapTitles() const;
  bool hasDifferences() const;
  int totalRows() const;
  const HeatMapLabels& labels(const QFont& font) const;
  void labelsChanged() { labels_.reset(); }  // rows, columns or their titles are others

 private:
  mutable std::optional<HeatMapLabels> labels_;
};

// The places of cells, labels and legend in a picture of heat maps, in its coordinates.
class HeatMapLayout {
 public:
  // Angle of labels that do not fit side by side: steep enough for the narrowest cells.
  static constexpr double kSlant = 60 * M_PI / 180;
  static constexpr double kLegendWidth = 66;
  static constexpr double kLeastScale = 70;  // pixels, of a colour scale

  // The content outlives the layout.
  HeatMapLayout(const HeatMapContent& content, const QFont& font, const QSizeF& size);
  // The size of a picture with cells of this size.
  static QSize sizeFor(const HeatMapContent& content, const QFont& font, const QSizeF& cell);

  const HeatMapContent& content() const { return content_; }
  const QFont& font() const { return font_; }
  const QSizeF& size() const { return size_; }

  QRectF cellRect(const HeatMapCell& cell) const;     // empty if there is no such cell
  HeatMapCell cellAt(const QPointF& position) const;  // {} if there is none
  QRectF mapRect(int map) const;                      // of its cells, and titles wider than these
  double columnLeft(int column) const { return left_ + lefts_[std::size_t(column)]; }
  double columnWidth(int column) const { return widths_[std::size_t(column)]; }
  double cellHeight() const { return cellHeight_; }
  bool showsValues(int column) const;  // its cells have room for a value
  bool slantsLabels() const { return slanted_; }
  double labelHeight() const { return labelHeight_; }  // of column labels and their title
  double legendLeft() const;

 private:
  void fitWidth();
  void fitHeight();
  void placeColumns();
  void measureLabels();
  double figureWidth() const;
  double fixedWidth() const;

  const HeatMapContent& content_;
  QFont font_;
  QSizeF size_;
  double left_ = 0, top_ = 0, width_ = 0;  // of the cells of all maps
  double cellWidth_ = 0, cellHeight_ = 0, gap_ = 0, titleHeight_ = 0, labelHeight_ = 0;
  bool slanted_ = false;                // column labels do not fit side by side
  std::vector<double> lefts_, widths_;  // of the columns, from left_ on
};

}  // namespace strata::ui
