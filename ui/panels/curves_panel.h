#pragma once
#include <QHash>
#include <QSet>
#include <memory>

#include "ui/data/drawn_runs.h"
#include "ui/data/values.h"
#include "ui/panels/panel.h"
#include "ui/plots/curve_plot.h"

class QAction;
class QComboBox;
class QGridLayout;
class QListWidget;
class QScrollArea;
class QShortcut;
class QSlider;
class QToolButton;

namespace strata::ui {
class SeriesBox;
class SeriesList;

// Scalars of any runs: one chart per series, one line per run. It announces the series it needs
// (watchChanged) and receives their points; charts share zoom, x axis and smoothing. The x axis is
// the step, a time, or another series of the same runs; runs that differ only in their seed can be
// one line with a band.
class CurvesPanel : public Panel {
  Q_OBJECT
 public:
  explicit CurvesPanel(QAction* runDemo, QWidget* parent = nullptr);

  void setRuns(const QVector<RunRow>& runs);
  void setDrawn(const QVector<DrawnRun>& runs);
  void setSeriesNames(qint64 run, const QStringList& names);
  void addPoints(const QVector<SeriesPoints>& points);
  void showSeries(const QStringList& names);

  QVector<CurvePlot*> charts() const;  // the pinned ones first
  CurvePlot* chart(const QString& series) const;
  std::shared_ptr<const Series> series(const SeriesKey& key) const;
  const QSet<SeriesKey>& watched() const { return watched_; }
  // A list in sight shows which line is which run: the legend is not needed.
  void setRunsListed(bool listed);
  Here here() const override;
  bool isUpToDate() const override;  // all watched series have arrived and are drawn
  Json saveState() const override;
  void restoreState(const Json& state) override;

 signals:
  void watchChanged(const QVector<SeriesKey>& keys);

 protected:
  void changeEvent(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;  // of the charts' view

 private:
  static constexpr int kSmoothingSteps = 100;   // of the slider
  static constexpr int kTwoColumnsWidth = 620;  // of the charts, in pixels

  // One line of every chart.
  struct Line {
    QString label;
    int style = 0;
    QVector<qint64> runs;  // several: their mean
  };

  void follow(const Selection& choice) override;
  QStringList command() const;
  void drawWanted();
  void drawRestored();
  QVector<qint64> drawnIds() const;
  QVector<Line> lines() const;
  QString otherX() const;   // the series of the x axis; empty: it is the step or a time
  QString secondY() const;  // the series of the axis at the right; empty: there is none
  QString titleOf(const QString& series) const;  // of its axis
  bool derives() const;                          // curves are computed from series
  void fillAxes();
  void chooseXAxis();
  CurvePlot::Curve curveOf(const Line& line, const QString& name);
  std::shared_ptr<Series> shown(const std::shared_ptr<Series>& series, qint64 run) const;
  void refreshAll();
  void refreshLegend();
  void placeLegend();
  void refreshBreaks();
  void fillBreaks();
  void choosePoint(const QString& name, int curve, qint64 step);
  QAction* addToggle(QLayout* layout, const QString& name, const QString& text, const QString& tip,
                     void (CurvePlot::*set)(bool on));
  void addSeeds(QLayout* layout);
  void addSmoothing(QLayout* layout);
  void addBreaks(QLayout* layout);
  QStringList exportedParts() const;
  QWidget* makeCharts();
  QWidget* makeToolBar();
  void drawTicked();
  void rebuildCharts();
  void layOutCharts();
  void sayLack();
  void enlarge(const QString& name);  // empty: all are shown
  void refreshCurves(const QString& name);
  void refreshSecond(const QString& name);
  CurvePlot* makeChart(const QString& name);
  void addChartTools(CurvePlot* chart, const QString& name);
  void pinChart(const QString& name, bool on);
  QVector<CurvePlot*> shownCharts() const;  // all, or the enlarged one
  void exportCharts(const QString& path);
  void applySmoothing();
  double smoothing() const;
  std::shared_ptr<Series> newSeries() const;

  SeriesList* list_;
  QVector<DrawnRun> drawn_;
  QVector<DrawnRun> wanted_;    // differs while it is pinned
  QVector<DrawnRun> restored_;  // of the last session, until runs arrive; empty: it was not pinned
  SeriesBox *xAxis_, *second_;
  QComboBox* seeds_;
  QAction *logX_, *logY_, *outliers_;
  QToolButton* breaks_;  // lists what is not finite
  QListWidget* legend_;
  QSlider* smoothing_;
  QScrollArea* scroll_;
  QShortcut* showAll_;  // while one chart is shown alone
  QGridLayout* grid_;
  QVector<RunRow> runs_;
  QHash<QString, QVector<qint64>> drawnRuns_;  // of each chart, one per curve
  bool runsListed_ = true;
  QStringList pinnedCharts_;  // their series
  QString enlarged_;          // the series of the only chart that is shown; empty: all are
  QHash<SeriesKey, std::shared_ptr<Series>> data_;
  QSet<SeriesKey> arrived_;            // watched series whose points have arrived
  QSet<SeriesKey> watched_;            // an empty name stands for the list of the run's series
  QHash<QString, CurvePlot*> charts_;  // owned by the grid's widget
};

}  // namespace strata::ui
