#include "core/metrics/significance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "core/base/error.h"
#include "core/base/threads.h"
#include "core/metrics/numpy_random.h"
#include "core/metrics/weighted_sums.h"

namespace strata {
namespace {

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Without resamples that have no score: those of scores made elsewhere can miss every scored
// sentence.
std::vector<double> defined(std::vector<double> values) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  return values;
}

// The bounds of the middle 95 %; NaN without values.
std::pair<double, double> middle(std::vector<double> values) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (values.empty()) return {kNone, kNone};
  std::sort(values.begin(), values.end());
  const std::size_t outside = values.size() / 40;
  return {values[outside], values[values.size() - 1 - outside]};
}

// sacreBLEU's: how often the differences, centred on their mean, exceed the observed one. Where
// nothing differs it counts none, although each is as extreme as that: p is 1 then.
double pValueOf(const std::vector<double>& baseline, const std::vector<double>& system,
                double real) {
  std::vector<double> gaps(baseline.size());
  for (std::size_t i = 0; i < gaps.size(); ++i) gaps[i] = std::abs(baseline[i] - system[i]);
  gaps = defined(std::move(gaps));
  if (real == 0 && std::ranges::count(gaps, 0.0) == std::ssize(gaps)) return 1;
  const double centre = mean(gaps);
  const auto above =
      std::count_if(gaps.begin(), gaps.end(), [&](double gap) { return gap - centre > real; });
  return static_cast<double>(above + 1) / static_cast<double>(gaps.size() + 1);
}

// numpy's coins in their order, 64 per word, the first one lowest; trial after trial without gaps.
std::vector<std::uint64_t> coinsOf(std::size_t sentences, const RandomizationOptions& options) {
  NumpyRandom random(options.seed);
  const std::size_t coins = sentences * static_cast<std::size_t>(options.trials);
  std::vector<std::uint64_t> words(coins / 64 + 3);  // a last block may read beyond the last coin
  for (std::uint64_t& word : words) word = random.next64();
  return words;
}

// The weight of a sentence is 1 if its coin is 0: it is swapped. The first sentence's coin has
// number `first`.
void setMoves(std::span<const std::uint64_t> coins, std::size_t first,
              std::span<std::int16_t> weights) {
  constexpr std::size_t kBlock = 16;
  static_assert(kPadding % kBlock == 0);
  for (std::size_t begin = 0; begin < weights.size(); begin += kBlock) {
    const std::size_t word = (first + begin) / 64, shift = (first + begin) % 64;
    const std::uint64_t next = shift == 0 ? 0 : coins[word + 1] << (64 - shift);
    const auto bits = static_cast<std::uint16_t>(coins[word] >> shift | next);
    for (std::size_t i = 0; i < kBlock; ++i) weights[begin + i] = (bits >> i & 1) == 0 ? 1 : 0;
  }
}

}  // namespace

Resamples::Resamples(std::size_t sentences, const BootstrapOptions& options)
    : count_(static_cast<std::size_t>(std::max(0, options.samples))),
      sentences_(sentences),
      padded_(paddedWeights(sentences)) {
  if (options.samples < 40)
    throw usageError("resampling needs at least 40 samples, not {}", options.samples);
  if (sentences == 0) throw Error("there is nothing to resample: no sentences");
  if (sentences > std::numeric_limits<std::uint32_t>::max())
    throw Error("too many sentences to resample");
  NumpyRandom random(options.seed);
  weights_.assign(count_ * padded_, 0);
  for (std::size_t start = 0; start < weights_.size(); start += padded_) {
    for (std::size_t i = 0; i < sentences; ++i)
      ++weights_[start + random.below(static_cast<std::uint32_t>(sentences))];
  }
}

ResampledScores resampleScores(const Metric& metric, const MetricRows& rows,
                               const Resamples& resamples, int threads) {
  if (rows.sentences() != resamples.sentences()) {
    throw Error("a system has {} sentences but the resamples have {}", rows.sentences(),
                resamples.sentences());
  }
  ResampledScores result{metric.score(rows.sums()), std::vector<double>(resamples.count())};
  const WeightedSums weighted(rows);
  inParts(resamples.count(), 16, threads, [&](std::size_t begin, std::size_t end) {
    std::vector<double> sums(rows.width);
    for (std::size_t s = begin; s < end; ++s) {
      weighted.sum(resamples.weights(s), sums);
      result.samples[s] = metric.score(sums);
    }
  });
  return result;
}

