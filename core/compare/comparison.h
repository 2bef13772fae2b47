#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
  // Runs of one system with other seeds share a group; without one a system is alone.
  std::string group = {};
  // The system's own score of each line, a log-probability: higher is surer. None: empty.
  std::vector<double> confidence = {};
  // All its translations of each sentence, best first. None: empty.
  std::vector<std::vector<std::string>> nbest = {};
  // Log-probability (nats) of the first reference under the system. None: empty.
  std::vector<double> likelihoods = {};
  // Tokens of the reference as the system splits it, end included, for the mean a token. None:
  // empty; then the mean of all systems is a word, the end counted as one.
  std::vector<double> likelihoodTokens = {};
};

struct ComparisonOptions {
  std::string baseline;  // a system's name or a group's (its first run); empty: the first system
  std::vector<std::string> metrics{"bleu"};  // of metricNames(); the first one is that of sentences
  MetricOptions of;
  SignificanceTest test = SignificanceTest::kBootstrap;
  BootstrapOptions bootstrap;  // intervals always, p-values of kBootstrap
  RandomizationOptions randomization;
  std::vector<double> lengthEdges{10, 20, 30, 40};  // words of the first reference
  std::size_t lengthBuckets = 0;  // besides, by the same, of equal counts; 0: none
  std::size_t scoreBuckets = 5;   // by the baseline's sentence score, by confidence, by frequency
  std::size_t ngrams = 20;        // n-grams a list
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
  std::vector<std::string> subwordReference = {};    // the first reference after BPE; may be absent
  ComparisonOptions options = {};
  // Used instead of compareAll where set, to keep rows beyond this comparison; `references` is
  // referencesDigest of the sentences compared.
  std::function<MetricRows(const Metric& metric, std::span<const std::string> hypotheses,
                           const std::string& references)>
      rowsOf = {};
};

// A digest of texts and their order: neither lines nor references can be shifted into one another.
std::string referencesDigest(const std::vector<std::vector<std::string>>& references);

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

// A group under one metric.
struct GroupScore {
  double mean = 0;
  std::optional<double> deviation = {};  // of the runs, over n - 1; none of a single run
  // Against the baseline's group; none of that one itself, and none of a single sentence.
  std::optional<RunsComparison> test = {};
  double pHolm = 1;                              // over all groups under this metric
  Direction direction = Direction::kTooFewRuns;  // by pHolm; confirmed: better than the baseline
};

// Runs of one system. A system without a group is one by itself.
struct SystemGroup {
  std::string name;
  std::vector<std::size_t> systems;
  std::vector<GroupScore> scores = {};  // a metric
};

// Absent where they are not defined (core/metrics/agreement.h).
struct Correlation {
  std::optional<double> pearson = {}, spearman = {};
};

// How likely a system finds the first references.
struct SystemLikelihood {
  std::size_t system = 0;
  double tokens = 0;
  // Mean negative log-probability of a token over all sentences; lower is better. Interval and test
  // as those of a metric.
  SystemScore nats = {};
  double perplexity = 0;  // exp(nats)
  // Sentences, 0 .. 1, whose reference is likelier than under the baseline.
  double likelier = 0;
  // Of the difference of log-probabilities with that of sentence scores.
  Correlation agreement = {};
};

// What a system's n-best lists hold, beside what it chose.
struct NBestLists {
  std::size_t system = 0;
  double candidates = 0;   // a sentence, mean
  double firstIsBest = 0;  // sentences, 0 .. 1, by the first metric; also of equally good ones
  struct Score {
    double first = 0, oracle = 0;  // of first candidates; of the best ones (oracleOfCandidates)
  };
  std::vector<Score> scores = {};  // a metric
};

// Whether a system knows how good its translations are.
struct SystemConfidence {
  std::size_t system = 0;
  std::size_t sentences = 0;  // that have a score
  // Of its score with the sentence score, as it is and divided by the words of the translation.
  Correlation asIs = {}, perWord = {};
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

  // Each empty where the input has nothing of the kind.
  std::vector<SystemGroup> groups;            // where one has two runs or more
  std::vector<SystemLikelihood> likelihoods;  // of systems that have them
  bool likelihoodsAWord = false;              // for want of tokens
  std::vector<NBestLists> nbest;              // of systems that have them
  std::vector<SystemConfidence> confidence;   // of systems that have it

  const MetricComparison& first() const { return metrics.front(); }
  double sentenceDifference(std::size_t system, std::size_t sentence) const {
    return sentenceScores[system][sentence] - sentenceScores[baseline][sentence];
  }
  DifferenceHistogram differenceHistogram(std::size_t system) const;
};

// Unequal line counts, no sentences, fewer than two systems, equal names, an unknown baseline and
// likelihoods without those of the baseline are Errors.
Comparison compareSystems(const ComparisonInput& input);

}  // namespace strata
