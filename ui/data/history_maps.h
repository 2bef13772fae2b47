#pragma once
#include "core/inside/target_attention.h"
#include "ui/plots/arc_view.h"
#include "ui/plots/heat_map.h"

namespace strata::ui {

// Which layers a picture shows.
struct LayerChoice {
  static constexpr int kMean = -1, kAll = -2;
  int index = kMean;  // of TargetAttention::layers, or one of the two
};

// A sentence's attention as one heat-map a layer: columns of the source, of the history (with a
// line between them where one softmax goes over both), strips of the gate and the source share, and
// row sums.
struct AttentionPicture {
  QStringList columns;
  QVector<ColumnBlock> blocks;
  QVector<HeatMap> maps;
  int firstRead = 0, reads = 0;  // the history's columns
  float largest = 0;             // weight on a word

  // The column of the word that was read, or generated before: -1 where there is none.
  int columnOfWord(int word) const { return word + 1 < reads ? firstRead + word + 1 : -1; }
};
AttentionPicture attentionPicture(const TargetAttention& attention, LayerChoice choice);

// The same layers' arcs.
QVector<ArcRow> arcRows(const TargetAttention& attention, LayerChoice choice);

}  // namespace strata::ui
