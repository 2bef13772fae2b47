#pragma once
#include <QWidget>
#include <vector>

#include "core/inside/history_corpus.h"
#include "ui/data/history_maps.h"
#include "ui/data/values.h"

class QCheckBox;
class QComboBox;
class QHBoxLayout;
class QLabel;
class QListWidget;
class QSpinBox;
class QTabWidget;
class QVBoxLayout;

namespace strata::ui {
class ArcView;
class CategoryPlot;
class EmptyStack;
class HeatMapView;
class RecordedSteps;

// Attention of a decoder that attends to its own history (DHEA): for any recorded sentence or
// hypothesis the source and history maps, the gate and the share of the source, and arcs to the
// most attended earlier words; over all recorded sentences the share of the source and the
// distances looked back. It requests recordings by signals and receives values.
class TargetAttentionPanel : public QWidget {
  Q_OBJECT
 public:
  explicit TargetAttentionPanel(QAction* newRun, QWidget* parent = nullptr);

  // Runs that have recorded target-side attention, newest first; the newest is selected if none is.
  // The view follows to a new step if it was at the last one.
  void setRuns(const QVector<RunRow>& runs);
  void setRecordings(const StepRecordings& recordings);
  // The n-best list of a sentence just translated with a run; shown above the recorded sentences.
  void setHypotheses(qint64 run, const std::vector<RecordedHypothesis>& hypotheses);
  void showRun(qint64 run);

  // Display settings for the session: layer, words or subwords, scale, tab.
  QByteArray saveState() const;
  void restoreState(const QByteArray& state);  // ignores invalid settings

  bool isEmpty() const;
  bool isUpToDate() const;  // the selection has arrived and is drawn
  HeatMapView* map() const { return map_; }
  ArcView* arcs() const { return arcs_; }
  CategoryPlot* byPosition() const { return byPosition_; }
  CategoryPlot* byClass() const { return byClass_; }
  CategoryPlot* distances() const { return distances_; }
  CategoryPlot* gold() const { return gold_; }

 signals:
  void recordingsRequested(qint64 run, qint64 step);
  void failed(const QString& message);

 private:
  QWidget* makeRunBar();
  QWidget* makeViewBar();
  QWidget* makeSentenceTab();
  QWidget* makeCorpusTab();
  void addViewOptions(QHBoxLayout* layout, QWidget* bar);
  void addExport(QHBoxLayout* layout, QWidget* bar);
  void chooseRun();
  void chooseStep(qint64 run, qint64 step);
  void fillLayers();
  void fillSentences();
  void addSentence(const QString& prefix, const RecordedHypothesis& shown, const QString& detail);
  void showChosen();  // the current tab
  void drawSentence();
  void drawCorpus();
  void drawShares();
  void drawDistances();
  void drawGold();
  void link(int word, int column);
  void readOutCell(int map, int row, int column);
  void readOutWord(int word);
  void chooseExport();
  void exportTo(const QString& path);  // throws Error
  LayerChoice layer() const;

  RecordedSteps* recorded_;
  QComboBox *layers_, *measure_;
  QLabel *readout_, *note_;
  QCheckBox *words_, *fixedScale_;
  QSpinBox* longest_;
  QTabWidget* tabs_;
  QListWidget* sentences_;
  HeatMapView* map_;
  ArcView* arcs_;
  CategoryPlot *byPosition_, *byClass_, *distances_, *gold_;
  EmptyStack* stack_;

  StepRecordings current_;
  std::vector<CorpusSentence> corpus_;  // of `current_`, computed when the tab is first shown
  bool corpusMade_ = false;
  qint64 hypothesesRun_ = 0;
  std::vector<RecordedHypothesis> hypotheses_;
  std::vector<RecordedHypothesis> listed_;  // one per list entry
  TargetAttention drawn_;
  AttentionPicture picture_;
  qint64 wantedStep_ = -1;  // requested, not yet received; -1: none
  int wantedLayer_ = LayerChoice::kMean;
};

}  // namespace strata::ui
