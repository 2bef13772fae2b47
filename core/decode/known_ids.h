#pragma once
#include <span>
#include <vector>

#include "core/data/batch.h"
#include "core/data/corpus.h"
#include "core/nn/translation_model.h"

namespace strata {

// Throws an Error that names the sentence if a source or target contains an id outside the model's
// vocabulary: kernels index rows by id without checking.
void requireKnownIds(const TranslationModel& model, CorpusSide side,
                     std::span<const std::vector<TokenId>> sentences);

}  // namespace strata
