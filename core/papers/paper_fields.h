#pragma once
#include "core/base/strict_map.h"
#include "core/papers/paper_table.h"

// Fields that the YAML files of tables and figures share.
namespace strata {

PaperDecode readDecode(StrictMap& map);
PaperScorer readScorer(StrictMap& map);
VocabularySizes readVocabulary(StrictMap& map);  // the key `vocabulary: [S, T]`
// The source of a row or of a figure's point: the keys preset, derived, quoted and set.
void readSource(StrictMap& map, PaperRow& row);

}  // namespace strata
