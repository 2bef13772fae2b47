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

std::vector<ScalarPoint>* CurveSet::pointsOf(std::string_view name) {
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

void CurveSet::add(std::string_view name, const ScalarPoint& point) {
  if (point.step < 0) {
    ++left_.negative;
    return;
  }
  if (point.step > kLastStep) {
    ++left_.huge;
    return;
  }
  auto* points = pointsOf(name);
  if (points == nullptr) return;
  if (!points->empty() && point.step <= points->back().step) cut(*points, point.step);
  if (points_ >= limits_.points)
    throw Error("more than {} points in one run: import a part of it", limits_.points);
  ScalarPoint kept = point;
  if (!(kept.wallTime >= 0 && kept.wallTime < kLastTime)) {
    ++left_.undated;
    kept.wallTime = 0;
  }
  points->push_back(kept);
  ++points_;
}

void CurveSet::cut(std::vector<ScalarPoint>& points, std::int64_t step) {
  const auto first = std::ranges::lower_bound(points, step, {}, &ScalarPoint::step);
  const auto removed = std::distance(first, points.end());
  points.erase(first, points.end());
  points_ -= static_cast<std::size_t>(removed);
  left_.replaced += removed;
}

void CurveSet::cutFrom(std::int64_t step) {
  for (auto& [name, points] : curves_) cut(points, step);
}

std::int64_t CurveSet::firstStep() const {
  std::int64_t first = kLastStep + 1;
  for (const auto& [name, points] : curves_) {
    if (!points.empty()) first = std::min(first, points.front().step);
  }
  return first;
}

void CurveSet::follow(CurveSet later) {
  const std::int64_t first = later.firstStep();
  for (auto& [name, points] : later.curves_) {
    auto* own = pointsOf(name);
    if (own == nullptr) continue;
    cut(*own, first);
    if (points_ + points.size() > limits_.points)
      throw Error("more than {} points in one run: import a part of it", limits_.points);
    points_ += points.size();
    if (own->empty())
      own->swap(points);
    else
      own->insert(own->end(), points.begin(), points.end());
  }
  left_.negative += later.left_.negative;
  left_.huge += later.left_.huge;
  left_.longNames += later.left_.longNames;
  left_.crowded += later.left_.crowded;
  left_.replaced += later.left_.replaced;
  left_.undated += later.left_.undated;
}

void CurveSet::rename(std::string_view from, const std::string& to, double factor) {
  const auto found = curves_.find(from);
  if (found == curves_.end() || curves_.contains(to)) return;
  auto points = std::move(found->second);
  curves_.erase(found);
  for (ScalarPoint& point : points) point.value *= factor;
  curves_.emplace(to, std::move(points));
}

std::vector<Curve> CurveSet::take() {
  std::vector<std::string> raw;
  for (const auto& [name, points] : curves_) {
    if (!points.empty()) raw.push_back(name);
  }
  std::ranges::sort(raw);
  std::vector<Curve> curves;
  std::set<std::string> used;
  for (const std::string& name : raw) {
    std::string clean = printable(name);
    for (int number = 2; !used.insert(clean).second; ++number)
      clean = fmt::format("{} ({})", printable(name), number);
    curves.push_back({clean, std::move(curves_.find(name)->second)});
  }
  std::ranges::sort(curves, {}, &Curve::name);
  curves_.clear();
  points_ = 0;
  return curves;
}

std::vector<std::string> CurveSet::notes() const {
  std::vector<std::string> notes;
  const auto say = [&](std::int64_t count, std::string_view what) {
    if (count > 0) notes.push_back(fmt::format("{} points {}", count, what));
  };
  say(left_.replaced, "were repeated later (a restarted run): the later ones count");
  say(left_.negative, "have a negative step: left out");
  say(left_.huge, "have a step above 10^15: left out");
  say(left_.longNames, fmt::format("have a name that is empty or longer than {} bytes: left out",
                                   limits_.nameBytes));
  say(left_.crowded, fmt::format("are of series beyond the first {}: left out", limits_.series));
  say(left_.undated, "have an impossible time: they have the time 0");
  return notes;
}

}  // namespace strata
