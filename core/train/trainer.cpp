#include "core/train/trainer.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/error_message.h"
#include "core/base/log.h"
#include "core/train/checkpoint.h"
#include "core/train/device.h"
#include "core/train/estimate.h"

namespace strata {
namespace {

const char* nameOf(RunOutcome outcome) {
  switch (outcome) {
    case RunOutcome::kStopped:
      return "stopped";
    case RunOutcome::kPaused:
      return "paused";
    case RunOutcome::kFailed:
      return "failed";
    case RunOutcome::kFinished:
      break;
  }
  return "finished";
}

ValidatorOptions validatorOptions(const ExperimentSpec& spec, const torch::Device& device,
                                  bool bf16) {
  return {.validation = spec.validation, .decoding = spec.decoding, .device = device, .bf16 = bf16};
}

}  // namespace

DropoutRates dropoutRatesOf(const TrainingSpec& training) {
  return {.dropout = training.dropout,
          .attention = training.attentionDropout,
          .activation = training.activationDropout};
}

Trainer::Trainer(ExperimentSpec spec, TrainerParts parts)
    : spec_(std::move(spec)),
      parts_(std::move(parts)),
      parameters_(parts_.model->parameterBuffer()->named()),
      onHost_(parts_.device.is_cpu()),
      bf16_(selectPrecision(spec_.training.precision, parts_.device) == "bf16"),
      optimizer_(parts_.model->parameterBuffer(), spec_.training.phases.at(0).optimizer),
      schedule_(spec_.training.phases.at(0).schedule),
      validator_(std::move(parts_.sets), parts_.text,
                 validatorOptions(spec_, parts_.device, bf16_)) {
  parts_.model->setDropout(dropoutRatesOf(spec_.training));
  if (spec_.training.ema > 0)
    average_ = std::make_unique<MovingAverage>(parts_.model->parameterBuffer(), spec_.training.ema);
  enterPhase();
}

Trainer::~Trainer() = default;

const PhaseSpec& Trainer::phase() const {
  return spec_.training.phases.at(static_cast<std::size_t>(state_.phase));
}

// Settings, schedule and batches of the state's phase, at the state's position.
void Trainer::enterPhase() {
  optimizer_.configure(phase().optimizer);
  schedule_ = Schedule(phase().schedule);
  batcher_ = std::make_unique<Batcher>(*parts_.train, batchOptionsOf(spec_, phase()));
  batcher_->restore(state_.position);
}

void Trainer::resume(const std::filesystem::path& checkpointFolder) {
  state_ = readTrainingState(checkpointFolder);
  if (state_.phase >= std::ssize(spec_.training.phases)) {
    throw Error("{} is in phase {} but the configuration has {} phases", checkpointFolder.string(),
                state_.phase + 1, spec_.training.phases.size());
  }
  enterPhase();
  state_ = readCheckpoint(checkpointFolder, *parts_.model, optimizer_);
  restoreAverage(checkpointFolder);
  savedStep_ = state_.step;
}

// An invalid average restarts from the parameters, which have been restored from the checkpoint by
// then.
void Trainer::restoreAverage(const std::filesystem::path& checkpointFolder) {
  if (!average_) return;
  if (!averageIsInvalid(checkpointFolder)) {
    average_->restore(averageFolder(checkpointFolder));
    return;
  }
  spdlog::warn(
      "The moving average of {} is invalid: the version that wrote it stored the weights instead. "
      "It restarts from these weights; earlier scores of the average are those of the weights",
      checkpointFolder.string());
  average_->restart();
}

RunEndEvent Trainer::run() {
  try {
    return loop();
  } catch (const std::exception& error) {
    parts_.sink.ended({.runId = parts_.runId,
                       .step = state_.step,
                       .outcome = RunOutcome::kFailed,
                       .message = messageOf(error),
                       .diverged = isDivergence(error)});
    throw;
  }
}

RunEndEvent Trainer::loop() {
  RunEndEvent end;
  end.runId = parts_.runId;
  savedAt_ = windowStart_ = tick_ = Clock::now();
  if (spec_.training.onNonfinite == TrainingSpec::Nonfinite::kRollback && savedStep_ < 0) save();
  while ((end.message = limitReached()).empty() && !ordered(end)) {
    nextBatches();
    update();
    if (epochEnded_) endEpoch();
    if (validationDue()) validate();
    if (epochEnded_) advancePhase();
    if (checkpointDue()) save();
    epochEnded_ = false;
  }
  finish(end);
  return end;
}

void Trainer::finish(RunEndEvent& end) {
  fetchPending();
  // The last checkpoint is scored too, so that it can be the best one; no decision depends on it.
  if (end.outcome == RunOutcome::kFinished && state_.scoresStep != state_.step &&
      !validator_.sets().empty())
    score();
  if (savedStep_ != state_.step) save();
  end.step = state_.step;
  spdlog::info("outcome={} step={} epoch={} reason=\"{}\"", nameOf(end.outcome), state_.step,
               state_.epoch, end.message);
  if (end.outcome == RunOutcome::kStopped)
    parts_.control.done(TrainCommand::kStop, fmt::format("saved at step {}", state_.step));
  if (end.outcome == RunOutcome::kPaused)
    parts_.control.done(TrainCommand::kPause, fmt::format("saved at step {}", state_.step));
  parts_.sink.ended(end);
}

bool Trainer::ordered(RunEndEvent& end) {
  switch (parts_.control.poll()) {
    case TrainCommand::kNone:
      return false;
    case TrainCommand::kCheckpoint:
      save();
      parts_.control.done(TrainCommand::kCheckpoint, fmt::format("saved at step {}", state_.step));
      return false;
    case TrainCommand::kStop:
      end.outcome = RunOutcome::kStopped;
      end.message = "stopped";
      return true;
    case TrainCommand::kPause:
      end.outcome = RunOutcome::kPaused;
      end.message = "paused";
      return true;
  }
  return false;
}

bool Trainer::rateTooLow() const {
  const auto& training = spec_.training;
  // During warm-up the rate is low for another reason.
  const bool warms = phase().schedule.kind == ScheduleSpec::Kind::kNoam ||
                     phase().schedule.kind == ScheduleSpec::Kind::kInverseSqrt;
  if (training.minLr <= 0 || (warms && state_.phaseStep < phase().schedule.warmup)) return false;
  const double next = schedule_.rate(phase().optimizer.lr, state_.phaseStep + 1,
                                     state_.phaseEpoch + 1, state_.schedule);
  return next < training.minLr;
}

std::string Trainer::limitReached() const {
  const auto& training = spec_.training;
  const auto reached = [](auto done, auto limit) { return limit > 0 && done >= limit; };
  if (reached(state_.step, training.maxUpdates))
    return fmt::format("training.max_updates ({}) reached", training.maxUpdates);
  if (reached(state_.epoch, training.maxEpochs))
    return fmt::format("training.max_epochs ({}) reached", training.maxEpochs);
  if (reached(state_.tokens, training.stopAfterTokens)) {
    return fmt::format("training.stop_after_tokens ({}) reached", training.stopAfterTokens);
  }
  if (reached(state_.seconds / 3600, training.maxHours))
    return fmt::format("training.max_hours ({}) reached", training.maxHours);
  if (state_.phase + 1 == std::ssize(training.phases) &&
      reached(state_.phaseEpoch, phase().epochs)) {
    return "the last phase is complete";
  }
  const auto& early = spec_.earlyStopping;
  if (!early.metric.empty() &&
      reached(state_.earlyFailures, static_cast<std::int64_t>(early.patience))) {
    return fmt::format("{} has not improved for {} validations", early.metric, early.patience);
  }
  if (rateTooLow())
    return fmt::format("the learning rate fell below training.min_lr ({})", training.minLr);
  return "";
}

void Trainer::endEpoch() {
  ++state_.epoch;
  ++state_.phaseEpoch;
  batcher_->startEpoch(state_.epoch);
  state_.position = batcher_->position();
  spdlog::info("epoch={} step={} tokens={}", state_.epoch, state_.step, state_.tokens);
}

void Trainer::advancePhase() {
  const bool over = phase().epochs > 0 && state_.phaseEpoch >= phase().epochs;
  if (!over || state_.phase + 1 == std::ssize(spec_.training.phases)) return;
  ++state_.phase;
  state_.phaseStep = state_.phaseEpoch = 0;
  state_.schedule = {};
  enterPhase();
  if (phase().restart) optimizer_.restart();
  spdlog::info("phase={} step={} restart={}", state_.phase + 1, state_.step, phase().restart);
}

bool Trainer::validationDue() const {
  const auto& when = spec_.validation;
  if (validator_.sets().empty()) return false;
  if (when.everyUpdates > 0 && state_.step % when.everyUpdates == 0) return true;
  return epochEnded_ && when.everyEpochs > 0 && state_.epoch % when.everyEpochs == 0;
}

bool Trainer::checkpointDue() const {
  const auto& when = spec_.checkpoint;
  if (savedStep_ == state_.step) return false;
  if (when.everyUpdates > 0 && state_.step % when.everyUpdates == 0) return true;
  if (epochEnded_ && when.everyEpochs > 0 && state_.epoch % when.everyEpochs == 0) return true;
  if (when.everyMinutes > 0 &&
      Clock::now() - savedAt_ >= std::chrono::duration<double>(60 * when.everyMinutes)) {
    return true;
  }
  return state_.scoresStep == state_.step &&
         wouldBeBest(parts_.runFolder, state_.scores,
                     {.keepLast = when.keepLast, .keepBest = when.keepBest, .metric = when.metric});
}

}  // namespace strata
