#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/threads.h"
#include "core/compare/comparison_parts.h"
#include "core/text/words.h"

namespace strata {
namespace {

using Lines = std::vector<std::string>;

const std::vector<double> kLengthDifferences{-10, -5, -2, 0, 1, 3, 6, 11};
const std::vector<double> kFrequencies{1, 2, 5, 10, 100, 1000};
const std::vector<double> kFewWords{1, 2, 3, 5};

// Counts start at 0: labels are "0" and "0-9", not "< 1" and "< 10".
std::vector<Bucket> fromZero(std::vector<Bucket> buckets) {
  if (!buckets.empty()) buckets.front().low = 0;
  return buckets;
}

std::vector<Bucket> countBuckets(const std::vector<double>& values,
                                 const std::vector<double>& edges) {
  return fromZero(bucketsByEdges(values, edges));
}

class Tables {
 public:
  Tables(const ComparisonInput& input, const Comparison& comparison)
      : input_(input), comparison_(comparison), reference_(comparison.references.front()) {}

  std::vector<BucketTable> all() {
    addCommon("Words of the reference", "",
              countBuckets(sentenceLengths(reference_), input_.options.lengthEdges));
    if (input_.options.lengthBuckets > 0) {
      addCommon("Words of the reference, equal counts", "",
                fromZero(bucketsOfEqualCounts(sentenceLengths(reference_),
                                              input_.options.lengthBuckets)));
    }
    addLengthDifferences();
    addSentenceScores();
    addConfidence();
    if (input_.counts) {
      addCommon("Training frequency of the reference's rarest word", absentNote(),
                countBuckets(rarestWordFrequency(reference_, *input_.counts), kFrequencies));
      addCommon("Mean training frequency of the reference's words",
                "Buckets of equal size, except for ties. Frequent words dominate the mean.",
                bucketsOfEqualCounts(meanWordFrequency(reference_, *input_.counts), equalCounts()));
    }
    if (!comparison_.unknownWords.empty()) {
      addCommon("Words of the reference outside the vocabulary", "",
                countBuckets(comparison_.unknownWords, kFewWords));
    }
    addSplitWords("Words of the reference split into subwords", subwordReference());
    addSplitWords("Words of the source split into subwords", comparison_.source);
    return std::move(tables_);
  }

 private:
  // Fills the labels and scores of a table whose buckets are set.
  void add(BucketTable table) {
    for (const Bucket& bucket : table.buckets.front()) table.labels.push_back(bucket.label());
    for (const auto& buckets : table.buckets) {
      for (const Bucket& bucket : buckets) {
        const std::size_t count = bucket.sentences.size();
        if (count > 1) drawn_.try_emplace(count, count, comparison_.options.bootstrap);
      }
    }
    table.scores.resize(table.buckets.size());
    inParts(table.scores.size(), 1, 0, [&](std::size_t begin, std::size_t end) {
      for (std::size_t s = begin; s < end; ++s) {
        for (const Bucket& bucket : table.buckets[s])
          table.scores[s].push_back(scored(comparison_.first().rows[s], bucket));
      }
    });
    tables_.push_back(std::move(table));
  }

  BucketScore scored(const MetricRows& rows, const Bucket& bucket) const {
    const auto drawn = drawn_.find(bucket.sentences.size());
    return scoreBucket(*comparison_.first().metric, rows, bucket,
                       drawn == drawn_.end() ? nullptr : &drawn->second);
  }

  void addCommon(std::string title, std::string note, std::vector<Bucket> buckets) {
    add({.title = std::move(title),
         .note = std::move(note),
         .buckets = std::vector(comparison_.systems.size(), buckets)});
  }

