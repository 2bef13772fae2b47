#pragma once
#include <span>
#include <vector>

#include "core/data/batch.h"

namespace strata {

// The words that, appended to `words`, would complete an n-gram that is already in them (models.md
// 10), without duplicates, ascending; n >= 1.
std::vector<TokenId> repeatingWords(std::span<const TokenId> words, int n);

}  // namespace strata
