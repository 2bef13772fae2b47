#pragma once
#include <string>

#include "core/inside/hop_weights.h"
#include "ui/plots/heat_map.h"

namespace strata::ui {

// The hop weights of one side of a sentence as heat maps, highest level on top, as networks are
// drawn; empty if the sentence has no hop weights. The columns are hopColumns() of the sentence.
QVector<HeatMap> hopPictures(const SentenceRecordings& sentence, const std::string& side,
                             HopMeasure measure = HopMeasure::kWeight);
// Means, levels x hops, in the same order; empty if there are none.
QVector<HeatMap> meanPicture(const HopMeans& means, HopMeasure measure = HopMeasure::kWeight);
// Mean weights, levels x wordClassNames(), in the same order. `hop`: -1 is the mean of the hops.
QVector<HeatMap> classPicture(const HopClassMeans& classes, int hop);
QStringList wordClassNames();

}  // namespace strata::ui
