#pragma once
#include <cstdint>
#include <vector>

#include "core/data/batch.h"

namespace strata {

// The words of all hypotheses of a search as a tree: shared beginnings are stored once, each word
// with a backpointer to the one before.
class WordTree {
 public:
  struct Word {
    TokenId token = 0;
    double logProbability = 0;
    std::int64_t row = 0;  // of the step that produced it
  };
  using Place = std::int32_t;
  static constexpr Place kRoot = -1;  // before the first word

  Place add(Place parent, const Word& word);
  std::vector<Word> path(Place last) const;  // the first word first
  std::vector<TokenId> tokens(Place last) const;

 private:
  struct Node {
    Place parent;
    Word word;
  };
  std::vector<Node> nodes_;
};

}  // namespace strata
