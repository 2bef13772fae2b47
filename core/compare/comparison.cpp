#include "core/compare/comparison.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ranges>
#include <set>
#include <string_view>

#include "core/base/error.h"
#include "core/compare/comparison_parts.h"
#include "core/metrics/tokenizers.h"
#include "core/text/words.h"

namespace strata {
namespace {

using Lines = std::vector<std::string>;

void checkLines(const ComparisonInput& input, std::size_t sentences) {
  const auto check = [&](const std::string& what, std::size_t lines) {
    if (lines == sentences) return;
    throw Error(
        "{} has {} lines and the first reference has {}: line n of one belongs to line n "
        "of the other, and line {} of the longer one has no counterpart",
        what, lines, sentences, std::min(lines, sentences) + 1);
  };
  // Optional data of a system: empty is allowed.
  const auto checkOwn = [&](const ComparedSystem& system, const char* what, std::size_t lines) {
    if (lines > 0) check(fmt::format("the {} of {}", what, system.name), lines);
  };
  for (const ComparedSystem& system : input.systems) {
    check("the system " + system.name, system.lines.size());
    checkOwn(system, "list of scores", system.confidence.size());
    checkOwn(system, "set of n-best lists", system.nbest.size());
    checkOwn(system, "list of likelihoods", system.likelihoods.size());
    checkOwn(system, "list of tokens", system.likelihoodTokens.size());
  }
  if (!input.subwordReference.empty())
    check("the reference in subwords", input.subwordReference.size());
  if (!input.source.empty()) check("the source", input.source.size());
  if (!input.plainSource.empty()) check("the plain source", input.plainSource.size());
  for (const ImportedScores& scores : input.imported) {
    for (const auto& values : scores.values) {
      if (!values.empty()) check("a list of " + scores.info.name(), values.size());
    }
  }
}

std::size_t baselineOf(const ComparisonInput& input) {
  if (input.systems.empty()) throw usageError("a comparison needs a system");
  const auto& systems = input.systems;
  std::set<std::string_view> names;
  for (const ComparedSystem& system : systems) {
    if (system.name.empty()) throw usageError("a system has no name: give it one");
    if (!names.insert(system.name).second)
      throw usageError("two systems are called '{}': give them different names", system.name);
  }
  for (const ComparedSystem& system : systems) {
    if (system.group.empty()) continue;
    const auto other = std::ranges::find(systems, system.group, &ComparedSystem::name);
    if (other == systems.end() || other->group == system.group) continue;
    throw usageError("a system and a group of runs are both called '{}': rename one", other->name);
  }
  const std::string& wanted = input.options.baseline;
  if (wanted.empty()) return 0;
  for (const auto member : {&ComparedSystem::name, &ComparedSystem::group}) {
    const auto found = std::ranges::find(systems, wanted, member);
    if (found != systems.end()) return static_cast<std::size_t>(found - systems.begin());
  }
  throw usageError("the baseline '{}' is not a system; the systems are {}", wanted,
                   fmt::join(systems | std::views::transform(&ComparedSystem::name), ", "));
}

void checkOptions(const ComparisonOptions& options) {
  if (options.metrics.empty()) throw usageError("a comparison needs a metric");
  for (const double edge : options.lengthEdges) {
    if (!(edge > 0)) throw usageError("length edge {}: must be above 0", edge);
  }
  const std::set<std::string> names(options.metrics.begin(), options.metrics.end());
  if (names.size() != options.metrics.size())
    throw usageError("a metric is given twice: give each once");
}

// Chooses the sentences and sets `unknown` to their numbers of unknown words.
std::vector<std::size_t> keptSentences(const ComparisonInput& input, std::vector<double>& unknown) {
  std::vector<std::size_t> kept(input.references.front().size());
  std::iota(kept.begin(), kept.end(), std::size_t{0});
  const auto& words =
      input.vocabularyReferences.empty() ? input.references : input.vocabularyReferences;
  if (input.vocabulary) unknown = mostUnknownWords(words, *input.vocabulary);
  if (!input.options.referencesInVocabulary) return kept;
  if (!input.vocabulary)
    throw usageError("keeping sentences with references in the vocabulary needs the vocabulary");
  std::erase_if(kept, [&](std::size_t sentence) { return unknown[sentence] > 0; });
  if (kept.empty()) {
    throw Error(
        "no sentence is left: every reference of {} has a word outside the vocabulary; check that "
        "it is the target side's and that its texts are tokenised like the reference",
        input.testSet);
  }
  unknown.assign(kept.size(), 0);
  return kept;
}

template <typename Item>
std::vector<Item> only(const std::vector<Item>& lines, const std::vector<std::size_t>& sentences) {
  std::vector<Item> kept;
  if (lines.empty()) return kept;
  kept.reserve(sentences.size());
  for (const std::size_t sentence : sentences) kept.push_back(lines[sentence]);
  return kept;
}

// The tokenizer for n-grams: that of the first metric based on word n-grams.
std::optional<BleuTokenizer> tokenizerOf(const ComparisonOptions& options) {
  for (const std::string& metric : options.metrics) {
    if (metric == "multi-bleu") return std::nullopt;
    if (metric == "bleu") return options.of.bleu.tokenizer;
  }
  return std::nullopt;
}

Lines tokenized(const Lines& lines, const std::optional<BleuTokenizer>& tokenizer) {
  if (!tokenizer) return lines;
  Lines result;
  result.reserve(lines.size());
  for (const std::string& line : lines)
    result.push_back(fmt::format("{}", fmt::join(bleuWords(line, *tokenizer, false), " ")));
  return result;
}

void keepTexts(const ComparisonInput& input, Comparison& result) {
  const auto tokenizer = tokenizerOf(input.options);
  result.tokens = tokenizer ? fmt::format("words of BLEU's tokenizer {}", nameOf(*tokenizer))
                            : "words between spaces";
  result.lowercase = input.options.of.bleu.lowercase || input.options.of.multiBleu.lowercase;
  result.source = only(input.source, result.sentences);
  result.plainSource =
      only(input.plainSource.empty() ? input.source : input.plainSource, result.sentences);
  for (const Lines& reference : input.references) {
    result.references.push_back(only(reference, result.sentences));
    result.tokenizedReferences.push_back(tokenized(result.references.back(), tokenizer));
  }
  for (const ComparedSystem& system : input.systems) {
    result.systems.push_back({.name = system.name,
                              .lines = only(system.lines, result.sentences),
                              .group = system.group,
                              .confidence = only(system.confidence, result.sentences),
                              .nbest = only(system.nbest, result.sentences),
                              .likelihoods = only(system.likelihoods, result.sentences),
                              .likelihoodTokens = only(system.likelihoodTokens, result.sentences)});
    result.tokenizedSystems.push_back(tokenized(result.systems.back().lines, tokenizer));
  }
}

// The rows of every system: from input.rowsOf if set, else computed.
std::vector<MetricRows> rowsOf(const Metric& metric, const ComparisonInput& input,
                               const Comparison& comparison, const std::string& digest) {
  std::vector<MetricRows> rows;
  for (const ComparedSystem& system : comparison.systems) {
    rows.push_back(input.rowsOf ? input.rowsOf(metric, system.lines, digest)
                                : compareAll(metric, system.lines));
    if (rows.back().width == metric.width() && rows.back().sentences() == system.lines.size())
      continue;
    throw Error("the cached rows of {} have {} sentences of {} numbers, expected {} of {}",
                system.name, rows.back().sentences(), rows.back().width, system.lines.size(),
                metric.width());
  }
  return rows;
}

// Scores made elsewhere of the compared sentences, as one of the metrics; none if `name` is not
// one of them.
std::optional<MetricComparison> importedComparison(const ComparisonInput& input,
                                                   const Comparison& comparison,
                                                   const std::string& name) {
  const auto found = std::ranges::find(input.imported, name,
                                       [](const ImportedScores& each) { return each.info.name(); });
  if (found == input.imported.end()) return std::nullopt;
  const auto metric =
      std::make_shared<const ImportedMetric>(found->info, comparison.sentences.size());
  MetricComparison compared{.metric = metric};
  for (std::size_t s = 0; s < comparison.systems.size(); ++s) {
    const bool has = s < found->values.size();
    compared.rows.push_back(
        metric->rowsOf(has ? only(found->values[s], comparison.sentences) : std::vector<double>()));
  }
  return compared;
}

MetricComparison comparisonUnder(const std::string& name, const ComparisonInput& input,
                                 const Comparison& comparison, const std::string& digest) {
  if (auto imported = importedComparison(input, comparison, name)) return *std::move(imported);
  const auto known = metricNames();
  if (!input.imported.empty() && std::ranges::find(known, name) == known.end()) {
    throw usageError("unknown metric '{}'; expected one of {} or imported scores: {}", name,
                     fmt::join(known, ", "),
                     fmt::join(input.imported | std::views::transform([](const auto& each) {
                                 return each.info.name();
                               }),
                               ", "));
  }
  MetricComparison compared{.metric =
                                makeMetric(name, comparison.references, comparison.options.of)};
  compared.rows = rowsOf(*compared.metric, input, comparison, digest);
  return compared;
}

// Adds the scores and tests under every metric.
void addMetrics(const ComparisonInput& input, const std::optional<Resamples>& resamples,
                Comparison& comparison) {
  const ComparisonOptions& options = comparison.options;
  const std::string digest = input.rowsOf ? referencesDigest(comparison.references) : "";
  for (const std::string& name : options.metrics) {
    MetricComparison compared = comparisonUnder(name, input, comparison, digest);
    compared.signature = compared.metric->signature();
    if (resamples) compared.signature = withResampling(compared.signature, options.bootstrap);
    const ScoredRows scored{*compared.metric, compared.rows, comparison.baseline, options};
    compared.systems = scoresOf(scored);
    std::vector<ResampledScores> resampled;
    if (resamples) resampled = addTests(scored, *resamples, compared.systems);
    compared.oracle = oracleOfSystems(*compared.metric, compared.rows);
    addGroupScores(compared, resampled, comparison);
    comparison.metrics.push_back(std::move(compared));
  }
}

void addSentenceScores(Comparison& comparison) {
  const MetricComparison& first = comparison.first();
  for (const MetricRows& rows : first.rows) {
    std::vector<double>& scores = comparison.sentenceScores.emplace_back();
    for (std::size_t i = 0; i < rows.sentences(); ++i)
      scores.push_back(first.metric->sentenceScore(rows.row(i)));
  }
}

}  // namespace

std::string_view nameOf(SignificanceTest test) {
  return test == SignificanceTest::kBootstrap ? "bootstrap" : "randomization";
}

SignificanceTest significanceTestNamed(std::string_view name) {
  for (const auto test : {SignificanceTest::kBootstrap, SignificanceTest::kRandomization}) {
    if (nameOf(test) == name) return test;
  }
  throw usageError("unknown significance test '{}'; expected bootstrap or randomization", name);
}

DifferenceHistogram Comparison::differenceHistogram(std::size_t system) const {
  constexpr std::size_t kBins = 21;
  constexpr double kMost = 100;  // error rates are unbounded
  DifferenceHistogram histogram;
  double greatest = 0;
  for (std::size_t i = 0; i < sentences.size(); ++i)
    greatest = std::fmax(greatest, std::abs(sentenceDifference(system, i)));  // ignores NaN
  if (greatest == 0) greatest = 1;
  histogram.width = 2 * std::min(greatest, kMost) / kBins;
  histogram.counts.assign(kBins, 0);
  const double outermost = (kBins - 1) / 2;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const double difference = sentenceDifference(system, i);
    if (std::isnan(difference)) continue;
    ++(difference == 0                ? histogram.equal
       : first().improves(difference) ? histogram.better
                                      : histogram.worse);
    const double bin = std::clamp(std::round(difference / histogram.width), -outermost, outermost);
    ++histogram.counts[static_cast<std::size_t>(bin + outermost)];
  }
  return histogram;
}

