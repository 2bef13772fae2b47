#pragma once
#include <QWidget>
#include <vector>

#include "core/inside/history_corpus.h"
#include "ui/data/background.h"
#include "ui/data/history_maps.h"
#include "ui/data/shared_recordings.h"

class QComboBox;
class QHBoxLayout;
class QLabel;

namespace strata::ui {
class CategoryPlot;

// Target-side attention over all recorded sentences, on whole words: the share of the source by
// position and word class, the distances looked back, and arcs that hit the gold head if gold is
// known.
class HistoryCorpusView : public QWidget {
  Q_OBJECT
 public:
  explicit HistoryCorpusView(QWidget* parent = nullptr);

  void setRecordings(const SharedRecordings& recordings);  // drawn by the next draw()
  void draw(int layer);  // of the distances; LayerChoice::kMean: the mean of the layers
  bool isUpToDate() const { return !computing_->isBusy(); }
  QStringList exportedParts() const;
  void exportTo(const QString& path);  // one file per plot: NAME-position.svg, ...; throws Error

  QComboBox* measure() const { return measure_; }
  CategoryPlot* byPosition() const { return byPosition_; }
  CategoryPlot* byClass() const { return byClass_; }
  CategoryPlot* distances() const { return distances_; }
  CategoryPlot* gold() const { return gold_; }

 private:
  struct Figures {
    std::shared_ptr<const std::vector<CorpusSentence>> sentences;  // null: not computed yet
    Distances distances;                                           // of the layer shown
    GoldHits gold;                                                 // of the mean of the layers
    std::vector<GoldHits> goldOfLayers;
  };

  QWidget* makePlots();
  static Figures figuresOf(std::shared_ptr<const std::vector<CorpusSentence>> sentences, int layer);
  void drawAll();
  void drawShares();
  void drawDistances();
  void drawGold();
  void describe();

  QComboBox* measure_;
  QLabel* note_;
  CategoryPlot *byPosition_, *byClass_, *distances_, *gold_;
  Background* computing_;
  SharedRecordings recordings_;  // null: none yet
  Figures figures_;              // of the recordings, computed when they are first drawn
  int layer_ = LayerChoice::kMean;
};

}  // namespace strata::ui
