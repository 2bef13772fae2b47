#pragma once
#include <QStringList>
#include <QVector>
#include <vector>

#include "ui/plots/framed_plot.h"
#include "ui/plots/plot_cursor.h"

namespace strata::ui {

// One value per category; NaN: none.
struct CategorySeries {
  // A reference is dashed, without points; points of several series stand side by side.
  // Boxes reach from the lower to the upper quartile, with their medians as values and whiskers to
  // the ends of the intervals.
  enum class Kind { kBars, kLine, kReference, kPoints, kBoxes };
  QString label;
  std::vector<double> values;
  Kind kind = Kind::kBars;
  // The ends of the values' intervals, drawn for lines and points; empty or NaN: none.
  std::vector<double> low = {}, high = {};
  int colour = -1;  // index for seriesColour(); -1: the index of the series
  std::vector<double> lowerQuartile = {}, upperQuartile = {};  // of boxes
};

// A chart over named categories: groups of bars, lines with points, points with intervals, dashed
// references, with a y axis from 0 to 1 or from 0 to the largest value. The arrow keys, Home and
// End move a cursor over categories (left, right) and series (up, down).
class CategoryPlot : public FramedPlot {
  Q_OBJECT
 public:
  explicit CategoryPlot(QWidget* parent = nullptr);

  void setAxisTitles(const QString& x, const QString& y);
  void setContent(QStringList categories, QVector<CategorySeries> series);
  void setUnitScale(bool on) { unitScale_ = on; }  // 0 .. 1 instead of fitting the data
  // Without bars the y axis, unless 0 .. 1, also starts near the smallest value.
  void setFromZero(bool on) { fromZero_ = on; }
  // A logarithmic y axis, for positive values without bars.
  void setLogarithmicValues(bool on);
  // Draws a category's bars on top of each other: each category has a bar of one series only.
  void setOneBar(bool on) { oneBar_ = on; }

  const QStringList& categories() const { return categories_; }
  const QVector<CategorySeries>& series() const { return series_; }
  QString readout(int category, int series) const;

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  void drawContent() override;
  void fitLabels() override;
  QString wholeTextAt(const QPoint& position) const override;
  void writeValues(QTextStream& out) const override;
  void addBars();
  void addLines();
  void addBoxes(const CategorySeries& series, int index);
  void addReference(const CategorySeries& series, int number);
  void addPoints(const CategorySeries& series, int index, double shift);
  QColor colourOf(int index) const;
  int countOf(CategorySeries::Kind kind) const;
  void setRanges();

  PlotCursor cursor_;
  int category_ = -1, ofSeries_ = 0;  // at the cursor; -1: none
  QStringList categories_;
  QVector<CategorySeries> series_;
  bool unitScale_ = true, fromZero_ = true, oneBar_ = false, logarithmic_ = false;
};

}  // namespace strata::ui
