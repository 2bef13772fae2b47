#include "ui/plots/seed_band.h"

#include <algorithm>
#include <cmath>

#include "core/metrics/spread.h"

namespace strata::ui {

SeedBand seedBand(const QVector<std::shared_ptr<Series>>& seeds, SeedBand::Width width) {
  SeedBand band{std::make_shared<Series>(), std::make_shared<Series>(), std::make_shared<Series>()};
  if (seeds.isEmpty()) return band;
  std::vector<ScalarPoint> mean, low, high;
  std::vector<std::size_t> at(std::size_t(seeds.size()), 0);
  std::vector<double> values(std::size_t(seeds.size()));
  const Series& first = *seeds[0];
  for (std::size_t i = 0; i < first.size(); ++i) {
    const double step = first.steps()[i];
    bool all = true;
    for (std::size_t s = 0; s < at.size(); ++s) {
      const Series& seed = *seeds[qsizetype(s)];
      while (at[s] < seed.size() && seed.steps()[at[s]] < step) ++at[s];
      all = all && at[s] < seed.size() && seed.steps()[at[s]] == step;
      if (all) values[s] = seed.values()[at[s]];
    }
    if (!all) continue;
    const bool finite = std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
    const Spread spread = finite ? spreadOf(values) : Spread{0, NAN, 0, 0};
    const double half = width == SeedBand::Width::kDeviation ? spread.deviation : spread.halfWidth;
    const double time = first.wallTimes()[i];
    mean.push_back({std::int64_t(step), time, spread.mean});
    low.push_back({std::int64_t(step), time, spread.mean - half});
    high.push_back({std::int64_t(step), time, spread.mean + half});
  }
  band.mean->append(mean);
  band.low->append(low);
  band.high->append(high);
  return band;
}

}  // namespace strata::ui
