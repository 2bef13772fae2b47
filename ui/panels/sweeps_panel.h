#pragma once
#include <QSet>
#include <QTimer>

#include "core/sweeps/sweep_table.h"
#include "ui/data/values.h"
#include "ui/panels/panel.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QTabWidget;

namespace strata::ui {
class ReportTable;
class XyPlot;

// A final metric of runs over a setting, parameters, hours or speed: a point per seed, the mean
// with its band, a line per value of another key, the baseline dashed, the Pareto front; every
// configuration over all keys that differ as parallel coordinates.
class SweepsPanel : public Panel {
  Q_OBJECT
 public:
  explicit SweepsPanel(QAction* newRun, QWidget* parent = nullptr);

  void setRuns(const QVector<RunRow>& runs);
  void setSweep(const QString& filter, const SweptRuns& runs);
  void setSweepError(const QString& message);

  const SweepTable& table() const { return shown_; }

  bool isUpToDate() const override;
  Here here() const override;
  Json saveState() const override;
  void restoreState(const Json& state) override;

 signals:
  void sweepRequested(const QString& filter);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* makeChoices(QWidget* content);
  QWidget* makeTools(QWidget* content);
  void request();
  void fill();
  void draw();
  void drawChart();
  void drawAxes();
  void drawTab();
  void choose(qint64 run);
  QStringList command() const;
  SweepQuery query() const;
  void exportTo(const QString& path);

  QLineEdit* filter_;
  QComboBox *metric_, *x_, *lines_, *baseline_, *band_;
  QCheckBox *logarithmic_, *front_;
  QLabel* problem_;
  QTabWidget* tabs_;
  XyPlot *chart_, *axes_;
  ReportTable* numbers_;
  SweptRuns runs_;
  SweepTable shown_;
  QVector<qint64> ended_;
  QTimer timer_;
  Json chosen_;  // the last state that the user has chosen: runs may lack it for a while
  bool stale_ = true, asked_ = false, arrived_ = false;
  QSet<XyPlot*> stalePlots_;  // to be drawn when they are looked at
};

}  // namespace strata::ui
