#include "core/decode/no_repeat.h"

#include <algorithm>

namespace strata {

std::vector<TokenId> repeatingWords(std::span<const TokenId> words, int n) {
  const auto history = static_cast<std::size_t>(n) - 1;
  std::vector<TokenId> repeating;
  if (words.size() <= history) return repeating;
  const auto newest = words.last(history);
  for (std::size_t i = 0; i + history < words.size(); ++i) {
    if (std::ranges::equal(words.subspan(i, history), newest))
      repeating.push_back(words[i + history]);
  }
  std::sort(repeating.begin(), repeating.end());
  repeating.erase(std::unique(repeating.begin(), repeating.end()), repeating.end());
  return repeating;
}

}  // namespace strata
