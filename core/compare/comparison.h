#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/compare/imported_metric.h"
#include "core/metrics/agreement.h"
#include "core/metrics/buckets.h"
#include "core/metrics/metrics.h"
#include "core/metrics/ngram_differences.h"
#include "core/metrics/run_significance.h"
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
  // Runs of one system with different seeds share a group. Empty: the system is its own group.
  std::string group = {};
  // The following have one entry per sentence, or are empty if not available.
  // The system's own score of each translation, a log-probability: higher is more confident.
  std::vector<double> confidence = {};
  // The n-best list of each sentence, best first.
  std::vector<std::vector<std::string>> nbest = {};
  // Log-probability (nats) of the first reference under the system.
  std::vector<double> likelihoods = {};
  // Tokens of the reference in the system's segmentation, </s> included, for the mean per token.
  // If empty, the means of all systems are per word, with the end counted as a word.
  std::vector<double> likelihoodTokens = {};
};

struct ComparisonOptions {
  std::string baseline;  // a system's name or a group's (its first run); empty: the first system
  // Of metricNames(), or names of imported scores; the first one scores sentences.
  std::vector<std::string> metrics{"bleu"};
  MetricOptions of;
  SignificanceTest test = SignificanceTest::kBootstrap;
  BootstrapOptions bootstrap;  // intervals always, p-values of kBootstrap
  RandomizationOptions randomization;
  std::vector<double> lengthEdges{10, 20, 30, 40};  // words of the first reference
  std::size_t lengthBuckets = 0;  // additional length buckets of equal counts; 0: none
  std::size_t scoreBuckets = 5;   // by the baseline's sentence score, by confidence, by frequency
  std::size_t ngrams = 20;        // n-grams per list
  // Keeps only sentences whose references have no word outside the vocabulary.
  bool referencesInVocabulary = false;
};

// Line n of every text belongs to sentence n.
struct ComparisonInput {
  std::string testSet;                               // name shown on pages
  std::vector<std::vector<std::string>> references;  // [r][i] is the r-th one of sentence i
  std::vector<ComparedSystem> systems;               // at least one
  std::vector<std::string> source = {};              // empty: not given
  std::vector<std::string> plainSource = {};         // as a user would type it; empty: the source
  std::optional<WordCounts> counts = {};             // of the training text's target side
  std::optional<Vocabulary> vocabulary = {};         // of the target side
  // The references as the vocabulary writes words, if they are compared otherwise; else empty.
  std::vector<std::vector<std::string>> vocabularyReferences = {};
  std::vector<std::string> subwordReference = {};  // the first reference after BPE; may be empty
  std::vector<ImportedScores> imported = {};       // those that options.metrics name are used
  ComparisonOptions options = {};
  // If set, called instead of compareAll, so that rows can be cached across comparisons;
  // `references` is referencesDigest of the sentences compared.
  std::function<MetricRows(const Metric& metric, std::span<const std::string> hypotheses,
                           const std::string& references)>
      rowsOf = {};
};

// A digest of texts and their order; moving text between lines or references changes it.
std::string referencesDigest(const std::vector<std::vector<std::string>>& references);

// A system against the baseline: 95 % interval of the difference and p-values. A system whose
// sentences all have the baseline's statistics has p = 1; the usual estimates would give it their
// smallest p-value, since all resampled differences are 0.
struct DifferenceTest {
  double low = 0, high = 0;
  double pValue = 1;
  double pHolm = 1;  // over all systems under this metric

  bool significant() const { return pHolm < 0.05; }
};

struct SystemScore {
  double score = 0;       // NaN: imported scores that the system does not have
  double difference = 0;  // from the baseline
  // Absent for a single sentence, which cannot be resampled.
  std::optional<ConfidenceInterval> interval = {};
  std::optional<DifferenceTest> test = {};  // also absent for the baseline
};

// One metric over all systems. `metric` and `rows` give the corpus score of any subset of
// sentences.
struct MetricComparison {
  MetricPointer metric;
  std::string signature = {};
  std::vector<MetricRows> rows = {};      // one per system
  std::vector<SystemScore> systems = {};  // one per system
  Oracle oracle = {};                     // over all systems

  // Whether this difference from the baseline is an improvement.
  bool improves(double difference) const {
    return metric->higherIsBetter() ? difference > 0 : difference < 0;
  }
  double sentenceScore(std::size_t system, std::size_t sentence) const {
    return metric->sentenceScore(rows[system].row(sentence));
  }
};

// A group under one metric.
struct GroupScore {
  double mean = 0;
  std::optional<double> deviation = {};  // standard, of the runs (n - 1); none for a single run
  // Against the baseline's group; none for that group itself and for a single sentence.
  std::optional<RunsComparison> test = {};
  double pHolm = 1;                              // over all groups under this metric
  Direction direction = Direction::kTooFewRuns;  // by pHolm; confirmed: better than the baseline
};

