#pragma once
#include <cstddef>
#include <string>

#include "core/compare/comparison.h"

namespace strata {

// SVG pictures of a comparison, for embedding in a page: text and lines inherit the page's colour.

// One metric: every system's score with its interval.
std::string scoresSvg(const Comparison& comparison, std::size_t metric);
// Scores with intervals of all systems, bucket by bucket.
std::string bucketsSvg(const Comparison& comparison, const BucketTable& buckets);
// Histogram of a system's differences from the baseline's sentence scores.
std::string differencesSvg(const Comparison& comparison, std::size_t system);

}  // namespace strata
