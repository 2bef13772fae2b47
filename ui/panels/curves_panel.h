#pragma once
#include <QHash>
#include <QSet>
#include <memory>

#include "ui/data/drawn_runs.h"
#include "ui/data/values.h"
#include "ui/panels/panel.h"

class QAction;
class QComboBox;
class QGridLayout;
class QScrollArea;
class QSlider;

namespace strata::ui {
class CurvePlot;
class SeriesList;

// Scalars of any runs: one chart per series, one line per run. It announces the series it needs
// (watchChanged) and receives their points; charts share zoom, x axis and smoothing.
class CurvesPanel : public Panel {
  Q_OBJECT
 public:
  explicit CurvesPanel(QAction* runDemo, QWidget* parent = nullptr);

  void setRuns(const QVector<RunRow>& runs);
  void setDrawn(const QVector<DrawnRun>& runs);
  void setSeriesNames(qint64 run, const QStringList& names);
  void addPoints(const QVector<SeriesPoints>& points);
  void showSeries(const QStringList& names);

  QVector<CurvePlot*> charts() const;
  CurvePlot* chart(const QString& series) const;
  std::shared_ptr<const Series> series(const SeriesKey& key) const;
  const QSet<SeriesKey>& watched() const { return watched_; }
  bool isUpToDate() const override;  // all watched series have arrived and are drawn
  Json saveState() const override;
  void restoreState(const Json& state) override;

 signals:
  void watchChanged(const QVector<SeriesKey>& keys);

 protected:
  void changeEvent(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;  // of the charts' view

 private:
  static constexpr int kSmoothingSteps = 100;  // of the slider

  void follow(const Selection& choice) override;
  void drawWanted();
  QWidget* makeCharts();
  QWidget* makeToolBar();
  void drawTicked();
  void rebuildCharts();
  void layOutCharts();
  void refreshCurves(const QString& name);
  CurvePlot* makeChart(const QString& name);
  void exportCharts(const QString& path);
  void applySmoothing();
  double smoothing() const;
  std::shared_ptr<Series> newSeries() const;

  SeriesList* list_;
  QVector<DrawnRun> drawn_;
  QVector<DrawnRun> wanted_;  // differs while it is pinned
  QComboBox* xAxis_;
  QAction *logX_, *logY_;
  QSlider* smoothing_;
  QScrollArea* scroll_;
  QGridLayout* grid_;
  QHash<SeriesKey, std::shared_ptr<Series>> data_;
  QSet<SeriesKey> arrived_;            // watched series whose points have arrived
  QSet<SeriesKey> watched_;            // an empty name stands for the list of the run's series
  QHash<QString, CurvePlot*> charts_;  // owned by the grid's widget
};

}  // namespace strata::ui
