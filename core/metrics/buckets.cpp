#include "core/metrics/buckets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/text/words.h"

namespace strata {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int32_t kFirstWord = 4;  // lower ids are special tokens

bool isWhole(double value) {
  return std::trunc(value) == value;
}

std::string numberText(double value, bool whole) {
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.6g}", value);
}

// Buckets between the edges, without sentences yet.
std::vector<Bucket> emptyBuckets(std::span<const double> values, std::span<const double> edges) {
  const bool whole = std::all_of(edges.begin(), edges.end(), isWhole) &&
                     std::all_of(values.begin(), values.end(),
                                 [](double value) { return std::isnan(value) || isWhole(value); });
  std::vector<Bucket> buckets;
  double low = -kInfinity;
  for (const double edge : edges) {
    buckets.push_back({.low = low, .high = edge, .wholeNumbers = whole});
    low = edge;
  }
  buckets.push_back({.low = low, .high = kInfinity, .wholeNumbers = whole});
  return buckets;
}

// Where to cut sorted values so that the size of the first part is as close to `wanted` as ties
// allow, the smaller of two equally close ones; 0 or the number of values if no cut is possible.
std::size_t cutNear(const std::vector<double>& sorted, std::size_t wanted) {
  const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), sorted[wanted]);
  const auto below = static_cast<std::size_t>(first - sorted.begin());
  const auto above = static_cast<std::size_t>(last - sorted.begin());
  return wanted - below <= above - wanted ? below : above;
}

template <typename Number>
std::vector<double> eachLine(std::span<const std::string> lines, Number number) {
  std::vector<double> numbers;
  numbers.reserve(lines.size());
  for (const std::string& line : lines) numbers.push_back(number(std::string_view(line)));
  return numbers;
}

double lengthOf(std::string_view line) {
  double words = 0;
  forEachWord(line, [&](std::string_view) { ++words; });
  return words;
}

double countOf(const WordCounts& counts, std::string_view word) {
  const auto found = counts.find(word);
  return found == counts.end() ? 0 : static_cast<double>(found->second);
}

}  // namespace

std::string Bucket::label() const {
  if (std::isinf(low) && std::isinf(high)) return "all";
  if (std::isinf(low)) return fmt::format("< {}", numberText(high, wholeNumbers));
  if (std::isinf(high)) return fmt::format(">= {}", numberText(low, wholeNumbers));
  if (!wholeNumbers) return fmt::format("[{:.6g}, {:.6g})", low, high);
  if (low + 1 == high) return fmt::format("{:.0f}", low);
  return fmt::format("{:.0f}{}{:.0f}", low, low < 0 ? " to " : "-", high - 1);
}

std::vector<Bucket> bucketsByEdges(std::span<const double> values, std::span<const double> edges) {
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (!std::isfinite(edges[i]))
      throw usageError("{} is not a valid bucket edge: it must be finite", edges[i]);
    if (i > 0 && !(edges[i - 1] < edges[i])) {
      throw usageError("bucket edges must ascend, but {} comes before {}", edges[i - 1], edges[i]);
    }
  }
  std::vector<Bucket> buckets = emptyBuckets(values, edges);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    const auto above = std::upper_bound(edges.begin(), edges.end(), values[i]) - edges.begin();
    buckets[static_cast<std::size_t>(above)].sentences.push_back(i);
  }
  return buckets;
}

std::vector<Bucket> bucketsOfEqualCounts(std::span<const double> values, std::size_t count) {
  if (count == 0) throw usageError("the number of buckets must be at least 1, not 0");
  std::vector<double> sorted;
  for (const double value : values) {
    if (!std::isnan(value)) sorted.push_back(value);
  }
  if (sorted.empty()) return {};
  std::sort(sorted.begin(), sorted.end());
  const std::size_t parts = std::min(count, sorted.size());
  std::vector<double> edges;
  for (std::size_t k = 1; k < parts; ++k) {
    const std::size_t cut = cutNear(sorted, (sorted.size() * k + parts / 2) / parts);
    if (cut == 0 || cut == sorted.size() || !std::isfinite(sorted[cut])) continue;
    if (edges.empty() || edges.back() < sorted[cut]) edges.push_back(sorted[cut]);
  }
  return bucketsByEdges(values, edges);
}

