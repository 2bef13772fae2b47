#pragma once
#include <QHash>
#include <optional>

#include "core/inside/hop_weights.h"
#include "ui/data/values.h"
#include "ui/panels/recordings_panel.h"

class QButtonGroup;
class QComboBox;
class QAction;
class QLabel;
class QListWidget;

namespace strata::ui {
class CategoryPlot;
class CurvePlot;
class HeatMapView;
class HopViews;

// Attention weights of each fusion hop (Wang et al., COLING 2018), or what each level contributes:
// the mean layers x hops map; the same over training, between positions, by class of word and from
// hop to hop; and for any recorded sentence one levels x words map per hop. Its
// runChosen() requests the means of a run over training, again when it has recorded more.
class HopWeightsPanel : public RecordingsPanel {
  Q_OBJECT
 public:
  explicit HopWeightsPanel(QAction* runDemo, QWidget* parent = nullptr);

  void setMeans(qint64 run, const QString& side, const QVector<HopMeans>& means);

  bool isUpToDate() const override;
  Here here() const override;
  Json saveState() const override;
  void restoreState(const Json& state) override;
  HeatMapView* meanMap() const { return meanMap_; }
  HeatMapView* sentenceMap() const { return sentenceMap_; }
  HopViews* views() const { return views_; }
  CurvePlot* overTraining() const;

 protected:
  void changeEvent(QEvent* event) override;

 private:
  QString lackOf(const RunRow& run) const override;
  void showRecordings() override;
  void showSentence(int index) override;
  QWidget* makeToolBar();
  QWidget* makeMeans();
  QWidget* makeSentences();
  void chooseSide();
  void fillSentences();
  HopMeasure measure() const;
  int hop() const;  // -1: the mean of the hops
  void chooseMeasure();
  void drawMean();
  void listHops();
  void drawViews();
  void drawSentence();
  void drawOverTraining();
  void exportPicture(const QString& path);
  void updateSides();
  QString side() const;

  QComboBox *hop_, *measure_;
  QButtonGroup* sides_;
  QLabel *meanTitle_, *entropy_;
  QListWidget* sentences_;
  HeatMapView *meanMap_, *sentenceMap_;
  HopViews* views_;
  HopMeans mean_;                            // of the step shown
  QHash<QString, QVector<HopMeans>> means_;  // of the selected run, by side
  // Of the last session, until there are hops and sentences.
  int restoredHop_ = -1;  // -1: none
  std::optional<int> restoredSentence_;
};

}  // namespace strata::ui
