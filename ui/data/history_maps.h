#pragma once
#include "core/inside/target_attention.h"
#include "ui/plots/arc_view.h"
#include "ui/plots/heat_map.h"

namespace strata::ui {

// The layers that a plot shows.
struct LayerChoice {
  static constexpr int kMean = -1, kAll = -2;
  int index = kMean;  // of TargetAttention::layers, or one of the two
};

// A sentence's attention as one heat map per layer: columns of the source and of the history (with
// a line between them if one softmax covers both), strips of the gate and the source share, and row
// sums.
struct AttentionPicture {
  QStringList columns;
  QVector<ColumnBlock> blocks;
  QVector<HeatMap> maps;
  int firstRead = 0, reads = 0;  // the history's columns
  float largest = 0;             // largest weight on a word

  // The history column of a generated word; -1: none.
  int columnOfWord(int word) const { return word + 1 < reads ? firstRead + word + 1 : -1; }
};
AttentionPicture attentionPicture(const TargetAttention& attention, LayerChoice choice);

// The same layers' arcs.
QVector<ArcRow> arcRows(const TargetAttention& attention, LayerChoice choice);

// All that is shown of one sentence.
struct HistoryDrawing {
  TargetAttention attention;  // of tokens or words
  LayerAttention shown;       // the chosen layer, or the mean of all
  std::vector<Arc> arcs;      // of `shown`
  AttentionPicture picture;
  QVector<ArcRow> arcRows;
};
HistoryDrawing historyDrawing(const SentenceRecordings& sentence, LayerChoice choice, bool words);

}  // namespace strata::ui
