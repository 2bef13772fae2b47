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

// Sentences whose number lies in [low, high); an end without a limit is infinite.
struct Bucket {
  double low = 0, high = 0;
  std::vector<std::size_t> sentences = {};  // ascending
  bool wholeNumbers = false;                // all values are; the label then names the last of them

  // Of whole numbers "< 10", "10-19", "20", ">= 21" and, where low is negative, "-5 to -1"; of
  // others "[0.5, 1)". "all" without limits.
  std::string label() const;
};

// One more bucket than edges, empty ones included. Edges are finite and ascend. Here and below a
// sentence without a number (NaN) is in no bucket.
std::vector<Bucket> bucketsByEdges(std::span<const double> values, std::span<const double> edges);
// At most `count` buckets, as near to equal counts as equal values allow, which stay together. None
// is empty.
std::vector<Bucket> bucketsOfEqualCounts(std::span<const double> values, std::size_t count);

struct WordHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view word) const {
    return std::hash<std::string_view>{}(word);
  }
};
// How often each word stands in the training text.
using WordCounts = std::unordered_map<std::string, std::int64_t, WordHash, std::equal_to<>>;
void countWords(std::string_view line, WordCounts& counts);  // adds the line's words
WordCounts wordCounts(std::span<const std::string> lines);

// Numbers to put sentences into buckets by, one a line. Words are what stands between U+0020.
std::vector<double> sentenceLengths(std::span<const std::string> lines);
// Words of the hypothesis more than words of the reference. Unequal line counts are Errors.
std::vector<double> lengthDifferences(std::span<const std::string> hypothesis,
                                      std::span<const std::string> reference);
// Words of a line, counted as often as they stand there, that the vocabulary lacks.
std::vector<double> unknownWords(std::span<const std::string> lines, const Vocabulary& vocabulary);
// The same of each sentence's reference that has most of them; references[r][i] is the r-th one of
// sentence i.
std::vector<double> mostUnknownWords(const std::vector<std::vector<std::string>>& references,
                                     const Vocabulary& vocabulary);
// The lowest and the mean count of a line's words; 0 for a word without count, NaN for a line
// without words.
std::vector<double> rarestWordFrequency(std::span<const std::string> lines,
                                        const WordCounts& counts);
std::vector<double> meanWordFrequency(std::span<const std::string> lines, const WordCounts& counts);
// Words that a subword segmentation left in several units, all but the last of which end in the
// separator.
std::vector<double> splitWords(std::span<const std::string> lines,
                               std::string_view separator = "@@");

// The corpus score of a bucket's sentences; of an empty bucket what the metric gives for nothing.
struct BucketScore {
  double score = 0;
  std::size_t count = 0;
  double share = 0;  // of all sentences
  // Of resamples within the bucket. A single sentence has none: all of its resamples are itself.
  std::optional<ConfidenceInterval> interval = {};
};
// Without `options` no intervals, which take most of the time.
std::vector<BucketScore> scoreBuckets(const Metric& metric, const MetricRows& rows,
                                      std::span<const Bucket> buckets,
                                      const std::optional<BootstrapOptions>& options);

}  // namespace strata