  void addLengthDifferences() {
    BucketTable table{.title = "Words of the translation minus words of the reference",
                      .note =
                          "A bucket has different sentences for each system, so scores in a row "
                          "are not of the same sentences.",
                      .common = false};
    for (const ComparedSystem& system : comparison_.systems) {
      table.buckets.push_back(
          bucketsByEdges(lengthDifferences(system.lines, reference_), kLengthDifferences));
    }
    add(std::move(table));
  }

  void addSentenceScores() {
    const std::size_t baseline = comparison_.baseline;
    addScores("Sentence score of " + comparison_.systems[baseline].name,
              comparison_.sentenceScores[baseline]);
    for (std::size_t m = 1; m < comparison_.metrics.size(); ++m) {
      const MetricComparison& compared = comparison_.metrics[m];
      if (importedMetric(*compared.metric) == nullptr) continue;
      std::vector<double> scores;
      for (std::size_t i = 0; i < comparison_.sentences.size(); ++i)
        scores.push_back(compared.sentenceScore(baseline, i));
      addScores(compared.metric->name() + " of " + comparison_.systems[baseline].name, scores);
    }
  }

  void addScores(const std::string& title, const std::vector<double>& scores) {
    auto buckets = bucketsOfEqualCounts(scores, equalCounts());
    if (buckets.empty()) return;  // no sentence has a score
    addCommon(title,
              "Buckets of equal size, except for ties. Regression to the mean: on the sentences "
              "that the baseline translates worst, other systems score better by chance alone, and "
              "vice versa.",
              std::move(buckets));
  }

  void addConfidence() {
    for (const ComparedSystem& system : comparison_.systems) {
      const auto buckets = bucketsOfEqualCounts(system.confidence, equalCounts());
      if (buckets.empty()) continue;
      addCommon("Score that " + system.name + " gives its own translation",
                "Buckets of equal size, except for ties, least confident first; the other systems "
                "are scored on the same sentences.",
                buckets);
    }
  }

  std::size_t equalCounts() const { return std::max<std::size_t>(1, input_.options.scoreBuckets); }

  // For the compared sentences only.
  Lines subwordReference() const {
    if (input_.subwordReference.empty()) return reference_;
    Lines lines;
    for (const std::size_t sentence : comparison_.sentences)
      lines.push_back(input_.subwordReference[sentence]);
    return lines;
  }

  // A high count shows that the texts are tokenised differently.
  std::string absentNote() const {
    std::int64_t absent = 0, all = 0;
    for (const std::string& line : reference_) {
      forEachWord(line, [&](std::string_view word) {
        ++all;
        absent += input_.counts->contains(word) ? 0 : 1;
      });
    }
    return fmt::format(
        "{} of {} words of the reference are not in the training text; both must be tokenised "
        "the same way.",
        absent, all);
  }

  void addSplitWords(const std::string& title, const Lines& lines) {
    const auto split = splitWords(lines);
    if (std::ranges::any_of(split, [](double words) { return words > 0; }))
      addCommon(title, "", countBuckets(split, kFewWords));
  }

  const ComparisonInput& input_;
  const Comparison& comparison_;
  const Lines& reference_;
  std::map<std::size_t, Resamples> drawn_;  // by number of sentences: buckets share them
  std::vector<BucketTable> tables_;
};

}  // namespace

std::vector<BucketTable> bucketTables(const ComparisonInput& input, const Comparison& comparison) {
  return Tables(input, comparison).all();
}

std::vector<NGramTables> ngramTables(const Comparison& comparison) {
  const NGramOptions options{.most = comparison.options.ngrams, .lowercase = comparison.lowercase};
  const auto& references = comparison.tokenizedReferences;
  const auto& lines = comparison.tokenizedSystems;
  std::vector<NGramTables> tables(lines.size());
  inParts(tables.size(), 1, 0, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) {
      tables[s].produced = producedNGrams(lines[s], references, options);
      if (s != comparison.baseline)
        tables[s].against =
            compareNGrams(lines[comparison.baseline], lines[s], references, options);
    }
  });
  return tables;
}

}  // namespace strata
