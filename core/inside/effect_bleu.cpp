#include "core/inside/effect_bleu.h"

#include "core/base/error.h"
#include "core/metrics/bleu_metric.h"
#include "core/metrics/significance.h"

namespace strata {

void addBleu(EffectStatistics& statistics, const MeasuredTranslations& translations,
             const EffectOptions& options) {
  if (translations.without.size() != statistics.units.size())
    throw Error("there are translations without {} units, but {} were measured: measure both anew",
                translations.without.size(), statistics.units.size());
  const MultiBleuMetric metric(translations.references, {});
  const BootstrapOptions bootstrap{.samples = options.samples, .seed = options.seed};
  const Resamples resamples(metric.sentences(), bootstrap);
  const auto scoresOf = [&](const std::vector<std::string>& hypotheses) {
    return resampleScores(metric, compareAll(metric, hypotheses), resamples);
  };
  const ResampledScores with = scoresOf(translations.with);
  statistics.bleu = EffectBleu{.score = with.score,
                               .beam = translations.beam,
                               .signature = withResampling(metric.signature(), bootstrap)};
  std::vector<std::vector<double>> changes(with.samples.size() + 1);
  for (std::size_t i = 0; i < statistics.units.size(); ++i) {
    const ResampledScores without = scoresOf(translations.without[i]);
    const PairedBootstrap change = pairedBootstrap(with, without);
    statistics.units[i].bleu = {change.difference, change.low, change.high};
    for (std::size_t s = 0; s < with.samples.size(); ++s)
      changes[s].push_back(without.samples[s] - with.samples[s]);
    changes.back().push_back(change.difference);
  }
  statistics.bleu->correlations = bleuCorrelations(statistics.units, changes);
}

}  // namespace strata
