#pragma once
#include <QStringList>
#include <QVector>
#include <QWidget>
#include <vector>

class QCustomPlot;
class QLabel;

namespace strata::ui {

// One value per category; NaN: none.
struct CategorySeries {
  // A reference is dashed, without points; points of several series stand side by side.
  enum class Kind { kBars, kLine, kReference, kPoints };
  QString label;
  std::vector<double> values;
  Kind kind = Kind::kBars;
  // The ends of the values' intervals, drawn for lines and points; empty or NaN: none.
  std::vector<double> low = {}, high = {};
  int colour = -1;  // index for seriesColour(); -1: the index of the series
};

// A chart over named categories: groups of bars, lines with points, points with intervals, dashed
// references, with a y axis from 0 to 1 or from 0 to the largest value. The legend is below it.
class CategoryPlot : public QWidget {
  Q_OBJECT
 public:
  explicit CategoryPlot(QWidget* parent = nullptr);

  void setTitle(const QString& title);
  void setAxisTitles(const QString& x, const QString& y);
  void setContent(QStringList categories, QVector<CategorySeries> series);
  void setUnitScale(bool on);  // 0 .. 1 instead of fitting the data
  // Without bars the y axis, unless 0 .. 1, also starts near the smallest value.
  void setFromZero(bool on);
  // Draws a category's bars on top of each other: each category has a bar of one series only.
  void setOneBar(bool on);

  const QStringList& categories() const { return categories_; }
  const QVector<CategorySeries>& series() const { return series_; }
  QString title() const { return title_; }
  QCustomPlot* plot() const { return plot_; }

  // .png, .svg or .pdf, or all values as .csv. Throws Error.
  void exportTo(const QString& path);

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void redraw();
  void addBars();
  void addLines();
  void addReference(const CategorySeries& series, int number);
  void addPoints(const CategorySeries& series, int index, double shift);
  QColor colourOf(int index) const;
  bool hasKind(CategorySeries::Kind kind) const;
  void setTicks();
  void fitToWidth();  // tick labels and the legend's columns

  QCustomPlot* plot_;
  QLabel* titleLabel_;
  QString title_;
  QStringList categories_;
  QVector<CategorySeries> series_;
  bool unitScale_ = true, fromZero_ = true, oneBar_ = false;
};

}  // namespace strata::ui
