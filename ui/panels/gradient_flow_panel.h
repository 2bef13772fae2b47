#pragma once
#include <QHash>
#include <QSet>
#include <QTimer>
#include <optional>
#include <utility>

#include "ui/data/values.h"
#include "ui/panels/panel.h"

class QAction;
class QCheckBox;
class QLabel;

namespace strata::ui {
class GradientMapView;
class RunBox;

// The gradient norm of each encoder and decoder layer over training, two runs side by side. It
// requests series by a signal, repeatedly while a run trains, and receives values.
class GradientFlowPanel : public Panel {
  Q_OBJECT
 public:
  explicit GradientFlowPanel(QAction* runDemo, QWidget* parent = nullptr);

  void setRuns(const QVector<RunRow>& runs);  // oldest first, as the workspace sends them
  void setSeries(qint64 run, const QVector<SeriesPoints>& series);
  void exportTo(const QString& path);  // .png, .svg, .pdf, or all points as .csv; throws Error

  bool isUpToDate() const override;
  Here here() const override;
  Json saveState() const override;
  void restoreState(const Json& state) override;
  GradientMapView* map() const { return map_; }

 signals:
  void seriesRequested(qint64 run);  // those that are named kGradientPrefix...

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void follow(const Selection& choice) override;
  QWidget* makeToolBar();
  void chooseRuns();
  void ask();
  void draw();
  QVector<qint64> chosen() const;
  qint64 firstBreak() const;  // the first step with a norm that is not finite; -1: none

  RunBox *first_, *second_;
  QCheckBox* logarithmic_;
  QAction* last_;  // shows the steps before the norms broke
  QLabel* note_;
  GradientMapView* map_;
  QTimer again_;
  QVector<RunRow> runs_;   // newest first
  QVector<qint64> drawn_;  // one per map
  QHash<qint64, QVector<SeriesPoints>> series_;
  QHash<qint64, qint64> requestedAt_;  // step of the run when its series were last requested
  QSet<qint64> pending_;               // requested, not yet received
  std::optional<std::pair<qint64, qint64>> restored_;  // the last session's runs, until they arrive
};

}  // namespace strata::ui
