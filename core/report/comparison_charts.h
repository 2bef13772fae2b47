#pragma once
#include <cstddef>
#include <string>

#include "core/compare/comparison.h"

namespace strata {

// SVG pictures of a comparison that stand within a page: text and lines have the page's colour.

// One metric: every system's score with its interval.
std::string scoresSvg(const Comparison& comparison, std::size_t metric);
// Scores with intervals of all systems, bucket by bucket.
std::string bucketsSvg(const Comparison& comparison, const BucketTable& buckets);
// How many sentences of a system differ from the baseline's by how much.
std::string differencesSvg(const Comparison& comparison, std::size_t system);

}  // namespace strata
