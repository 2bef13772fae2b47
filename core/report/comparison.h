#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/metrics/agreement.h"
#include "core/metrics/buckets.h"
#include "core/metrics/metrics.h"
#include "core/metrics/ngram_differences.h"
#include "core/metrics/significance.h"
#include "core/metrics/text_statistics.h"
#include "core/metrics/word_accuracy.h"
#include "core/text/vocabulary.h"

namespace strata {

enum class SignificanceTest { kBootstrap, kRandomization };
std::string_view nameOf(SignificanceTest test);                 // "bootstrap", "randomization"
SignificanceTest significanceTestNamed(std::string_view name);  // other names are usage errors

struct ComparedSystem {
  std::string name;
  std::vector<std::string> lines;
};

struct ComparisonOptions {
  std::string baseline;                      // a system's name; empty: the first one
  std::vector<std::string> metrics{"bleu"};  // of metricNames(); the first one is that of sentences
  MetricOptions of;
  SignificanceTest test = SignificanceTest::kBootstrap;
  BootstrapOptions bootstrap;  // intervals always, p-values of kBootstrap
  RandomizationOptions randomization;
  std::vector<double> lengthEdges{10, 20, 30, 40};  // words of the first reference
  std::size_t scoreBuckets = 5;                     // buckets by the baseline's sentence score
  std::size_t ngrams = 20;                          // n-grams a list
  // Keeps only sentences whose references hold no word outside the vocabulary.
  bool referencesInVocabulary = false;
};

// Line n of every text belongs to line n of the others.
struct ComparisonInput {
  std::string testSet;                               // what pages call it
  std::vector<std::vector<std::string>> references;  // [r][i] is the r-th one of sentence i
  std::vector<ComparedSystem> systems;               // two or more
  std::vector<std::string> source = {};              // without lines: not given
  std::optional<WordCounts> counts = {};             // of the training text's target side
  std::optional<Vocabulary> vocabulary = {};         // of the target side
  ComparisonOptions options = {};
};

// A system against the baseline: 95 % interval of the difference and p-values. A system whose
// sentences all count as the baseline's do has p = 1: resampling cannot tell them apart, and the
// usual estimates would give their least p-value.
struct DifferenceTest {
  double low = 0, high = 0;
  double pValue = 1;
  double pHolm = 1;  // over all systems under this metric

  bool significant() const { return pHolm < 0.05; }
};

struct SystemScore {
  double score = 0;
  double difference = 0;  // from the baseline
  // Resampling says nothing about a single sentence: there are none then.
  std::optional<ConfidenceInterval> interval = {};
  std::optional<DifferenceTest> test = {};  // none of the baseline either
};

// One metric over all systems. Metric and rows give the corpus score of any choice of sentences.
struct MetricComparison {
  MetricPointer metric;
  std::string signature;
  std::vector<MetricRows> rows;      // a system
  std::vector<SystemScore> systems;  // a system
  Oracle oracle;                     // over all systems

  // Whether a difference points to a better score.
  bool improves(double difference) const {
    return metric->higherIsBetter() ? difference > 0 : difference < 0;
  }
};

// Buckets of the first metric.
struct BucketTable {
  std::string title;                             // "Words of the reference"
  std::string note = {};                         // what a reader must know beside it; may be empty
  std::vector<std::string> labels;               // a bucket
  std::vector<std::vector<Bucket>> buckets;      // [system][bucket]
  std::vector<std::vector<BucketScore>> scores;  // [system][bucket]
  bool common = true;                            // all systems have the same sentences in a bucket
};

// N-grams of a system; those of `against` have the baseline as their first system.
struct NGramTables {
  NGramComparison against;  // empty of the baseline itself
  NGramProductions produced;
};

// Sentences whose score is better or worse than the baseline's, and how many have which difference.
struct DifferenceHistogram {
  std::size_t better = 0, equal = 0, worse = 0;
  double width = 0;  // of a bin, in points of the score
  // An odd number of bins: the middle one is around 0, the outermost hold all that is beyond them.
  std::vector<std::size_t> counts;
};

// All that a paper says about translations of one test set, as plain values.
struct Comparison {
  std::string testSet;
  std::size_t baseline = 0;
  ComparisonOptions options;

  // The sentences compared, numbered from 0 in the files, of which there were `allSentences`.
  std::vector<std::size_t> sentences;
  std::size_t allSentences = 0;
  std::vector<std::string> source;                   // empty where not given
  std::vector<std::vector<std::string>> references;  // [r][i]
  std::vector<ComparedSystem> systems;
  // The same with one space between what n-grams are made of: words of BLEU's tokenizer where the
  // metrics have one that tokenises, else what stands between spaces. `tokens` names it.
  std::string tokens;
  bool lowercase = false;  // n-grams and words are compared without regard to case
  std::vector<std::vector<std::string>> tokenizedReferences, tokenizedSystems;

  std::vector<MetricComparison> metrics;
  std::vector<TextStatistics> statistics;  // a system
  // Words outside the vocabulary, of the reference that has most; empty without a vocabulary.
  std::vector<double> unknownWords;
  std::vector<BucketTable> buckets;                     // some may hold no sentence
  std::vector<std::vector<WordAccuracy>> wordAccuracy;  // a system; none without counts
  std::vector<NGramTables> ngrams;                      // a system
  std::vector<std::vector<double>> sentenceScores;      // [system][sentence], of the first metric

  const MetricComparison& first() const { return metrics.front(); }
  double sentenceDifference(std::size_t system, std::size_t sentence) const {
    return sentenceScores[system][sentence] - sentenceScores[baseline][sentence];
  }
  DifferenceHistogram differenceHistogram(std::size_t system) const;
};

// Unequal line counts, no sentences, fewer than two systems, equal names and an unknown baseline
// are Errors.
Comparison compareSystems(const ComparisonInput& input);

}  // namespace strata
