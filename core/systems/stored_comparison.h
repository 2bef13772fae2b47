#pragma once
#include <string>
#include <vector>

#include "core/compare/comparison.h"
#include "core/systems/score_cache.h"
#include "core/systems/stored_systems.h"

namespace strata {

// A comparison of systems that the workspace holds.
struct StoredComparison {
  std::string testSet;                // TestSet::id
  std::vector<StoredSystem> systems;  // two or more of that set
  TextState state = TextState::kRaw;  // of texts and references
  bool counts = true;      // buckets by frequency in training, where the set's dataset has its text
  bool vocabulary = true;  // unknown words, where the set's dataset has a vocabulary
  ComparisonOptions options = {};  // options.baseline is a system's name
};

// References, source, texts, counts and vocabulary of the workspace, ready for compareSystems; rows
// come from the cache where they were computed before. Counts and vocabulary are of tokens, so they
// are given with TextState::kTokens only.
ComparisonInput comparisonInput(Workspace& workspace, const StoredComparison& comparison);

}  // namespace strata
