#include "core/metrics/run_significance.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/metrics/numpy_random.h"

namespace strata {
namespace {

double meanOf(std::span<const ResampledScores> runs) {
  double sum = 0;
  for (const ResampledScores& run : runs) sum += run.score;
  return sum / static_cast<double>(runs.size());
}

// A system's mean in one replicate.
double drawnMean(std::span<const ResampledScores> runs, std::size_t sample, NumpyRandom& random) {
  const auto count = static_cast<double>(runs.size());
  double mean = 0, drawn = 0;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    mean += runs[r].samples[sample] / count;
    drawn += runs[random.below(static_cast<std::uint32_t>(runs.size()))].samples[sample] / count;
  }
  const double widen = runs.size() > 1 ? std::sqrt(count / (count - 1)) : 0;
  return mean + widen * (drawn - mean);
}

}  // namespace

ResampledScores meanScores(const std::vector<ResampledScores>& sets) {
  if (sets.empty()) throw Error("there are no scores to average");
  ResampledScores mean;
  mean.samples.assign(sets.front().samples.size(), 0.0);
  const auto count = static_cast<double>(sets.size());
  for (const ResampledScores& set : sets) {
    if (set.samples.size() != mean.samples.size())
      throw Error("scores to average have {} and {} resamples", mean.samples.size(),
                  set.samples.size());
    mean.score += set.score / count;
    for (std::size_t i = 0; i < mean.samples.size(); ++i) mean.samples[i] += set.samples[i] / count;
  }
  return mean;
}

std::string_view nameOf(Direction direction) {
  constexpr std::string_view kNames[] = {"too few seeds", "confirmed", "opposite", "undecided"};
  return kNames[static_cast<std::size_t>(direction)];
}

Direction RunsComparison::direction() const {
  if (std::min(baselineRuns, systemRuns) < kRunsForDirection) return Direction::kTooFewRuns;
  if (pValue >= 0.05) return Direction::kUndecided;
  return difference > 0 ? Direction::kConfirmed : Direction::kOpposite;
}

RunsComparison compareRuns(std::span<const ResampledScores> baseline,
                           std::span<const ResampledScores> system, std::uint64_t seed) {
  if (baseline.empty() || system.empty()) throw Error("a system without runs cannot be compared");
  const std::size_t samples = baseline.front().samples.size();
  for (const auto& runs : {baseline, system}) {
    for (const ResampledScores& run : runs) {
      if (run.samples.size() != samples || samples < 40)
        throw Error("runs to compare need the same resamples, at least 40");
    }
  }
  RunsComparison result{.baselineRuns = baseline.size(), .systemRuns = system.size()};
  const double ours = meanOf(system), theirs = meanOf(baseline);
  // The same runs in another order differ by rounding only: nothing differs.
  if (!(std::abs(ours - theirs) <= 1e-12 * (std::abs(ours) + std::abs(theirs))))
    result.difference = ours - theirs;
  NumpyRandom random(seed);
  std::vector<double> gains(samples);
  for (std::size_t s = 0; s < samples; ++s) {
    const double drawn = drawnMean(system, s, random);
    gains[s] = drawn - drawnMean(baseline, s, random);
  }
  double centre = 0;
  for (const double gain : gains) centre += gain / static_cast<double>(samples);
  const auto beyond = std::count_if(gains.begin(), gains.end(), [&](double gain) {
    return std::abs(gain - centre) >= std::abs(result.difference);
  });
  result.pValue = static_cast<double>(beyond + 1) / static_cast<double>(samples + 1);
  std::sort(gains.begin(), gains.end());
  const std::size_t outside = samples / 40;
  result.low = gains[outside];
  result.high = gains[samples - 1 - outside];
  return result;
}

}  // namespace strata