// Runs of one system. A system without a group is its own group.
struct SystemGroup {
  std::string name;
  std::vector<std::size_t> systems;
  std::vector<GroupScore> scores = {};  // one per metric
};

// Absent if undefined (core/metrics/agreement.h).
struct Correlation {
  std::optional<double> pearson = {}, spearman = {};
};

// The likelihood of the first references under a system.
struct SystemLikelihood {
  std::size_t system = 0;
  double tokens = 0;
  // Mean negative log-probability per token over all sentences; lower is better. Interval and test
  // as for a metric.
  SystemScore nats = {};
  double perplexity = 0;  // exp(nats)
  // Share of sentences, 0 .. 1, whose reference is more likely than under the baseline.
  double likelier = 0;
  // Correlation of the difference in log-probability with the difference in sentence score.
  Correlation agreement = {};
};

// Scores of a system's n-best lists.
struct NBestLists {
  std::size_t system = 0;
  double candidates = 0;   // mean per sentence
  double firstIsBest = 0;  // share of sentences, 0 .. 1, by the first metric; ties count
  struct Score {
    double first = 0, oracle = 0;  // of first candidates; of the best ones (oracleOfCandidates)
  };
  std::vector<Score> scores = {};  // one per metric
};

// Whether a system's own scores predict the quality of its translations.
struct SystemConfidence {
  std::size_t system = 0;
  std::size_t sentences = 0;  // that have a score
  // Correlation of its own score, unchanged and divided by the number of words of the translation,
  // with the sentence score.
  Correlation asIs = {}, perWord = {};
};

// Sentences in buckets, with each bucket's score under the first metric.
struct BucketTable {
  std::string title;                                  // "Words of the reference"
  std::string note = {};                              // shown next to the table; may be empty
  std::vector<std::string> labels = {};               // one per bucket
  std::vector<std::vector<Bucket>> buckets = {};      // [system][bucket]
  std::vector<std::vector<BucketScore>> scores = {};  // [system][bucket]
  bool common = true;  // a bucket has the same sentences for all systems
};

// N-grams of a system; in `against` the baseline is the first system.
struct NGramTables {
  NGramComparison against;  // empty for the baseline itself
  NGramProductions produced;
};

// Histogram of differences from the baseline's sentence scores.
struct DifferenceHistogram {
  std::size_t better = 0, equal = 0, worse = 0;
  double width = 0;  // of a bin, in points of the score
  // An odd number of bins: the middle one is around 0, the outermost include all larger
  // differences.
  std::vector<std::size_t> counts;
};

// The complete comparison of systems on one test set, as plain values.
struct Comparison {
  std::string testSet;
  std::size_t baseline = 0;
  ComparisonOptions options;

  // The compared sentences, as indices from 0 into the input, which had `allSentences`.
  std::vector<std::size_t> sentences;
  std::size_t allSentences = 0;
  std::vector<std::string> source;                   // empty if not given
  std::vector<std::string> plainSource;              // as a user would type it; empty if not given
  std::vector<std::vector<std::string>> references;  // [r][i]
  std::vector<ComparedSystem> systems;
  // The texts split for n-grams, with one space between words: by BLEU's tokenizer if a metric
  // tokenises, else at spaces. `tokens` describes the words.
  std::string tokens;
  bool lowercase = false;  // compares n-grams and words case-insensitively
  std::vector<std::vector<std::string>> tokenizedReferences, tokenizedSystems;

  std::vector<MetricComparison> metrics;
  std::vector<TextStatistics> statistics;  // one per system
  // Per sentence: words outside the vocabulary, of the reference with most; empty without one.
  std::vector<double> unknownWords;
  std::vector<BucketTable> buckets;                     // some buckets may be empty
  std::vector<std::vector<WordAccuracy>> wordAccuracy;  // one per system; empty without counts
  std::vector<NGramTables> ngrams;                      // one per system
  // [system][sentence], of the first metric; NaN: none.
  std::vector<std::vector<double>> sentenceScores;

  // Each empty if the input lacks the data.
  std::vector<SystemGroup> groups;            // if a group has two or more runs
  std::vector<SystemLikelihood> likelihoods;  // of systems that have them
  bool likelihoodsAWord = false;              // means are per word, since a system has no tokens
  std::vector<NBestLists> nbest;              // of systems that have them
  std::vector<SystemConfidence> confidence;   // of systems that have it

  const MetricComparison& first() const { return metrics.front(); }
  double sentenceDifference(std::size_t system, std::size_t sentence) const {
    return sentenceScores[system][sentence] - sentenceScores[baseline][sentence];
  }
  // Sentences without a score of both are left out.
  DifferenceHistogram differenceHistogram(std::size_t system) const;
};

// One system alone has scores and intervals. Unequal line counts, no sentences, no system, equal
// names, an unknown baseline or metric and likelihoods without those of the baseline are Errors.
Comparison compareSystems(const ComparisonInput& input);

}  // namespace strata
