#include "core/inside/histograms.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace strata {
namespace {

constexpr double kSmallShare = 0.01;  // of the values other than 0: what is not told apart from it

std::int64_t finiteIn(const ValueHistogram& values) {
  return std::accumulate(values.counts.begin(), values.counts.begin() + kOrderedBins,
                         std::int64_t{0});
}

std::int64_t countOf(const ValueHistogram& values, int bin) {
  return values.counts[static_cast<std::size_t>(bin)];
}

// Where `part` of a bin's values are below, if they are spread evenly over the logarithm of the
// magnitude; the bins beside 0 have no logarithm at one bound, the outermost no end.
double placeIn(int bin, double part) {
  const double lower = lowerBound(bin), upper = upperBound(bin);
  if (std::isinf(lower)) return upper;
  if (std::isinf(upper)) return lower;
  if (lower == 0 || upper == 0) return lower + part * (upper - lower);
  return lower * std::pow(upper / lower, part);
}

ValueHistogram magnitudesOf(const ValueHistogram& values) {
  ValueHistogram magnitudes = values;
  for (int bin = 0; bin < kZeroBin; ++bin) {
    auto& count = magnitudes.counts[static_cast<std::size_t>(bin)];
    magnitudes.counts[static_cast<std::size_t>(2 * kZeroBin - bin)] += count;
    count = 0;
  }
  return magnitudes;
}

Json numberOrNull(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

// The bins that are told apart: of magnitudes from `low` to `high` bins beside that of 0, and
// whether there are negative ones.
struct Extent {
  int low = kZeroBin, high = 0;
  bool negative = false;
};

void include(const ValueHistogram& values, Extent& extent) {
  const ValueHistogram magnitudes = magnitudesOf(values);
  const auto other = double(finiteIn(values) - countOf(values, kZeroBin));
  double below = 0;
  for (int distance = 1; distance <= kZeroBin; ++distance) {
    const std::int64_t count = countOf(magnitudes, kZeroBin + distance);
    if (count == 0) continue;
    if (double(count) + below > kSmallShare * other) extent.low = std::min(extent.low, distance);
    below += double(count);
    extent.high = std::max(extent.high, distance);
    if (countOf(values, kZeroBin - distance) > 0) extent.negative = true;
  }
}

std::vector<HistogramMap::Row> rowsOf(const Extent& extent) {
  std::vector<HistogramMap::Row> rows;
  const int negative = extent.negative ? extent.high : extent.low - 1;
  for (int distance = negative; distance >= extent.low; --distance)
    rows.push_back({lowerBound(kZeroBin - distance), upperBound(kZeroBin - distance)});
  const double small = extent.high > 0 ? lowerBound(kZeroBin + extent.low) : 0;
  rows.push_back({-small, small});
  for (int distance = extent.low; distance <= extent.high; ++distance)
    rows.push_back({lowerBound(kZeroBin + distance), upperBound(kZeroBin + distance)});
  return rows;
}

// The row of 0 is after those of negative values.
std::vector<double> sharesOf(const ValueHistogram& values, const Extent& extent, std::size_t rows) {
  const std::int64_t finite = finiteIn(values);
  if (finite == 0) return std::vector<double>(rows, kNoFigure);
  std::vector<double> shares(rows, 0);
  const int zeroRow = extent.negative ? extent.high - extent.low + 1 : 0;
  for (int bin = 0; bin < kOrderedBins; ++bin) {
    const int distance = std::abs(bin - kZeroBin), above = distance - extent.low + 1;
    const int row = distance < extent.low ? zeroRow
                    : bin > kZeroBin      ? zeroRow + above
                                          : zeroRow - above;
    if (const std::int64_t count = countOf(values, bin); count > 0)
      shares[static_cast<std::size_t>(row)] += double(count) / double(finite);
  }
  return shares;
}

}  // namespace

double HistogramFigures::zeroShare() const {
  return finite() > 0 ? double(zeros) / double(finite()) : kNoFigure;
}

double HistogramFigures::nonFiniteShare() const {
  return values > 0 ? double(nonFinite) / double(values) : kNoFigure;
}

double quantileOf(const ValueHistogram& values, double share) {
  const double wanted = share * double(finiteIn(values));
  double below = 0, found = kNoFigure;
  for (int bin = 0; bin < kOrderedBins; ++bin) {
    const auto count = double(countOf(values, bin));
    if (count == 0) continue;
    found = placeIn(bin, std::clamp((wanted - below) / count, 0.0, 1.0));
    below += count;
    if (below >= wanted) break;
  }
  return found;
}

HistogramFigures figuresOf(const ValueHistogram& values) {
  HistogramFigures figures;
  figures.zeros = countOf(values, kZeroBin);
  figures.nonFinite = countOf(values, kNonFiniteBin);
  figures.values = finiteIn(values) + figures.nonFinite;
  for (int bin = 0; bin < kOrderedBins; ++bin) {
    if (countOf(values, bin) == 0) continue;
    if (std::isnan(figures.lowest)) figures.lowest = lowerBound(bin);
    figures.highest = upperBound(bin);
  }
  for (std::size_t i = 0; i < figures.quantiles.size(); ++i)
    figures.quantiles[i] = quantileOf(values, kHistogramQuantiles[i]);
  figures.magnitude = quantileOf(magnitudesOf(values), 0.5);
  return figures;
}

Json toJson(const HistogramFigures& figures) {
  Json quantiles = Json::array();
  for (const double value : figures.quantiles) quantiles.push_back(numberOrNull(value));
  return {{"values", figures.values},
          {"zeros", figures.zeros},
          {"non_finite", figures.nonFinite},
          {"zero_share", numberOrNull(figures.zeroShare())},
          {"non_finite_share", numberOrNull(figures.nonFiniteShare())},
          {"lowest", numberOrNull(figures.lowest)},
          {"highest", numberOrNull(figures.highest)},
          {"quantiles", quantiles},
          {"magnitude", numberOrNull(figures.magnitude)}};
}

Json binsOf(const ValueHistogram& values) {
  Json bins = Json::array();
  for (int bin = 0; bin < kOrderedBins; ++bin) {
    if (const std::int64_t count = countOf(values, bin); count > 0)
      bins.push_back({numberOrNull(lowerBound(bin)), numberOrNull(upperBound(bin)), count});
  }
  return bins;
}

double HistogramMap::placeOf(double value) const {
  if (rows.empty() || std::isnan(value)) return kNoFigure;
  const auto row = std::ranges::find_if(rows, [value](const Row& r) { return value <= r.upper; });
  if (row == rows.end()) return double(rows.size()) - 0.5;
  const double base = double(row - rows.begin());
  if (std::isinf(row->lower) || std::isinf(row->upper) || row->upper == row->lower) return base;
  const bool ofZero = row->lower <= 0 && row->upper >= 0;
  const double part = ofZero ? (value - row->lower) / (row->upper - row->lower)
                             : std::log(value / row->lower) / std::log(row->upper / row->lower);
  return base - 0.5 + std::clamp(part, 0.0, 1.0);
}

std::size_t HistogramMap::columnOf(std::int64_t step) const {
  const auto count = std::ssize(columns);
  const std::int64_t column = (step - first) * count / (last - first + 1);
  return static_cast<std::size_t>(std::clamp<std::int64_t>(column, 0, count - 1));
}

HistogramMap histogramMap(std::span<const StepHistogram> steps, const HistogramRange& range) {
  HistogramMap map{.first = range.first, .last = range.last};
  const auto begin = std::ranges::lower_bound(steps, range.first, {}, &StepHistogram::step);
  const auto end = std::ranges::upper_bound(steps, range.last, {}, &StepHistogram::step);
  if (begin >= end) return map;
  map.columns.resize(std::min<std::size_t>(static_cast<std::size_t>(end - begin),
                                           static_cast<std::size_t>(range.mostColumns)));
  std::vector<ValueHistogram> sums(map.columns.size());
  std::vector<bool> filled(map.columns.size(), false);
  for (auto step = begin; step != end; ++step) {
    const std::size_t i = map.columnOf(step->step);
    if (!filled[i]) map.columns[i].first = step->step;
    filled[i] = true;
    map.columns[i].last = step->step;
    sums[i].add(step->values);
  }
  Extent extent;
  for (const ValueHistogram& sum : sums) include(sum, extent);
  map.rows = rowsOf(extent);
  for (std::size_t i = 0; i < map.columns.size(); ++i) {
    if (!filled[i] && i > 0) {
      map.columns[i] = map.columns[i - 1];
      continue;
    }
    map.columns[i].shares = sharesOf(sums[i], extent, map.rows.size());
    map.columns[i].figures = figuresOf(sums[i]);
  }
  return map;
}

}  // namespace strata
