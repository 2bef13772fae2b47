#pragma once
#include <span>
#include <vector>

#include "core/data/batch.h"
#include "core/data/corpus.h"
#include "core/nn/translation_model.h"

namespace strata {

// Throws an Error that names the sentence where one that a model is to read, as source or target,
// holds an id outside the model's vocabulary: kernels read and write a row an id without a look.
void requireKnownIds(const TranslationModel& model, CorpusSide side,
                     std::span<const std::vector<TokenId>> sentences);

}  // namespace strata
