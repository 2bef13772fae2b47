#pragma once
#include <QHash>
#include <optional>

#include "core/inside/hop_weights.h"
#include "ui/data/values.h"
#include "ui/panels/panel.h"

class QButtonGroup;
class QComboBox;
class QAction;
class QLabel;
class QListWidget;

namespace strata::ui {
class CurvePlot;
class HeatMapView;
class RecordedSteps;

// Attention weights of each fusion hop (Wang et al., COLING 2018): the mean layers x hops map, the
// same over training, and for any recorded sentence one levels x words map per hop. It requests
// recordings by signals and receives values.
class HopWeightsPanel : public Panel {
  Q_OBJECT
 public:
  explicit HopWeightsPanel(QAction* runDemo, QWidget* parent = nullptr);

  // Runs that have recorded hop weights, newest first; the newest is selected if none is. The view
  // follows to a new step if it was at the last one.
  void setRuns(const QVector<RunRow>& runs);
  void setRecordings(const StepRecordings& recordings);
  void setMeans(qint64 run, const QString& side, const QVector<HopMeans>& means);
  void showRun(qint64 run);

  bool isUpToDate() const override;  // the selection has arrived and is drawn
  Json saveState() const override;
  void restoreState(const Json& state) override;
  HeatMapView* meanMap() const { return meanMap_; }
  HeatMapView* sentenceMap() const { return sentenceMap_; }
  CurvePlot* overTraining() const { return overTraining_; }

 signals:
  void runChosen(qint64 run);  // requests its means over training, again when it has recorded more
  void recordingsRequested(qint64 run, qint64 step);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void follow(const Selection& choice) override;
  QWidget* makeToolBar();
  QWidget* makeMeans();
  QWidget* makeSentences();
  void chooseRun(qint64 run);
  void chooseStep(qint64 run, qint64 step);
  void chooseSide();
  void fillSentences();
  void drawMean();
  void drawSentence();
  void drawOverTraining();
  void exportPicture();
  void updateSides();
  QString side() const;

  RecordedSteps* recorded_;
  QComboBox* hop_;
  QButtonGroup* sides_;
  QLabel* entropy_;
  QListWidget* sentences_;
  HeatMapView *meanMap_, *sentenceMap_;
  CurvePlot* overTraining_;
  StepRecordings current_;
  QHash<QString, QVector<HopMeans>> means_;  // of the selected run, by side
  qint64 wantedStep_ = -1;                   // requested, not yet received; -1: none
  // Of the last session, until there are hops and sentences.
  int restoredHop_ = -1;  // -1: none
  std::optional<int> restoredSentence_;
};

}  // namespace strata::ui
