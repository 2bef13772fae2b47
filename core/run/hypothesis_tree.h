#pragma once
#include <string>
#include <vector>

#include "core/run/hypothesis.h"

namespace strata {

// Hypotheses of one sentence as a tree: what they begin with in common stands once.
struct HypothesisNode {
  std::vector<std::string> words;  // as far as nothing branches; of the root empty, unless all
                                   // hypotheses begin with the same words
  double logProbability = 0;       // of these words
  std::vector<HypothesisNode> children = {};  // in the order of the best hypothesis of each
  int hypothesis = -1;                        // index of the one that ends here; -1: none
};
HypothesisNode treeOf(const std::vector<Hypothesis>& hypotheses);

}  // namespace strata
