#pragma once
#include <QVector>
#include <limits>

#include "ui/plots/framed_plot.h"
#include "ui/plots/plot_cursor.h"

namespace strata::ui {

// One system. NaN: not available (a single sentence has no interval, the baseline no difference).
struct IntervalRow {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  enum class Verdict { kBaseline, kUndecided, kBetter, kWorse };

  QString name;
  double value = 0;
  double low = kNone, high = kNone;  // 95 % interval of the value
  // Against the baseline, with the 95 % interval of the difference and p-values.
  double difference = kNone, differenceLow = kNone, differenceHigh = kNone;
  double p = kNone, pHolm = kNone;
  Verdict verdict = Verdict::kUndecided;
};

// Systems in rows, each with its value and 95 % interval; the baseline's value is a dashed line
// through all rows. The shape and colour of a point show whether it is significantly better or
// worse; the row under the mouse, or selected with the arrow keys, is described in text.
class IntervalPlot : public FramedPlot {
  Q_OBJECT
 public:
  explicit IntervalPlot(QWidget* parent = nullptr);

  void setAxisTitle(const QString& title);          // of the values
  void setDigits(int digits) { digits_ = digits; }  // of values in texts, after the point
  void setRows(QVector<IntervalRow> rows);          // top to bottom

  const QVector<IntervalRow>& rows() const { return rows_; }
  QString readout(int row) const;      // all values of a row, one per line
  QPoint pointOf(int row) const;       // the middle of its point, in coordinates of plot()
  int chosen() const { return row_; }  // currently described in text; -1: none

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void drawContent() override;
  void fitLabels() override;
  void writeValues(QTextStream& out) const override;
  void addRows(IntervalRow::Verdict verdict);
  void addBaseline();
  void setRanges();
  void choose(int row, const QPoint& position);

  PlotCursor cursor_;
  QVector<IntervalRow> rows_;
  int row_ = -1, digits_ = 2;
};

}  // namespace strata::ui
