#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "core/decode/beam_search.h"

namespace strata {

// beamSearch for any number of sentences: sentences of similar length are batched, at most
// `batchSentences` at once, and waiting ones take the places of those that are completed; results
// in the order given. A sentence without words (only </s>) has one hypothesis, empty and of
// probability 1, and is not searched; nor is one of another part, which has none. One that the
// model has no positions for, or no positions for its prefix, is what options.tooLong says: a usage
// error that names it before anything is searched; cut, which a prefix is not; or as one without
// words. `advance` (may be empty) receives the number of finished sentences.
std::vector<std::vector<Hypothesis>> searchAll(
    TranslationModel& model, const BeamInput& input, const BeamOptions& options, int batchSentences,
    const std::function<void(std::int64_t)>& advance = {});

}  // namespace strata
