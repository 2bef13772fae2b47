#pragma once
#include <QPointF>
#include <QStringList>
#include <QVector>

#include "core/report/svg_charts.h"
#include "ui/plots/framed_plot.h"
#include "ui/plots/plot_cursor.h"

namespace strata::ui {

// Points over numbers or named values, in one colour.
struct XySeries {
  QString label;
  QVector<QPointF> points = {};  // joined in this order; y NaN: a gap
  // (lower, upper) y of each point; empty: none. Filled between joined points, else a bar each.
  QVector<QPointF> band = {};
  bool joined = true, markers = false, dashed = false;
  bool level = false;        // one point: a horizontal line across the chart
  bool rings = false;        // hollow markers
  int colour = -1;           // index for seriesColour(); -1: the index of the series
  QVector<qint64> ids = {};  // what each point stands for, for chosen(); 0 or empty: nothing
  QStringList texts = {};    // what each point is called; empty: its label
  QStringList figures = {};  // each point's y as it was printed; empty: y's own digits
};

// Lines, points and bands over two numbers. The point under the mouse, or selected with the arrow
// keys, is described in text; a click or Enter chooses what it stands for.
class XyPlot : public FramedPlot {
  Q_OBJECT
 public:
  explicit XyPlot(QWidget* parent = nullptr);

  void setAxisTitles(const QString& x, const QString& y);
  // The names of x = 0, 1, ...; empty: x is a number.
  void setNames(QStringList names);
  void setLogarithmicX(bool on);  // values <= 0 are not drawn
  void setLegendShown(bool on) { legend_ = on; }
  void setSeries(QVector<XySeries> series);
  void setChart(const LineChart& chart);  // titles, series and marks

  const QVector<XySeries>& series() const { return series_; }
  const QStringList& names() const { return names_; }
  QString readout(int series, int point) const;
  QPoint pointOf(int series, int point) const;  // in coordinates of plot()

 signals:
  void chosen(qint64 id);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  struct Place {
    int series = -1, point = -1;
    bool operator==(const Place&) const = default;
  };
  struct Mark {
    double x = 0;
    QString label;
    int series = 0;
  };

  void drawContent() override;
  void fitLabels() override;
  void writeValues(QTextStream& out) const override;
  QColor colourOf(int index) const;
  void addBand(int index);
  void addBars(int index);
  void fillBand(int index);
  void addLine(int index);
  void addLonePoints(const XySeries& series, const QColor& colour);
  void addMark(const Mark& mark);
  void setRanges();
  QString xText(double x) const;
  QString yText(int series, int point) const;
  bool isDrawn(const QPointF& point) const;
  QVector<Place> places() const;  // by x
  Place placeAt(const QPoint& position) const;
  void point(const Place& place);
  void choose(const Place& place);

  QVector<XySeries> series_;
  QVector<Mark> marks_;
  QStringList names_;
  bool logarithmic_ = false, legend_ = true;
  Place place_;
  PlotCursor cursor_;
};

}  // namespace strata::ui
