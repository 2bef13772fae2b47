#include "core/train/schedule.h"

#include <algorithm>
#include <cmath>

namespace strata {

Json toJson(const ScheduleState& state) {
  return {{"factor", state.factor},
          {"latched", state.latched},
          {"has_reference", state.hasReference},
          {"reference", state.reference}};
}

ScheduleState scheduleStateFrom(const Json& json) {
  return {.factor = json.at("factor"),
          .latched = json.at("latched"),
          .hasReference = json.at("has_reference"),
          .reference = json.at("reference")};
}

double Schedule::rate(double baseRate, std::int64_t t, std::int64_t epoch,
                      const ScheduleState& state) const {
  const auto update = static_cast<double>(t);
  const auto warmup = static_cast<double>(spec_.warmup);
  switch (spec_.kind) {
    case ScheduleSpec::Kind::kConstant:
      return baseRate;
    case ScheduleSpec::Kind::kInverseSqrt:
      if (t < spec_.warmup) return spec_.initLr + (baseRate - spec_.initLr) * update / warmup;
      return baseRate * std::sqrt(std::max(1.0, warmup) / update);
    case ScheduleSpec::Kind::kNoam:
      return std::pow(static_cast<double>(spec_.dim), -0.5) *
             std::min(std::pow(update, -0.5),
                      warmup > 0 ? update * std::pow(warmup, -1.5) : HUGE_VAL);
    case ScheduleSpec::Kind::kPlateau:
      return baseRate * state.factor;
    case ScheduleSpec::Kind::kForceAnneal:
      if (spec_.after == 0 || epoch < spec_.after) return baseRate;
      return baseRate * std::pow(spec_.shrink, static_cast<double>(epoch + 1 - spec_.after));
  }
  return baseRate;
}

double Schedule::groupRate(double groupRate, double optimizerRate, std::int64_t t,
                           std::int64_t epoch, const ScheduleState& state) const {
  if (spec_.kind != ScheduleSpec::Kind::kNoam) return rate(groupRate, t, epoch, state);
  const double share = optimizerRate > 0 ? groupRate / optimizerRate : 1;
  return share * rate(optimizerRate, t, epoch, state);
}

void Schedule::observe(double value, bool higherIsBetter, std::int64_t epoch,
                       ScheduleState& state) const {
  if (spec_.kind != ScheduleSpec::Kind::kPlateau) return;
  const double loss = higherIsBetter ? -value : value;
  const bool failed = state.latched || (state.hasReference && loss >= state.reference);
  if (epoch >= spec_.minEpoch && failed) {
    state.factor /= spec_.shrink;
    if (spec_.mode == ScheduleSpec::Mode::kLatch) state.latched = true;
    return;
  }
  state.reference = loss;
  state.hasReference = true;
}

}  // namespace strata
