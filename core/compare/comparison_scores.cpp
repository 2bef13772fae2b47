#include <cmath>
#include <string>

#include "core/base/digest.h"
#include "core/compare/comparison_parts.h"

namespace strata {
namespace {

double pValueOf(const ScoredRows& scored, const PairedBootstrap& bootstrap, std::size_t system) {
  const MetricRows& baseline = scored.rows[scored.baseline];
  const MetricRows& rows = scored.rows[system];
  if (baseline.values == rows.values) return 1;
  if (scored.options.test == SignificanceTest::kBootstrap) return bootstrap.pValue;
  return pairedRandomization(scored.metric, baseline, rows, scored.options.randomization).pValue;
}

}  // namespace

std::vector<SystemScore> scoresOf(const ScoredRows& scored) {
  std::vector<SystemScore> systems;
  for (const MetricRows& rows : scored.rows)
    systems.push_back({.score = scored.metric.score(rows.sums())});
  const double baseline = systems[scored.baseline].score;
  for (SystemScore& system : systems) system.difference = system.score - baseline;
  return systems;
}

std::vector<ResampledScores> addTests(const ScoredRows& scored, const Resamples& resamples,
                                      std::vector<SystemScore>& systems) {
  std::vector<ResampledScores> resampled;
  for (const MetricRows& rows : scored.rows)
    resampled.push_back(resampleScores(scored.metric, rows, resamples));
  std::vector<double> pValues;
  for (std::size_t s = 0; s < systems.size(); ++s) {
    SystemScore& system = systems[s];
    if (std::isnan(system.score)) continue;
    system.interval = intervalOf(resampled[s]);
    if (s == scored.baseline || std::isnan(systems[scored.baseline].score)) continue;
    const PairedBootstrap paired = pairedBootstrap(resampled[scored.baseline], resampled[s]);
    system.test = {.low = paired.low, .high = paired.high, .pValue = pValueOf(scored, paired, s)};
    pValues.push_back(system.test->pValue);
  }
  const auto corrected = holmCorrected(pValues);
  auto next = corrected.begin();
  for (SystemScore& system : systems) {
    if (system.test) system.test->pHolm = *next++;
  }
  return resampled;
}

std::string referencesDigest(const std::vector<std::vector<std::string>>& references) {
  Digest digest;
  // Each text is preceded by its length, each list by its number of texts.
  const auto addCount = [&](std::size_t count) { digest.add(std::to_string(count) + ":"); };
  addCount(references.size());
  for (const auto& lines : references) {
    addCount(lines.size());
    for (const std::string& line : lines) {
      addCount(line.size());
      digest.add(line);
    }
  }
  return digest.hex();
}

}  // namespace strata
