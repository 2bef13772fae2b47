#include "core/train/decisions.h"

#include <algorithm>

#include "core/base/error.h"

namespace strata {
namespace {

bool rateTooLow(const TrainingSpec& training, const Schedule& schedule,
                const TrainingState& state) {
  if (training.minLr <= 0) return false;
  const ScheduleSpec& spec = schedule.spec();
  // During warm-up the rate is low for another reason.
  const bool warms =
      spec.kind == ScheduleSpec::Kind::kNoam || spec.kind == ScheduleSpec::Kind::kInverseSqrt;
  if (warms && state.phaseStep < spec.warmup) return false;
  return schedule.rate(phaseOf(training, state).optimizer.lr, state.phaseStep + 1,
                       state.phaseEpoch + 1, state.schedule) < training.minLr;
}

void observeEarlyStopping(const EarlyStoppingSpec& early, TrainingState& state) {
  if (early.metric.empty()) return;
  const auto found = state.scores.find(early.metric);
  if (found == state.scores.end()) {
    throw usageError("early_stopping.metric '{}' is not a validation series; add its set or metric",
                     early.metric);
  }
  const double sign = higherIsBetter(early.metric) ? -1 : 1;
  const double value = found->second;
  if (!state.bestEarly || sign * value < sign * *state.bestEarly - early.minDelta) {
    state.bestEarly = value;
    state.earlyFailures = 0;
  } else {
    ++state.earlyFailures;
  }
}

}  // namespace

const PhaseSpec& phaseOf(const TrainingSpec& training, const TrainingState& state) {
  return training.phases.at(static_cast<std::size_t>(state.phase));
}

std::string limitReached(const ExperimentSpec& spec, const Schedule& schedule,
                         const TrainingState& state) {
  const auto& training = spec.training;
  const auto reached = [](auto done, auto limit) { return limit > 0 && done >= limit; };
  if (reached(state.step, training.maxUpdates))
    return fmt::format("training.max_updates ({}) reached", training.maxUpdates);
  if (reached(state.epoch, training.maxEpochs))
    return fmt::format("training.max_epochs ({}) reached", training.maxEpochs);
  if (reached(state.tokens, training.stopAfterTokens))
    return fmt::format("training.stop_after_tokens ({}) reached", training.stopAfterTokens);
  if (reached(state.seconds / 3600, training.maxHours))
    return fmt::format("training.max_hours ({}) reached", training.maxHours);
  if (state.phase + 1 == std::ssize(training.phases) &&
      reached(state.phaseEpoch, phaseOf(training, state).epochs)) {
    return "the last phase is complete";
  }
  const auto& early = spec.earlyStopping;
  if (!early.metric.empty() &&
      reached(state.earlyFailures, static_cast<std::int64_t>(early.patience))) {
    return fmt::format("{} has not improved for {} validations", early.metric, early.patience);
  }
  if (rateTooLow(training, schedule, state))
    return fmt::format("the learning rate fell below training.min_lr ({})", training.minLr);
  return "";
}

bool validationDue(const ValidationSpec& when, const TrainingState& state) {
  if (when.everyUpdates > 0 && state.step % when.everyUpdates == 0) return true;
  return state.betweenEpochs() && when.everyEpochs > 0 && state.epoch % when.everyEpochs == 0;
}

void observeScores(const ExperimentSpec& spec, const Schedule& schedule, TrainingState& state) {
  observeEarlyStopping(spec.earlyStopping, state);
  const ScheduleSpec& plateau = schedule.spec();
  // A plateau counts epochs; if no validation ever follows an epoch, each validation counts as one.
  const bool epochDone = state.betweenEpochs() || spec.validation.everyEpochs == 0;
  if (plateau.kind != ScheduleSpec::Kind::kPlateau || !epochDone) return;
  const auto watched = state.scores.find(plateau.metric);
  if (watched == state.scores.end()) {
    throw usageError("The plateau schedule watches '{}', which is not a validation series",
                     plateau.metric);
  }
  schedule.observe(watched->second, higherIsBetter(plateau.metric),
                   std::max<std::int64_t>(1, state.phaseEpoch), state.schedule);
}

}  // namespace strata
