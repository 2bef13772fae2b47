#pragma once
#include <string>
#include <vector>

#include "core/run/hypothesis.h"
#include "ui/data/history_maps.h"
#include "ui/data/values.h"
#include "ui/panels/panel.h"

class QAction;
class QCheckBox;
class QComboBox;
class QHBoxLayout;
class QSpinBox;
class QTabWidget;

namespace strata::ui {
class ArcView;
class CategoryPlot;
class HeatMapView;
class HistoryCorpusView;
class HistorySentenceView;
class RecordedSteps;

// Attention of a decoder that attends to its own history (DHEA), for a recorded sentence or
// hypothesis and over all recorded sentences. It requests recordings by signals and receives
// values.
class TargetAttentionPanel : public Panel {
  Q_OBJECT
 public:
  explicit TargetAttentionPanel(QAction* newRun, QWidget* parent = nullptr);

  // Runs that have recorded target-side attention, newest first; the newest is selected if none is.
  // The view follows to a new step if it was at the last one.
  void setRuns(const QVector<RunRow>& runs);
  void setRecordings(const StepRecordings& recordings);
  // The n-best list of a sentence just translated with a run; shown above the recorded sentences.
  // `source`: its tokens, </s> included.
  void setHypotheses(qint64 run, const std::vector<std::string>& source,
                     const std::vector<Hypothesis>& hypotheses);
  void showRun(qint64 run);

  bool isUpToDate() const override;  // the selection has arrived and is drawn
  Json saveState() const override;
  void restoreState(const Json& state) override;
  HeatMapView* map() const;
  ArcView* arcs() const;
  CategoryPlot* byPosition() const;
  CategoryPlot* byClass() const;
  CategoryPlot* distances() const;
  CategoryPlot* gold() const;

 signals:
  void recordingsRequested(qint64 run, qint64 step);

 private:
  void follow(const Selection& choice) override;
  QWidget* makeRunBar();
  QWidget* makeStyleBar();
  void addStyle(QHBoxLayout* layout, QWidget* bar);
  void addExport(QHBoxLayout* layout, QWidget* bar);
  void chooseRun();
  void chooseStep(qint64 run, qint64 step);
  void fillLayers();
  void fillSentences();
  void drawSentence();
  void showChosen();  // the current tab
  void chooseExport();
  LayerChoice layer() const;

  RecordedSteps* recorded_;
  QComboBox* layers_;
  QCheckBox *words_, *fixedScale_;
  QSpinBox* longest_;
  QTabWidget* tabs_;
  HistorySentenceView* sentence_;
  HistoryCorpusView* corpus_;

  StepRecordings current_;
  qint64 hypothesesRun_ = 0;
  std::vector<std::string> hypothesesSource_;
  std::vector<Hypothesis> hypotheses_;
  qint64 wantedStep_ = -1;  // requested, not yet received; -1: none
  int wantedLayer_ = LayerChoice::kMean;
};

}  // namespace strata::ui
