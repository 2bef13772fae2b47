#include "core/metrics/significance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "core/base/error.h"
#include "core/metrics/numpy_random.h"

namespace strata {
namespace {

double scoreOf(const BleuStats& stats, const std::optional<BleuOptions>& options) {
  if (options) return bleu(stats, *options).score;
  return stats.hypothesisLength == 0 ? 0 : multiBleu(stats).score;
}

void check(std::size_t sentences, const BootstrapOptions& options) {
  if (options.samples < 40)
    throw usageError("resampling needs at least 40 samples, not {}", options.samples);
  if (sentences == 0) throw Error("there is nothing to resample: no sentences");
  if (sentences > std::numeric_limits<std::uint32_t>::max())
    throw Error("too many sentences to resample");
}

void checkPair(std::span<const BleuStats> baseline, std::span<const BleuStats> system) {
  if (baseline.size() != system.size()) {
    throw Error("the systems have {} and {} sentences: both must translate the same",
                baseline.size(), system.size());
  }
}

BleuStats minus(BleuStats left, const BleuStats& right) {
  left.hypothesisLength -= right.hypothesisLength;
  left.referenceLength -= right.referenceLength;
  for (std::size_t n = 0; n < left.correct.size(); ++n) {
    left.correct[n] -= right.correct[n];
    left.total[n] -= right.total[n];
  }
  return left;
}

std::vector<double> resampledScores(std::span<const BleuStats> sentences,
                                    const std::vector<std::uint32_t>& indices,
                                    const std::optional<BleuOptions>& options) {
  std::vector<double> scores;
  scores.reserve(indices.size() / sentences.size());
  for (std::size_t start = 0; start < indices.size(); start += sentences.size()) {
    BleuStats stats;
    for (std::size_t i = 0; i < sentences.size(); ++i) stats += sentences[indices[start + i]];
    scores.push_back(scoreOf(stats, options));
  }
  return scores;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The values between which the middle 95 % lie.
std::pair<double, double> middle(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t outside = values.size() / 40;
  return {values[outside], values[values.size() - 1 - outside]};
}

ConfidenceInterval intervalOf(const std::vector<double>& scores) {
  const auto [low, high] = middle(scores);
  return {.mean = mean(scores), .halfWidth = (high - low) / 2};
}

// sacreBLEU's: how often the differences, centred on their mean, exceed the real one.
double pValueOf(const std::vector<double>& baseline, const std::vector<double>& system,
                double real) {
  std::vector<double> gaps(baseline.size());
  for (std::size_t i = 0; i < gaps.size(); ++i) gaps[i] = std::abs(baseline[i] - system[i]);
  const double centre = mean(gaps);
  const auto above =
      std::count_if(gaps.begin(), gaps.end(), [&](double gap) { return gap - centre > real; });
  return static_cast<double>(above + 1) / static_cast<double>(gaps.size() + 1);
}

}  // namespace

std::vector<std::uint32_t> resampleIndices(std::size_t sentences, const BootstrapOptions& options) {
  check(sentences, options);
  NumpyRandom random(options.seed);
  std::vector<std::uint32_t> indices(sentences * static_cast<std::size_t>(options.samples));
  for (std::uint32_t& index : indices) index = random.below(static_cast<std::uint32_t>(sentences));
  return indices;
}

ConfidenceInterval bleuConfidence(std::span<const BleuStats> sentences,
                                  const BleuOptions& bleuOptions, const BootstrapOptions& options) {
  return intervalOf(
      resampledScores(sentences, resampleIndices(sentences.size(), options), bleuOptions));
}

PairedBootstrap pairedBootstrap(std::span<const BleuStats> baseline,
                                std::span<const BleuStats> system,
                                const std::optional<BleuOptions>& bleuOptions,
                                const BootstrapOptions& options) {
  checkPair(baseline, system);
  const auto indices = resampleIndices(baseline.size(), options);
  const auto ours = resampledScores(baseline, indices, bleuOptions);
  const auto theirs = resampledScores(system, indices, bleuOptions);
  PairedBootstrap result;
  result.baseline = scoreOf(sum(baseline), bleuOptions);
  result.system = scoreOf(sum(system), bleuOptions);
  result.difference = result.system - result.baseline;
  std::vector<double> gains(ours.size());
  for (std::size_t i = 0; i < gains.size(); ++i) gains[i] = theirs[i] - ours[i];
  std::tie(result.low, result.high) = middle(gains);
  result.pValue = pValueOf(ours, theirs, std::abs(result.difference));
  result.baselineInterval = intervalOf(ours);
  result.systemInterval = intervalOf(theirs);
  return result;
}

PairedRandomization pairedRandomization(std::span<const BleuStats> baseline,
                                        std::span<const BleuStats> system,
                                        const std::optional<BleuOptions>& bleuOptions,
                                        const RandomizationOptions& options) {
  checkPair(baseline, system);
  if (options.trials < 1) throw usageError("a randomization test needs at least one trial");
  const BleuStats ours = sum(baseline), theirs = sum(system);
  std::vector<BleuStats> gaps;  // what the baseline loses where a sentence changes sides
  gaps.reserve(baseline.size());
  for (std::size_t i = 0; i < baseline.size(); ++i) gaps.push_back(minus(baseline[i], system[i]));
  PairedRandomization result;
  result.baseline = scoreOf(ours, bleuOptions);
  result.system = scoreOf(theirs, bleuOptions);
  result.difference = result.system - result.baseline;
  NumpyRandom random(options.seed);
  std::int64_t above = 0;
  for (int trial = 0; trial < options.trials; ++trial) {
    BleuStats moved;
    for (const BleuStats& gap : gaps) {
      if (!random.coin()) moved += gap;
    }
    BleuStats swapped = theirs;
    swapped += moved;
    const double gain = scoreOf(swapped, bleuOptions) - scoreOf(minus(ours, moved), bleuOptions);
    above += std::abs(gain) > std::abs(result.difference) ? 1 : 0;
  }
  result.pValue = static_cast<double>(above + 1) / static_cast<double>(options.trials + 1);
  return result;
}

std::string bleuSignature(const BleuOptions& bleuOptions, std::size_t references,
                          const BootstrapOptions& options) {
  const std::string plain = bleuSignature(bleuOptions, references);
  const auto bar = plain.find('|');
  return fmt::format("{}|bs:{}|seed:{}{}", plain.substr(0, bar), options.samples, options.seed,
                     plain.substr(bar));
}

}  // namespace strata
