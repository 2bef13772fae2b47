#pragma once
#include <string>

#include "core/inside/hop_weights.h"
#include "ui/plots/heat_map.h"

namespace strata::ui {

// The hop weights of one side of a sentence as heat maps, highest level on top, as networks are
// drawn; empty if the sentence has no hop weights. The columns are hopColumns() of the sentence.
QVector<HeatMap> hopPictures(const SentenceRecordings& sentence, const std::string& side);
// Mean weights, levels x hops, in the same order; empty if there are none.
QVector<HeatMap> meanPicture(const HopMeans& means);

}  // namespace strata::ui
