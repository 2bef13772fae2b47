#pragma once
#include <QString>
#include <QVector>
#include <limits>

#include "ui/plots/walked_plot.h"

namespace strata::ui {

// A unit by its weight (x) and effect (y) with the effect's 95 % interval.
struct ScatterPoint {
  QString name;   // read out
  QString group;  // points of a group share colour and legend
  double x = 0, y = 0;
  double low = std::numeric_limits<double>::quiet_NaN(), high = low;
  bool stands = false;  // labelled with its name
};

// Effect against weight: one point per unit, a dashed line at 0.
class EffectScatter : public WalkedPlot {
  Q_OBJECT
 public:
  explicit EffectScatter(QWidget* parent = nullptr);

  void setAxisTitles(const QString& x, const QString& y);
  void setPoints(QVector<ScatterPoint> points);
  const QVector<ScatterPoint>& points() const { return points_; }
  QString readout(int point) const;

 private:
  QVector<Stop> stops() const override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void drawContent() override;
  void fitLabels() override {}
  void writeValues(QTextStream& out) const override;
  void setRanges();

  QVector<ScatterPoint> points_;
};

}  // namespace strata::ui
