#pragma once
#include "core/papers/paper_table.h"
#include "core/run/strict_map.h"

// What tables and figures write the same way.
namespace strata {

PaperDecode readDecode(StrictMap& map);
PaperScorer readScorer(StrictMap& map);
VocabularySizes readVocabulary(StrictMap& map);  // the key `vocabulary: [S, T]`
// Where a row or a point of a figure comes from: the keys preset, derived, quoted and set.
void readSource(StrictMap& map, PaperRow& row);

}  // namespace strata
