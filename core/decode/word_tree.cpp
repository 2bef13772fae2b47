#include "core/decode/word_tree.h"

#include <algorithm>

namespace strata {

WordTree::Place WordTree::add(Place parent, const Word& word) {
  nodes_.push_back({parent, word});
  return static_cast<Place>(nodes_.size()) - 1;
}

std::vector<WordTree::Word> WordTree::path(Place last) const {
  std::vector<Word> words;
  for (Place at = last; at != kRoot; at = nodes_[static_cast<std::size_t>(at)].parent)
    words.push_back(nodes_[static_cast<std::size_t>(at)].word);
  std::reverse(words.begin(), words.end());
  return words;
}

std::vector<TokenId> WordTree::tokens(Place last) const {
  std::vector<TokenId> tokens;
  for (const Word& word : path(last)) tokens.push_back(word.token);
  return tokens;
}

}  // namespace strata
