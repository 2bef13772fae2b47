// The attentions of `strata-run runs inside`.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/json.h"
#include "core/inside/attention_maps.h"

namespace strata {

// Of every attention of a model and of their means: [{"kind", "layer", "unit", "units", "words",
// "evenness", "largest", "alignment": {"aer", "precision", "recall", "links", "sentences"}?}],
// where a layer or unit of null is the mean over all. Null if nothing of the kind is recorded.
Json attentionsOf(const RecordedStep& step);
void printAttentions(const Json& attentions);

struct SentenceMapsOptions {
  int sentence = 0;  // from 1, of the recorded ones
  bool words = false;
  const RecordedStep* other = nullptr;  // to be subtracted from; null: no difference
};
// {"source", "target", "maps": [{"kind", "layer", "unit", "rows", "columns", "weights": [[...]],
// "difference": [[...]]?}]}. Differences are of whole words. Throws Error if there is no such
// sentence, or if the other step's words differ.
Json sentenceMaps(const RecordedStep& step, const SentenceMapsOptions& options);
void printSentenceMaps(const Json& sentence);  // the mean of each kind, or its difference

}  // namespace strata
