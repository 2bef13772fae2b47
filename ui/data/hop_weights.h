#pragma once
#include <QStringList>

#include "ui/data/values.h"
#include "ui/plots/heat_map.h"

namespace strata::ui {

// The hop weights of one side ("encoder" or "decoder") of a sentence, [positions, hops, levels];
// null where the sentence has none.
const Recording* hopWeightsOf(const SentenceRecordings& sentence, const QString& side);

// Means over the sentences that have them; levels = 0 where none has.
HopMeans hopMeans(const StepRecordings& recordings, const QString& side);

// What a column of a side's maps stands for: the source word on the encoder's side, "read →
// generated" on the decoder's, where the first word read is the start symbol, </s>.
QStringList hopColumns(const SentenceRecordings& sentence, const QString& side);

// "embedding", "layer 1", ... from the first level upwards.
QStringList levelNames(int levels, bool embedding);

// One levels x words map a hop of a side, the highest level on top; none where the sentence has no
// hop weights. They belong to hopColumns() of the sentence.
QVector<HeatMap> hopMaps(const SentenceRecordings& sentence, const QString& side, bool embedding);

}  // namespace strata::ui
