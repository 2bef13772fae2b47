#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/metrics/metric.h"
#include "core/metrics/significance.h"
#include "core/text/vocabulary.h"

namespace strata {

// Sentences whose value is in [low, high); an open end is infinite.
struct Bucket {
  double low = 0, high = 0;
  std::vector<std::size_t> sentences = {};  // ascending
  bool wholeNumbers = false;  // all values are integers; the label then includes the last of them

  // For integers "< 10", "10-19", "20", ">= 21" and, if low is negative, "-5 to -1"; for others
  // "[0.5, 1)". "all" without limits.
  std::string label() const;
};

// One more bucket than edges, including empty ones. Edges are finite and ascend. Here and below a
// sentence without a value (NaN) is in no bucket.
std::vector<Bucket> bucketsByEdges(std::span<const double> values, std::span<const double> edges);
// At most `count` buckets, as equal in size as ties, which stay together, allow. None is empty.
std::vector<Bucket> bucketsOfEqualCounts(std::span<const double> values, std::size_t count);

struct WordHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view word) const {
    return std::hash<std::string_view>{}(word);
  }
};
// How often each word occurs in the training text.
using WordCounts = std::unordered_map<std::string, std::int64_t, WordHash, std::equal_to<>>;
void countWords(std::string_view line, WordCounts& counts);  // adds the line's words
WordCounts wordCounts(std::span<const std::string> lines);

// Values for bucketing sentences, one per line. Words are separated by U+0020.
std::vector<double> sentenceLengths(std::span<const std::string> lines);
// Hypothesis words minus reference words. Unequal line counts are Errors.
std::vector<double> lengthDifferences(std::span<const std::string> hypothesis,
                                      std::span<const std::string> reference);
// Words of a line, counting repetitions, that are not in the vocabulary.
std::vector<double> unknownWords(std::span<const std::string> lines, const Vocabulary& vocabulary);
// The same for the reference of each sentence with the most such words; references[r][i] is the
// r-th one of sentence i.
std::vector<double> mostUnknownWords(const std::vector<std::vector<std::string>>& references,
                                     const Vocabulary& vocabulary);
// The lowest and the mean count of a line's words; 0 for a word without a count, NaN for a line
// without words.
std::vector<double> rarestWordFrequency(std::span<const std::string> lines,
                                        const WordCounts& counts);
std::vector<double> meanWordFrequency(std::span<const std::string> lines, const WordCounts& counts);
// Words that subword segmentation split into several units, all but the last of which end in the
// separator.
std::vector<double> splitWords(std::span<const std::string> lines,
                               std::string_view separator = "@@");

// The corpus score of a bucket's sentences; for an empty bucket the metric's score of nothing.
struct BucketScore {
  double score = 0;
  std::size_t count = 0;
  double share = 0;  // of all sentences
  // From resamples within the bucket. A single sentence has none, since all its resamples are
  // equal.
  std::optional<ConfidenceInterval> interval = {};
};
// Without resamples, which are of as many sentences as the bucket has, there is no interval.
BucketScore scoreBucket(const Metric& metric, const MetricRows& rows, const Bucket& bucket,
                        const Resamples* resamples);
// Without `options` no intervals, which take most of the time.
std::vector<BucketScore> scoreBuckets(const Metric& metric, const MetricRows& rows,
                                      std::span<const Bucket> buckets,
                                      const std::optional<BootstrapOptions>& options);

}  // namespace strata
