#pragma once
#include <QWidget>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/run/hypothesis.h"
#include "ui/data/background.h"
#include "ui/data/history_maps.h"
#include "ui/data/shared_recordings.h"
#include "ui/panels/here.h"

class QLabel;
class QListWidget;

namespace strata::ui {
class ArcView;
class HeatMapView;

// Target-side attention of one sentence or hypothesis of a list: the source and history maps, the
// gate and the share of the source, arcs to the most attended earlier words, and a line that reads
// out what the user points at. A word is highlighted in all of them.
class HistorySentenceView : public QWidget {
  Q_OBJECT
 public:
  struct Style {
    LayerChoice layer;
    bool words = false;      // subwords are merged
    bool fixedScale = true;  // 0 to 1; else to the largest weight
  };

  explicit HistorySentenceView(QWidget* parent = nullptr);

  // The n-best list of a translation of `source`, best first, then recorded sentences; only those
  // that have a history are listed. Keeps the selected row.
  void setSentences(const std::vector<std::string>& source,
                    const std::vector<Hypothesis>& hypotheses, const SharedRecordings& recorded);
  void setStyle(const Style& style);
  void setLongest(int words);           // longer arcs are red
  void showHypothesis(int hypothesis);  // of the n-best list; ignored if it is not listed
  void showRecorded(const std::vector<std::string>& source);  // the same
  static QStringList exportedParts() { return {QStringLiteral("maps"), QStringLiteral("arcs")}; }
  void exportTo(const QString& path);  // one file per plot: NAME-maps.svg, ...; throws Error

  int recordedSentence() const;        // position among the recorded ones; -1: none is selected
  void restoreSentence(int position);  // as soon as they are there

  bool isUpToDate() const { return !computing_->isBusy(); }  // what is selected is drawn
  Here here() const;  // of the keyboard's cursor in the map, or of the word in the arcs

  HeatMapView* map() const { return map_; }
  ArcView* arcs() const { return arcs_; }

 signals:
  void hypothesisPicked(int hypothesis);  // by the user
  void recordedPicked(const std::vector<std::string>& source);

 private:
  struct Listed {
    std::shared_ptr<const SentenceRecordings> sentence;
    int hypothesis = -1;  // -1: a recorded sentence
  };

  QWidget* makePictures();
  void add(const QString& prefix, const Listed& listed, const QString& detail);
  void show(std::size_t row);
  void draw();
  void show(HistoryDrawing drawing);
  void link(int word, int column);
  void readOutCell(int map, int row, int column);
  void readOutWord(int word);
  void addWord(Here& here, const LayerAttention& layer, int word) const;

  QListWidget* sentences_;
  HeatMapView* map_;
  ArcView* arcs_;
  QLabel* readout_;
  std::vector<Listed> listed_;  // one per list entry
  Style style_;
  Background* computing_;
  HistoryDrawing drawn_;
  std::optional<int> restored_;
};

}  // namespace strata::ui
