#pragma once
#include <span>
#include <vector>

#include "core/data/batch.h"

namespace strata {

// The words that behind `words` would complete an n-gram which is in them already (models.md 10),
// each once, ascending; n >= 1.
std::vector<TokenId> repeatingWords(std::span<const TokenId> words, int n);

}  // namespace strata
