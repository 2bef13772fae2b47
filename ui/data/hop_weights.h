#pragma once
#include <QStringList>

#include "ui/data/values.h"

namespace strata::ui {

// The hop weights of one side ("encoder" or "decoder") of a sentence, [positions, hops, levels]; null where the
// sentence has none.
const Recording* hopWeightsOf(const SentenceRecordings& sentence, const QString& side);

// Means over the sentences that have them; levels = 0 where none has.
HopMeans hopMeans(const StepRecordings& recordings, const QString& side);

// What a column of a side's maps stands for: the source word on the encoder's side, "read → generated" on the
// decoder's, where the word read in front of the first one generated is the start symbol.
QStringList hopColumns(const SentenceRecordings& sentence, const QString& side);

// "embedding", "layer 1", ... from the first level upwards.
QStringList levelNames(int levels, bool embedding);

}  // namespace strata::ui
