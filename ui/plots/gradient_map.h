#pragma once
#include <QVector>

#include "ui/data/gradient_flow.h"
#include "ui/plots/chart.h"

class QCPAxisRect;
class QCPLayoutGrid;
class QCPRange;
class QCustomPlot;

namespace strata::ui {

// Layers x steps maps of gradient norms side by side, on one colour scale and one range of steps.
// The wheel zooms and a drag pans along the steps; a double click shows all. Non-finite norms are
// marked with a red cross. A cell is the largest norm of its steps.
class GradientMapView : public Chart {
  Q_OBJECT
 public:
  struct Map {
    QString title;
    QVector<SeriesPoints> series;
  };

  explicit GradientMapView(QWidget* parent = nullptr);

  void setMaps(QVector<Map> maps);
  void setLogarithmic(bool on);  // the colour scale; on by default
  QStringList titles() const;
  StepRange range() const { return range_; }

 private:
  void restyle() override { rebuild(); }
  void writePicture(const QString& path) override;
  void writeValues(QTextStream& out) const override;
  void rebuild();
  void addMap(int index, const GradientFlow& flow, bool named);  // named: its layers have labels
  void addNames(const QCPAxisRect* rect, const GradientFlow& flow);
  void addScale(const QCPRange& norms);  // over all maps: lowest positive and highest norm
  void styleRect(QCPAxisRect* rect, const GradientFlow& flow, bool named);
  void showRange(const StepRange& range);

  QCustomPlot* plot_;
  QCPLayoutGrid* grid_ = nullptr;  // owned by plot_; rebuilt with the maps
  QVector<Map> maps_;
  StepRange whole_, range_;
  bool logarithmic_ = true, rebuilding_ = false;
};

}  // namespace strata::ui
