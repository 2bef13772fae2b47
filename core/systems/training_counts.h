#pragma once
#include <optional>

#include "core/metrics/buckets.h"
#include "core/store/workspace.h"
#include "core/systems/test_sets.h"
#include "core/text/pipeline.h"

namespace strata {

// How often each word occurs in the training text of a set's dataset (target side, tokens); nothing
// if the workspace does not have that text. Cached in WORKSPACE/cache/counts, since large training
// texts take long to count.
std::optional<WordCounts> trainingCounts(const Workspace& workspace, const TestSet& set,
                                         const TextPipeline& pipeline);

}  // namespace strata
