// Parts of compareSystems, in files of their own.
#pragma once
#include "core/report/comparison.h"

namespace strata {

// Every table that the input allows, over the texts that `comparison` has kept.
std::vector<BucketTable> bucketTables(const ComparisonInput& input, const Comparison& comparison);
// Lists of every system.
std::vector<NGramTables> ngramTables(const Comparison& comparison);

}  // namespace strata
