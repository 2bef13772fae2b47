#include "core/metrics/agreement.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.h"

namespace strata {
namespace {

// Chooses candidates sentence by sentence and adds up their rows.
class Chooser {
 public:
  explicit Chooser(const Metric& metric) : metric_(metric), sums_(metric.width(), 0.0) {}

  // `rowOf` returns the row of a candidate.
  template <typename RowOf>
  void choose(std::size_t candidates, RowOf rowOf) {
    std::size_t best = 0;
    double bestScore = metric_.sentenceScore(rowOf(0));
    for (std::size_t k = 1; k < candidates; ++k) {
      const double score = metric_.sentenceScore(rowOf(k));
      const bool better = metric_.higherIsBetter() ? score > bestScore : score < bestScore;
      if (!better && !(std::isnan(bestScore) && !std::isnan(score))) continue;
      best = k;
      bestScore = score;
    }
    addRow(rowOf(best), sums_);
    chosen_.push_back(best);
  }

  Oracle finish() { return {std::move(chosen_), metric_.score(sums_)}; }

 private:
  const Metric& metric_;
  std::vector<double> sums_;
  std::vector<std::size_t> chosen_;
};

void checkWidth(const Metric& metric, const MetricRows& rows) {
  if (rows.width == metric.width()) return;
  throw Error("{} has rows of {} numbers, not {}: compare with the metric that made the rows",
              metric.name(), metric.width(), rows.width);
}

// Distances from the mean divided by the greatest of them, so that their squares stay within the
// range of a double; nothing if that is zero or not a number.
std::optional<std::vector<double>> deviations(std::span<const double> values) {
  const auto differs = [&](double value) { return value != values.front(); };
  if (values.size() < 2 || std::none_of(values.begin(), values.end(), differs)) return std::nullopt;
  const double mean =
      std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  double greatest = 0;
  for (const double value : values) {
    if (!std::isfinite(value - mean)) return std::nullopt;
    greatest = std::max(greatest, std::abs(value - mean));
  }
  std::vector<double> result;
  for (const double value : values) result.push_back((value - mean) / greatest);
  return result;
}

std::vector<double> ranksOf(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double rank = static_cast<double>(begin + end - 1) / 2;  // from 0
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = rank;
    begin = end;
  }
  return ranks;
}

bool allFinite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

void checkSizes(std::span<const double> x, std::span<const double> y) {
  if (x.size() == y.size()) return;
  throw Error("{} values cannot be correlated with {}: expected one of each per sentence", x.size(),
              y.size());
}

}  // namespace

Oracle oracleOfSystems(const Metric& metric, std::span<const MetricRows> systems) {
  if (systems.empty()) throw Error("there is no system to choose sentences from");
  for (const MetricRows& rows : systems) {
    checkWidth(metric, rows);
    if (rows.sentences() == systems.front().sentences()) continue;
    throw Error("the systems have {} and {} sentences: all must translate the same set",
                systems.front().sentences(), rows.sentences());
  }
  Chooser chooser(metric);
  for (std::size_t i = 0; i < systems.front().sentences(); ++i)
    chooser.choose(systems.size(), [&](std::size_t k) { return systems[k].row(i); });
  return chooser.finish();
}

Oracle oracleOfCandidates(const Metric& metric, std::span<const MetricRows> lists) {
  Chooser chooser(metric);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    checkWidth(metric, lists[i]);
    if (lists[i].sentences() == 0) throw Error("sentence {} has no candidate", i + 1);
    chooser.choose(lists[i].sentences(), [&](std::size_t k) { return lists[i].row(k); });
  }
  return chooser.finish();
}

std::optional<double> pearson(std::span<const double> x, std::span<const double> y) {
  checkSizes(x, y);
  const auto dx = deviations(x), dy = deviations(y);
  if (!dx || !dy) return std::nullopt;
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (*dx)[i] * (*dx)[i];
    yy += (*dy)[i] * (*dy)[i];
    xy += (*dx)[i] * (*dy)[i];
  }
  return std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0);
}

std::optional<double> spearman(std::span<const double> x, std::span<const double> y) {
  checkSizes(x, y);
  if (!allFinite(x) || !allFinite(y)) return std::nullopt;
  return pearson(ranksOf(x), ranksOf(y));
}

}  // namespace strata
