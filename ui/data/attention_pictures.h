#pragma once
#include "core/inside/attention_maps.h"
#include "ui/plots/heat_map.h"
#include "ui/plots/map_grid.h"
#include "ui/plots/weight_map.h"

namespace strata::ui {

QString attentionKindText(AttentionKind kind);            // "Source attention"
QString layerText(int layer);                             // "mean of the layers" if negative
QString unitText(const AttentionLayer& layer, int unit);  // "head 1", "attention 1"; "mean of …"

// What a picture shows: one attention, or all units of a layer side by side.
struct AttentionRequest {
  static constexpr int kAllUnits = -2;
  AttentionChoice choice;  // its unit may be kAllUnits
  TextLevel level = TextLevel::kTokens;
  QString name;  // "first, step 400": the title where two are compared
};

// The recordings of the same sentence from another step or run, if there are two to compare.
struct OtherSentence {
  const SentenceRecordings* sentence = nullptr;
  QString name;
};

// The maps of a request: one, or one per unit. With another sentence, whole words: A, B and B - A
// of one map, only B - A of each unit. Empty if the sentence has no such attention. Throws Error if
// the other sentence has other words or no such attention.
QVector<WeightMap> attentionPictures(const SentenceRecordings& sentence,
                                     const AttentionRequest& request, const OtherSentence& other);

// All layers x units of a kind; with another sentence the differences.
MapGridView::Content birdsEye(const SentenceRecordings& sentence, const AttentionRequest& request,
                              const OtherSentence& other);

// Maps of the same rows side by side, as columns of one heat map.
struct SideBySide {
  QStringList columns;
  QVector<ColumnBlock> blocks;
  HeatMap map;
};
struct SideBySideOptions {
  bool rowSums = false;  // a column of them after each map
};
SideBySide sideBySide(const QVector<WeightMap>& maps, const SideBySideOptions& options);

}  // namespace strata::ui
