#pragma once
#include <QVector>

#include "ui/data/histogram_watch.h"
#include "ui/data/values.h"
#include "ui/panels/panel.h"

class QComboBox;
class QLabel;

namespace strata::ui {
class HistogramMapView;
class RunBox;

// How the weights, gradients or outputs of one layer of a run are spread, over training. It asks
// for the histograms of what is chosen while somebody looks, and receives them again as they grow.
class HistogramsPanel : public Panel {
  Q_OBJECT
 public:
  explicit HistogramsPanel(QAction* runDemo, QWidget* parent = nullptr);

  void setRuns(const QVector<RunRow>& runs);  // oldest first, as the workspace sends them
  void setHistograms(const RunHistograms& histograms);
  void exportTo(const QString& path);  // .png, .svg, .pdf, or all bins as .csv; throws Error

  bool isUpToDate() const override;
  Json saveState() const override;
  void restoreState(const Json& state) override;
  Here here() const override;
  HistogramMapView* map() const { return map_; }

 signals:
  void histogramsWanted(const strata::ui::HistogramChoice& choice);  // run 0: none
  void settingWanted(const QString& key);                            // of a run, to be shown

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void follow(const Selection& choice) override;
  QWidget* makeToolBar(QWidget* parent);
  HistogramChoice choice() const;
  QStringList arguments() const;  // of strata-run, which prints the figures
  void ask();
  void sayWhatIsMissing();
  void showLayers();
  void showFigures();

  RunBox* runs_;
  QComboBox *kind_, *layer_;
  QLabel* note_;
  HistogramMapView* map_;
  RunHistograms shown_;
  bool arrived_ = false;
  qint64 restoredRun_ = 0;
  QString problem_;      // that is said
  QString wantedLayer_;  // which another kind may lack
};

}  // namespace strata::ui