Comparison compareSystems(const ComparisonInput& input) {
  Comparison result;
  result.baseline = baselineOf(input);
  checkOptions(input.options);
  result.allSentences = checkReferences(input.references);
  if (result.allSentences == 0)
    throw Error("{} is empty: there is nothing to compare", input.testSet);
  checkLines(input, result.allSentences);
  result.testSet = input.testSet;
  result.options = input.options;
  result.sentences = keptSentences(input, result.unknownWords);
  keepTexts(input, result);

  std::optional<Resamples> resamples;
  if (result.sentences.size() > 1)
    resamples.emplace(result.sentences.size(), input.options.bootstrap);
  result.groups = groupsOf(result);
  addMetrics(input, resamples, result);
  addSentenceScores(result);
  addLikelihoods(resamples, result);
  result.nbest = nbestOf(result);
  result.confidence = confidenceOf(result);
  for (const ComparedSystem& system : result.systems) {
    result.statistics.push_back(
        textStatistics(system.lines, {.references = result.references, .source = result.source}));
    if (input.counts) {
      result.wordAccuracy.push_back(
          wordAccuracy(system.lines, result.references.front(), *input.counts));
    }
  }
  result.buckets = bucketTables(input, result);
  result.ngrams = ngramTables(result);
  return result;
}

}  // namespace strata
