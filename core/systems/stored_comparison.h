#pragma once
#include <string>
#include <vector>

#include "core/compare/comparison.h"
#include "core/systems/score_cache.h"
#include "core/systems/stored_systems.h"

namespace strata {

// A comparison of systems of the workspace.
struct StoredComparison {
  std::string testSet;                // TestSet::id
  std::vector<StoredSystem> systems;  // at least one of that set
  TextState state = TextState::kRaw;  // of texts and references
  bool counts = true;      // buckets by training frequency, if the set's dataset has its text
  bool vocabulary = true;  // unknown words, if the set's dataset has a vocabulary
  ComparisonOptions options = {};  // options.baseline is a system's name
};

// References, source, texts, counts and vocabulary of the workspace, ready for compareSystems; rows
// are cached. Counts refer to tokens, so they are given only with TextState::kTokens.
ComparisonInput comparisonInput(Workspace& workspace, const StoredComparison& comparison);

}  // namespace strata
