#pragma once
#include <QStringList>
#include <QVector>
#include <QWidget>
#include <vector>

class QCustomPlot;
class QLabel;

namespace strata::ui {

// One value a category; NaN: none.
struct CategorySeries {
  enum class Kind { kBars, kLine, kReference };  // a reference is dashed, without points
  QString label;
  std::vector<double> values;
  Kind kind = Kind::kBars;
};

// A chart over named categories: groups of bars, lines with points, dashed references, over one y
// axis from 0 to 1 or from 0 to what fits. The legend is below it.
class CategoryPlot : public QWidget {
  Q_OBJECT
 public:
  explicit CategoryPlot(QWidget* parent = nullptr);

  void setTitle(const QString& title);
  void setAxisTitles(const QString& x, const QString& y);
  void setContent(QStringList categories, QVector<CategorySeries> series);
  void setWholeScale(bool on);  // 0 .. 1 instead of what fits

  const QStringList& categories() const { return categories_; }
  const QVector<CategorySeries>& series() const { return series_; }
  QString title() const { return title_; }

  // .png, .svg or .pdf, or all values as .csv. Throws Error.
  void exportTo(const QString& path);

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void placeLegend();
  void redraw();
  void addBars();
  void addLines();
  QPen referencePen(int number) const;
  void setTicks();
  void fitToWidth();  // tick labels and the legend's columns

  QCustomPlot* plot_;
  QLabel* titleLabel_;
  QString title_;
  QStringList categories_;
  QVector<CategorySeries> series_;
  bool wholeScale_ = true;
};

}  // namespace strata::ui