ConfidenceInterval intervalOf(const ResampledScores& scores) {
  const std::vector<double> samples = defined(scores.samples);
  const auto [low, high] = middle(samples);
  return {.mean = mean(samples), .halfWidth = (high - low) / 2};
}

PairedBootstrap pairedBootstrap(const ResampledScores& baseline, const ResampledScores& system) {
  if (baseline.samples.size() != system.samples.size() || baseline.samples.empty())
    throw Error("systems to compare need the same resamples");
  PairedBootstrap result{.baseline = baseline.score, .system = system.score};
  result.difference = result.system - result.baseline;
  std::vector<double> gains(baseline.samples.size());
  for (std::size_t i = 0; i < gains.size(); ++i) gains[i] = system.samples[i] - baseline.samples[i];
  std::tie(result.low, result.high) = middle(defined(std::move(gains)));
  result.pValue = pValueOf(baseline.samples, system.samples, std::abs(result.difference));
  result.baselineInterval = intervalOf(baseline);
  result.systemInterval = intervalOf(system);
  return result;
}

PairedRandomization pairedRandomization(const Metric& metric, const MetricRows& baseline,
                                        const MetricRows& system,
                                        const RandomizationOptions& options, int threads) {
  if (baseline.sentences() != system.sentences()) {
    throw Error("the systems have {} and {} sentences: both must translate the same set",
                baseline.sentences(), system.sentences());
  }
  if (options.trials < 1) throw usageError("a randomization test needs at least one trial");
  const std::vector<double> ours = baseline.sums(), theirs = system.sums();
  MetricRows gaps = baseline;  // the baseline's loss if a sentence is swapped
  for (std::size_t i = 0; i < gaps.values.size(); ++i) gaps.values[i] -= system.values[i];
  PairedRandomization result{.baseline = metric.score(ours), .system = metric.score(theirs)};
  result.difference = result.system - result.baseline;
  const auto coins = coinsOf(gaps.sentences(), options);
  const WeightedSums weighted(gaps);
  const auto trials = static_cast<std::size_t>(options.trials);
  std::vector<std::uint8_t> above(trials, 0);
  // Sums of imported scores are rounded; an exchange that gives the same difference is not above.
  const double limit = std::abs(result.difference) * (1 + 1e-9);
  inParts(trials, 64, threads, [&](std::size_t begin, std::size_t end) {
    std::vector<double> left(gaps.width), right(gaps.width), moved(gaps.width);
    std::vector<std::int16_t> moves(paddedWeights(gaps.sentences()));
    for (std::size_t trial = begin; trial < end; ++trial) {
      setMoves(coins, trial * gaps.sentences(), moves);
      weighted.sum(moves, moved);
      for (std::size_t c = 0; c < moved.size(); ++c) {
        left[c] = ours[c] - moved[c];
        right[c] = theirs[c] + moved[c];
      }
      above[trial] = std::abs(metric.score(right) - metric.score(left)) > limit;
    }
  });
  const auto count = std::accumulate(above.begin(), above.end(), std::int64_t{0});
  if (result.difference == 0 && count == 0) return result;  // no exchange changes anything
  result.pValue = static_cast<double>(count + 1) / static_cast<double>(options.trials + 1);
  return result;
}

std::vector<double> holmCorrected(std::span<const double> pValues) {
  std::vector<std::size_t> order(pValues.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return pValues[a] < pValues[b]; });
  std::vector<double> corrected(pValues.size());
  double highest = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const auto left = static_cast<double>(order.size() - rank);
    highest = std::max(highest, std::min(1.0, left * pValues[order[rank]]));
    corrected[order[rank]] = highest;
  }
  return corrected;
}

std::string withResampling(std::string_view signature, const BootstrapOptions& options) {
  const auto bar = std::min(signature.find('|'), signature.size());
  return fmt::format("{}|bs:{}|seed:{}{}", signature.substr(0, bar), options.samples, options.seed,
                     signature.substr(bar));
}

}  // namespace strata
