#pragma once
#include <QHash>
#include <QSet>
#include <QWidget>
#include <memory>

#include "ui/data/values.h"

class QAction;
class QComboBox;
class QGridLayout;
class QLineEdit;
class QListWidget;
class QListWidgetItem;
class QScrollArea;
class QSlider;

namespace strata::ui {
class CurvePlot;
class EmptyStack;

// Scalars of any runs: one chart per series, one line per run. It announces the series it needs
// (watchChanged) and receives their points; charts share zoom, x axis and smoothing.
class CurvesPanel : public QWidget {
  Q_OBJECT
 public:
  explicit CurvesPanel(QAction* runDemo, QWidget* parent = nullptr);

  void setRuns(const QVector<RunRow>& runs);  // ticks the newest at first, and each run that starts
  void setSeriesNames(qint64 run, const QStringList& names);
  void addPoints(const QVector<SeriesPoints>& points);
  void showRuns(const QVector<qint64>& runs);  // ticks these and no others
  void showSeries(const QStringList& names);

  QVector<CurvePlot*> charts() const;
  CurvePlot* chart(const QString& series) const;
  std::shared_ptr<const Series> series(const SeriesKey& key) const;
  const QSet<SeriesKey>& watched() const { return watched_; }
  bool isEmpty() const;
  bool isUpToDate() const;  // all watched series have arrived and are drawn

 signals:
  void watchChanged(const QVector<SeriesKey>& keys);
  void failed(const QString& message);

 protected:
  void changeEvent(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;  // of the charts' view

 private:
  static constexpr int kSmoothingSteps = 100;  // of the slider

  QWidget* makeSideBar();
  QWidget* makeToolBar();
  void addFitAndExport(QLayout* layout);
  void refreshSeriesList();
  void tickDefaults();
  void updateSelection();
  void rebuildCharts();
  void layOutCharts();
  void refreshCurves(const QString& name);
  CurvePlot* makeChart(const QString& name);
  void exportCharts();
  void filterSeries(const QString& pattern);
  void applySmoothing(int position);
  QVector<qint64> tickedRuns() const;
  QStringList tickedSeries() const;
  QColor colourOf(qint64 run) const;
  void refreshColours();

  QListWidget *runList_, *seriesList_;
  QLineEdit* seriesFilter_;
  QComboBox* xAxis_;
  QAction *logX_, *logY_;
  QSlider* smoothing_;
  QScrollArea* scroll_;
  QGridLayout* grid_;
  EmptyStack* stack_;
  QHash<qint64, QStringList> names_;  // series of each run
  QHash<SeriesKey, std::shared_ptr<Series>> data_;
  QSet<SeriesKey> arrived_;            // watched series whose points have arrived
  QSet<SeriesKey> watched_;            // an empty name stands for the list of the run's series
  QHash<QString, CurvePlot*> charts_;  // owned by the grid's widget
  QHash<qint64, QString> labels_;
  QSet<qint64> running_;       // queued or running runs
  bool seriesChosen_ = false;  // the user has ticked series: stop applying defaults
};

}  // namespace strata::ui
