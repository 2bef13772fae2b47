// Analyses of further data from systems: likelihoods, n-best lists, own scores.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/error.h"
#include "core/base/threads.h"
#include "core/compare/comparison_parts.h"

namespace strata {
namespace {

constexpr double kNoScore = std::numeric_limits<double>::quiet_NaN();

Correlation correlationOf(std::span<const double> x, std::span<const double> y) {
  return {.pearson = pearson(x, y), .spearman = spearman(x, y)};
}

// Mean negative log-probability per token as a metric, so that it is resampled and tested like one.
// A row has a sentence's nats and number of tokens; there is no text to compare.
class MeanNats : public Metric {
 public:
  explicit MeanNats(std::size_t sentences) : sentences_(sentences) {}

  std::string name() const override { return "nats"; }
  std::string signature() const override { return "nats"; }
  bool higherIsBetter() const override { return false; }
  std::size_t sentences() const override { return sentences_; }
  std::size_t width() const override { return 2; }
  void compare(std::size_t, std::string_view, std::span<double>) const override {
    throw Error("likelihoods come from a model, not from a text");
  }
  double score(std::span<const double> sums) const override {
    return sums[1] > 0 ? sums[0] / sums[1] : 0;
  }

 private:
  std::size_t sentences_;
};

// The number of words of each line plus one for the end of the sentence.
std::vector<double> wordsAndEnd(const std::vector<std::string>& lines) {
  std::vector<double> words = sentenceLengths(lines);
  for (double& count : words) ++count;
  return words;
}

MetricRows likelihoodRows(const ComparedSystem& system, const std::vector<double>& tokens) {
  MetricRows rows{.width = 2, .values = {}};
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!std::isfinite(system.likelihoods[i]) || !(tokens[i] > 0)) {
      throw Error(
          "sentence {} of {} has log-probability {} and {} tokens: expected a finite number and at "
          "least one token",
          i + 1, system.name, system.likelihoods[i], tokens[i]);
    }
    rows.values.push_back(-system.likelihoods[i]);
    rows.values.push_back(tokens[i]);
  }
  return rows;
}

// Adds the values that are per sentence.
void addSentences(const Comparison& comparison, SystemLikelihood& likelihood) {
  const std::size_t count = comparison.sentences.size();
  const auto& ours = comparison.systems[likelihood.system].likelihoods;
  const auto& theirs = comparison.systems[comparison.baseline].likelihoods;
  std::vector<double> gains, differences;
  std::size_t likelier = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double difference = comparison.sentenceDifference(likelihood.system, i);
    likelier += ours[i] > theirs[i] ? 1 : 0;
    if (std::isnan(difference)) continue;
    gains.push_back(ours[i] - theirs[i]);
    differences.push_back(difference);
  }
  likelihood.likelier = static_cast<double>(likelier) / static_cast<double>(count);
  likelihood.agreement = correlationOf(gains, differences);
}

NBestLists listsOf(const Comparison& comparison, std::size_t system) {
  const auto& lists = comparison.systems[system].nbest;
  const auto count = static_cast<double>(lists.size());
  NBestLists result{.system = system};
  for (std::size_t i = 0; i < lists.size(); ++i) {
    if (lists[i].empty())
      throw Error("the n-best list of sentence {} of {} is empty", i + 1,
                  comparison.systems[system].name);
    result.candidates += static_cast<double>(lists[i].size());
  }
  result.candidates /= count;
  bool chosen = false;
  for (const MetricComparison& compared : comparison.metrics) {
    const Metric& metric = *compared.metric;
    if (importedMetric(metric) != nullptr) {  // scores the best translation only
      result.scores.push_back({.first = kNoScore, .oracle = kNoScore});
      continue;
    }
    std::vector<MetricRows> rows(lists.size());
    inParts(lists.size(), 16, 0, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        rows[i] = MetricRows::zeros(lists[i].size(), metric.width());
        for (std::size_t k = 0; k < lists[i].size(); ++k)
          metric.compare(i, lists[i][k], rows[i].row(k));
      }
    });
    std::vector<double> first(metric.width(), 0.0);
    for (const MetricRows& list : rows) addRow(list.row(0), first);
    const Oracle oracle = oracleOfCandidates(metric, rows);
    if (!chosen) {
      chosen = true;
      result.firstIsBest = static_cast<double>(std::ranges::count(oracle.chosen, 0U)) / count;
    }
    result.scores.push_back({.first = metric.score(first), .oracle = oracle.score});
  }
  return result;
}

}  // namespace

void addLikelihoods(const std::optional<Resamples>& resamples, Comparison& comparison) {
  const auto& systems = comparison.systems;
  std::vector<std::size_t> with;
  for (std::size_t s = 0; s < systems.size(); ++s) {
    if (systems[s].likelihoods.empty()) continue;
    with.push_back(s);
    comparison.likelihoodsAWord |= systems[s].likelihoodTokens.empty();
  }
  if (with.empty()) return;
  const auto baseline = std::ranges::find(with, comparison.baseline);
  if (baseline == with.end()) {
    throw usageError(
        "there are likelihoods under {} but none under the baseline {}: give these too",
        systems[with.front()].name, systems[comparison.baseline].name);
  }
  std::vector<MetricRows> rows;
  for (const std::size_t s : with) {
    const auto tokens = comparison.likelihoodsAWord ? wordsAndEnd(comparison.references.front())
                                                    : systems[s].likelihoodTokens;
    rows.push_back(likelihoodRows(systems[s], tokens));
    comparison.likelihoods.push_back(
        {.system = s, .tokens = std::accumulate(tokens.begin(), tokens.end(), 0.0)});
  }
  const MeanNats metric(comparison.sentences.size());
  const ScoredRows scored{metric, rows, static_cast<std::size_t>(baseline - with.begin()),
                          comparison.options};
  auto scores = scoresOf(scored);
  if (resamples) addTests(scored, *resamples, scores);
  for (std::size_t k = 0; k < with.size(); ++k) {
    SystemLikelihood& likelihood = comparison.likelihoods[k];
    likelihood.nats = scores[k];
    likelihood.perplexity = std::exp(scores[k].score);
    if (with[k] != comparison.baseline) addSentences(comparison, likelihood);
  }
}

std::vector<NBestLists> nbestOf(const Comparison& comparison) {
  std::vector<NBestLists> lists;
  for (std::size_t s = 0; s < comparison.systems.size(); ++s) {
    if (!comparison.systems[s].nbest.empty()) lists.push_back(listsOf(comparison, s));
  }
  return lists;
}

std::vector<SystemConfidence> confidenceOf(const Comparison& comparison) {
  std::vector<SystemConfidence> all;
  for (std::size_t s = 0; s < comparison.systems.size(); ++s) {
    const ComparedSystem& system = comparison.systems[s];
    if (system.confidence.empty()) continue;
    const std::vector<double> words = sentenceLengths(system.lines);
    std::vector<double> own, ownPerWord, scores;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (!std::isfinite(system.confidence[i])) continue;  // toolkits may skip empty lines
      if (std::isnan(comparison.sentenceScores[s][i])) continue;
      own.push_back(system.confidence[i]);
      ownPerWord.push_back(system.confidence[i] / std::max(1.0, words[i]));
      scores.push_back(comparison.sentenceScores[s][i]);
    }
    all.push_back({.system = s,
                   .sentences = own.size(),
                   .asIs = correlationOf(own, scores),
                   .perWord = correlationOf(ownPerWord, scores)});
  }
  return all;
}

}  // namespace strata
