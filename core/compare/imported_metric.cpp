#include "core/compare/imported_metric.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"

namespace strata {
namespace {

constexpr ScoreScale kScales[] = {ScoreScale::kUnit, ScoreScale::kHundred, ScoreScale::kOther};

}  // namespace

std::string_view nameOf(ScoreScale scale) {
  switch (scale) {
    case ScoreScale::kUnit:
      return "0-1";
    case ScoreScale::kHundred:
      return "0-100";
    case ScoreScale::kOther:
      break;
  }
  return "other";
}

ScoreScale scoreScaleNamed(std::string_view name) {
  const auto* found =
      std::ranges::find_if(kScales, [&](ScoreScale scale) { return nameOf(scale) == name; });
  if (found != std::end(kScales)) return *found;
  throw usageError("unknown scale '{}'; expected 0-1, 0-100 or other", name);
}

ScoreScale likelyScale(std::span<const double> values) {
  double low = 0, high = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  // Learnt metrics on a unit scale are a little outside it at times.
  if (low >= -1.5 && high <= 1.5) return ScoreScale::kUnit;
  return low >= 0 && high <= 100 ? ScoreScale::kHundred : ScoreScale::kOther;
}

std::string ImportedMetricInfo::name() const {
  return model.empty() ? metric : metric + " " + model;
}

ImportedMetric::ImportedMetric(ImportedMetricInfo info, std::size_t sentences)
    : info_(std::move(info)), sentences_(sentences) {}

std::string ImportedMetric::signature() const {
  return fmt::format("imported|model:{}|better:{}|scale:{}",
                     info_.model.empty() ? "unknown" : info_.model,
                     info_.higherIsBetter ? "higher" : "lower", nameOf(info_.scale));
}

void ImportedMetric::compare(std::size_t, std::string_view, std::span<double>) const {
  throw Error("{} was computed by another program: import its scores of this text", name());
}

double ImportedMetric::score(std::span<const double> sums) const {
  return sums[1] > 0 ? sums[0] / sums[1] : std::numeric_limits<double>::quiet_NaN();
}

MetricRows ImportedMetric::rowsOf(std::span<const double> values) const {
  MetricRows rows = MetricRows::zeros(sentences_, width());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    rows.row(i)[0] = values[i];
    rows.row(i)[1] = 1;
  }
  return rows;
}

std::size_t ImportedMetric::scored(const MetricRows& rows) {
  return static_cast<std::size_t>(rows.sums()[1]);
}

const ImportedMetric* importedMetric(const Metric& metric) {
  return dynamic_cast<const ImportedMetric*>(&metric);
}

int scoreDigits(const Metric& metric) {
  const ImportedMetric* imported = importedMetric(metric);
  return imported != nullptr && imported->info().scale == ScoreScale::kUnit ? 4 : 2;
}

}  // namespace strata
