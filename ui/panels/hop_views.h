#pragma once
#include "core/inside/hop_weights.h"
#include "ui/widgets/tabs.h"

namespace strata::ui {
class CategoryPlot;
class CurvePlot;
class HeatMapView;

// How a fusion's hops use the levels: over training, between positions, by the class of the word
// read, and in comparison with one another.
class HopViews : public Tabs {
  Q_OBJECT
 public:
  explicit HopViews(QWidget* parent);

  // The step shown and its means. `hop`: -1 is the mean of the hops.
  void setStep(const RecordedStep& step, const HopMeans& means, const std::string& side, int hop);
  // Of all recorded steps, ascending.
  void setTraining(const QVector<HopMeans>& means, HopMeasure measure, int hop);

  CurvePlot* overTraining() const { return overTraining_; }
  CategoryPlot* spread() const { return spread_; }
  HeatMapView* classes() const { return classes_; }
  HeatMapView* similarity() const { return similarity_; }

  // Each view's values and picture, in files beside `path`.
  void exportTo(const QString& path);
  static QStringList exportedParts();

 private:
  void drawSpread(const RecordedStep& step, const HopMeans& means, const std::string& side,
                  int hop);
  void drawClasses(const RecordedStep& step, const HopMeans& means, const std::string& side,
                   int hop);

  CurvePlot* overTraining_;
  CategoryPlot* spread_;
  HeatMapView *classes_, *similarity_;
};

QStringList hopNames(int hops);  // "hop 1", "hop 2", …

}  // namespace strata::ui
