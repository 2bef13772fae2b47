#include "core/store/divergence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace strata {
namespace {

constexpr double kTimesBest = 3;   // of a validation loss
constexpr double kAtFirst = 0.75;  // nats above uniform, of a loss that was never lower
constexpr double kLargestVocabulary = 1e7;
constexpr double kTimesMedian = 100;      // of a gradient norm
constexpr double kLeastNorm = 1;          // below, a model that learned nothing begins to
constexpr std::size_t kJumpPoints = 3;    // in a row
constexpr std::size_t kFewestPoints = 3;  // that have a median to compare with

// Points that a step repeats, after a state before it was restored, replace those from there on.
void append(std::vector<ScalarPoint>& points, const ScalarPoint& point) {
  while (!points.empty() && points.back().step >= point.step) points.pop_back();
  points.push_back(point);
}

// NaN: too few points.
double medianOf(std::span<const ScalarPoint> points) {
  std::vector<double> values;
  for (const ScalarPoint& point : points) {
    if (std::isfinite(point.value)) values.push_back(point.value);
  }
  if (values.size() < kFewestPoints) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// The points of the steps first + 1 to last; both are sorted.
std::span<const ScalarPoint> between(std::span<const ScalarPoint> points, std::int64_t first,
                                     std::int64_t last) {
  const auto begin = std::ranges::upper_bound(points, first, {}, &ScalarPoint::step),
             end = std::ranges::upper_bound(points, last, {}, &ScalarPoint::step);
  return begin < end ? std::span(begin, end) : std::span<const ScalarPoint>();
}

// NaN: too few points.
double usualNorm(std::span<const ScalarPoint> before, std::span<const std::int64_t> validations) {
  if (before.empty()) return std::numeric_limits<double>::quiet_NaN();
  constexpr std::int64_t kStart = std::numeric_limits<std::int64_t>::min();
  const auto end = std::ranges::upper_bound(validations, before.back().step);
  const auto count = static_cast<std::size_t>(end - validations.begin());
  if (count == 0) return medianOf(before);
  const auto interval = [&](std::size_t i) {  // that ends at the i-th validation
    return medianOf(between(before, i == 0 ? kStart : validations[i - 1], validations[i]));
  };
  double usual = interval(count - 1);
  if (count > 1) usual = std::fmin(usual, interval(count - 2));
  return usual;
}

}  // namespace

std::optional<Divergence> lossDivergence(const std::string& series,
                                         std::span<const ScalarPoint> points,
                                         std::int64_t vocabulary) {
  const auto finite = [](const ScalarPoint& point) { return std::isfinite(point.value); };
  const ScalarPoint *best = nullptr, *last = nullptr;
  for (const ScalarPoint& point : points) {
    if (!finite(point)) continue;
    if (best == nullptr || point.value < best->value) best = &point;
    last = &point;
  }
  if (last == nullptr) return {};
  const bool known = vocabulary > 1;
  const double uniform = std::log(known ? static_cast<double>(vocabulary) : kLargestVocabulary);
  const std::string value = fmt::format("{} is {:.4g} at step {}", series, last->value, last->step);
  const bool wasLower = best->value < last->value;
  if (last->value > uniform + (wasLower ? 0 : kAtFirst)) {
    return Divergence{
        last->step, last->wallTime,
        fmt::format(
            "{}: above {:.3g} nats, which guessing among {} would give", value, uniform,
            known ? fmt::format("all {} words", vocabulary) : std::string("ten million words"))};
  }
  if (!known || last->value <= kTimesBest * best->value || last->value <= uniform / 2) return {};
  return Divergence{last->step, last->wallTime,
                    fmt::format("{}: {:.1f} times its best, {:.4g} at step {}", value,
                                last->value / best->value, best->value, best->step)};
}

std::optional<Divergence> gradientJump(const std::string& series,
                                       std::span<const ScalarPoint> norms,
                                       std::span<const std::int64_t> validations) {
  if (norms.size() <= kJumpPoints) return {};
  const auto newest = norms.last(kJumpPoints);
  const double usual = usualNorm(norms.first(norms.size() - kJumpPoints), validations);
  const bool jumped = usual > 0 && std::ranges::all_of(newest, [&](const ScalarPoint& point) {
                        return std::isfinite(point.value) && mayHaveJumped(usual, point.value);
                      });
  if (!jumped) return {};
  return Divergence{newest.front().step, newest.front().wallTime,
                    fmt::format("{} was {:.4g} at step {}, {:.0f} times the median before "
                                "({:.4g}), and has stayed above a hundred times it",
                                series, newest.front().value, newest.front().step,
                                newest.front().value / usual, usual)};
}

bool mayHaveJumped(double lowest, double newest) {
  return newest > std::max(kLeastNorm, kTimesMedian * lowest);
}

bool isValidationLoss(std::string_view series) {
  return series.ends_with("/nll") && !series.starts_with("train/");
}

std::string divergenceAdvice(std::string_view run, bool running) {
  return fmt::format(
      "{}lower training.optimizer.lr, lengthen the warm-up or set training.clip_norm, and start "
      "again, or from an earlier checkpoint (train --from {}@best)",
      running ? "stop it, " : "", run);
}

std::vector<Divergence> DivergenceWatch::add(const std::vector<ScalarEvent>& events) {
  bool validated = false, stepped = false;
  for (const ScalarEvent& event : events) {
    const ScalarPoint point{event.step, event.wallTime, event.value};
    if (isValidationLoss(event.name)) {
      append(losses_[event.name], point);
      validated = true;
      if (validations_.empty() || validations_.back() < event.step)
        validations_.push_back(event.step);
    } else if (event.name == kGradientNorms) {
      append(norms_, point);
      stepped = true;
    }
  }
  if (std::ssize(norms_) > 2 * kNewestNorms)
    norms_.erase(norms_.begin(), norms_.end() - kNewestNorms);
  std::vector<Divergence> found;
  const auto tell = [&](const std::optional<Divergence>& now, bool& told) {
    if (now && !told) found.push_back(*now);
    told = now.has_value();
  };
  if (validated) {
    std::optional<Divergence> loss;
    for (const auto& [series, points] : losses_) {
      if (!loss) loss = lossDivergence(series, points, vocabulary_);
    }
    tell(loss, lossTold_);
  }
  if (stepped) tell(gradientJump(kGradientNorms, norms_, validations_), jumpTold_);
  return found;
}

}  // namespace strata