void countWords(std::string_view line, WordCounts& counts) {
  forEachWord(line, [&](std::string_view word) {
    const auto found = counts.find(word);
    if (found == counts.end()) {
      counts.emplace(word, 1);
    } else {
      ++found->second;
    }
  });
}

WordCounts wordCounts(std::span<const std::string> lines) {
  WordCounts counts;
  for (const std::string& line : lines) countWords(line, counts);
  return counts;
}

std::vector<double> sentenceLengths(std::span<const std::string> lines) {
  return eachLine(lines, lengthOf);
}

std::vector<double> lengthDifferences(std::span<const std::string> hypothesis,
                                      std::span<const std::string> reference) {
  checkSameLines(hypothesis.size(), reference.size());
  std::vector<double> differences = sentenceLengths(hypothesis);
  for (std::size_t i = 0; i < differences.size(); ++i) differences[i] -= lengthOf(reference[i]);
  return differences;
}

std::vector<double> unknownWords(std::span<const std::string> lines, const Vocabulary& vocabulary) {
  return eachLine(lines, [&](std::string_view line) {
    double unknown = 0;
    forEachWord(line, [&](std::string_view word) {
      if (vocabulary.idOf(word) < kFirstWord) ++unknown;
    });
    return unknown;
  });
}

std::vector<double> mostUnknownWords(const std::vector<std::vector<std::string>>& references,
                                     const Vocabulary& vocabulary) {
  std::vector<double> most(checkReferences(references), 0.0);
  for (const auto& reference : references) {
    const std::vector<double> unknown = unknownWords(reference, vocabulary);
    for (std::size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], unknown[i]);
  }
  return most;
}

std::vector<double> rarestWordFrequency(std::span<const std::string> lines,
                                        const WordCounts& counts) {
  return eachLine(lines, [&](std::string_view line) {
    double lowest = kInfinity;
    forEachWord(line,
                [&](std::string_view word) { lowest = std::min(lowest, countOf(counts, word)); });
    return std::isinf(lowest) ? std::numeric_limits<double>::quiet_NaN() : lowest;
  });
}

std::vector<double> meanWordFrequency(std::span<const std::string> lines,
                                      const WordCounts& counts) {
  return eachLine(lines, [&](std::string_view line) {
    double sum = 0;
    forEachWord(line, [&](std::string_view word) { sum += countOf(counts, word); });
    const double words = lengthOf(line);
    return words == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / words;
  });
}

std::vector<double> splitWords(std::span<const std::string> lines, std::string_view separator) {
  if (separator.empty())
    throw usageError("the subword separator is empty; expected one such as \"@@\"");
  return eachLine(lines, [&](std::string_view line) {
    double split = 0;
    bool inside = false;  // the previous unit continues in this one
    forEachWord(line, [&](std::string_view unit) {
      const bool goesOn = unit.ends_with(separator);
      if (goesOn && !inside) ++split;
      inside = goesOn;
    });
    return split;
  });
}

BucketScore scoreBucket(const Metric& metric, const MetricRows& rows, const Bucket& bucket,
                        const Resamples* resamples) {
  const std::size_t count = bucket.sentences.size();
  BucketScore score{.score = metric.score(rows.sums(bucket.sentences)), .count = count};
  if (count > 0) score.share = static_cast<double>(count) / static_cast<double>(rows.sentences());
  if (resamples != nullptr) {
    score.interval = intervalOf(resampleScores(metric, rows.only(bucket.sentences), *resamples, 1));
  }
  return score;
}

std::vector<BucketScore> scoreBuckets(const Metric& metric, const MetricRows& rows,
                                      std::span<const Bucket> buckets,
                                      const std::optional<BootstrapOptions>& options) {
  std::vector<BucketScore> scores;
  for (const Bucket& bucket : buckets) {
    for (const std::size_t sentence : bucket.sentences) {
      if (sentence < rows.sentences()) continue;
      throw Error("the bucket {} contains sentence {} but the system has {} sentences",
                  bucket.label(), sentence + 1, rows.sentences());
    }
    std::optional<Resamples> drawn;
    if (options && bucket.sentences.size() > 1) drawn.emplace(bucket.sentences.size(), *options);
    scores.push_back(scoreBucket(metric, rows, bucket, drawn ? &*drawn : nullptr));
  }
  return scores;
}

}  // namespace strata
