#include "core/curves/curve_set.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/error.h"
#include "core/base/printable.h"

namespace strata {
namespace {

constexpr std::int64_t kLastStep = 1'000'000'000'000'000;  // exact as a double
constexpr double kLastTime = 1e11;                         // seconds: the year 5138

}  // namespace

// Null, and counted, if a point of the name and step is left out.
CurveSet::Series* CurveSet::seriesFor(std::string_view name, std::int64_t step) {
  if (step < 0 || step > kLastStep) {
    ++(step < 0 ? left_.negative : left_.huge);
    return nullptr;
  }
  if (const auto found = curves_.find(name); found != curves_.end()) return &found->second;
  if (name.empty() || name.size() > limits_.nameBytes) {
    ++left_.longNames;
    return nullptr;
  }
  if (curves_.size() >= limits_.series) {
    ++left_.crowded;
    return nullptr;
  }
  return &curves_[std::string(name)];
}

void CurveSet::append(Series& series, const ScalarPoint& point) {
  if (points_ >= limits_.points)
    throw Error("more than {} points in one run: import a part of it", limits_.points);
  ScalarPoint kept = point;
  if (!(kept.wallTime >= 0 && kept.wallTime < kLastTime)) {
    ++left_.undated;
    kept.wallTime = 0;
  }
  series.points.push_back(kept);
  ++points_;
}

void CurveSet::add(std::string_view name, const ScalarPoint& point) {
  Series* series = seriesFor(name, point.step);
  if (series == nullptr) return;
  if (!series->points.empty() && point.step <= series->points.back().step) cut(*series, point.step);
  append(*series, point);
}

void CurveSet::put(std::string_view name, const ScalarPoint& point) {
  Series* series = seriesFor(name, point.step);
  if (series == nullptr) return;
  if (!series->points.empty() && point.step <= series->points.back().step) series->sorted = false;
  append(*series, point);
}

void CurveSet::sort(Series& series) {
  if (series.sorted) return;
  series.sorted = true;
  std::vector<ScalarPoint>& points = series.points;
  std::ranges::stable_sort(points, {}, &ScalarPoint::step);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i + 1 < points.size() && points[i + 1].step == points[i].step)
      series.removed.push_back(points[i].step);
    else
      points[kept++] = points[i];
  }
  points_ -= points.size() - kept;
  points.resize(kept);
}

void CurveSet::cut(Series& series, std::int64_t step) {
  sort(series);
  const auto first = std::ranges::lower_bound(series.points, step, {}, &ScalarPoint::step);
  for (auto point = first; point != series.points.end(); ++point)
    series.removed.push_back(point->step);
  points_ -= static_cast<std::size_t>(std::distance(first, series.points.end()));
  series.points.erase(first, series.points.end());
}

void CurveSet::cutFrom(std::int64_t step) {
  for (auto& [name, series] : curves_) cut(series, step);
}

void CurveSet::cutFrom(std::string_view name, std::int64_t step) {
  if (const auto found = curves_.find(name); found != curves_.end()) cut(found->second, step);
}

void CurveSet::remove(std::string_view begin) {
  std::erase_if(curves_, [&](const auto& entry) {
    if (!entry.first.starts_with(begin)) return false;
    points_ -= entry.second.points.size();
    return true;
  });
}

void CurveSet::rename(std::string_view from, const std::string& to, double factor) {
  const auto found = curves_.find(from);
  if (found == curves_.end() || curves_.contains(to)) return;
  Series series = std::move(found->second);
  curves_.erase(found);
  for (ScalarPoint& point : series.points) point.value *= factor;
  curves_.emplace(to, std::move(series));
}

std::vector<Curve> CurveSet::take() {
  std::vector<std::string> raw;
  for (auto& [name, series] : curves_) {
    sort(series);
    if (!series.points.empty()) raw.push_back(name);
  }
  std::ranges::sort(raw);
  std::vector<Curve> curves;
  std::set<std::string> used;
  for (const std::string& name : raw) {
    std::string clean = printable(name);
    for (int number = 2; !used.insert(clean).second; ++number)
      clean = fmt::format("{} ({})", printable(name), number);
    curves.push_back({clean, std::move(curves_.find(name)->second.points)});
  }
  std::ranges::sort(curves, {}, &Curve::name);
  curves_.clear();
  points_ = 0;
  return curves;
}

std::vector<std::string> CurveSet::notes() {
  std::int64_t repeated = 0, givenUp = 0;
  for (auto& [name, series] : curves_) {
    sort(series);
    for (const std::int64_t step : series.removed) {
      const bool again = std::ranges::binary_search(series.points, step, {}, &ScalarPoint::step);
      ++(again ? repeated : givenUp);
    }
  }
  std::vector<std::string> notes;
  const auto say = [&](std::int64_t count, std::string_view what) {
    if (count > 0) notes.push_back(fmt::format("{} points {}", count, what));
  };
  say(repeated, "were repeated later: the later ones count");
  say(givenUp,
      "are beyond a step to which the training went back, and were not repeated: left out");
  say(left_.negative, "have a negative step: left out");
  say(left_.huge, "have a step above 10^15: left out");
  say(left_.longNames, fmt::format("have a name that is empty or longer than {} bytes: left out",
                                   limits_.nameBytes));
  say(left_.crowded, fmt::format("are of series beyond the first {}: left out", limits_.series));
  say(left_.undated, "have an impossible time: they have the time 0");
  return notes;
}

}  // namespace strata
