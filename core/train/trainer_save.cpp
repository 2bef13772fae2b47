// What happens between updates: validation, decisions based on it, recordings, checkpoints.
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/train/checkpoint.h"
#include "core/train/sentence_recorder.h"
#include "core/train/trainer.h"

namespace strata {

void Trainer::validate() {
  fetchPending();
  score();
  watch();
  record();
}

void Trainer::score() {
  const auto begin = Clock::now();
  auto result = validator_.score(*parts_.model);
  if (average_) scoreAverage(result);
  state_.scores = result.scores;
  state_.scoresStep = state_.step;
  ScalarList scalars(parts_.runId, state_.step);
  std::string line;
  for (const auto& [name, value] : result.scores) {
    scalars.add(name, value);
    line += fmt::format(" {}={:.4f}", name, value);
  }
  parts_.sink.scalars(scalars.events());
  for (auto& sample : result.samples) {
    sample.runId = parts_.runId;
    sample.step = state_.step;
    parts_.sink.sample(sample);
  }
  spdlog::info("step={}{}", state_.step, line);
  // Speeds are of training alone; a time limit includes validation.
  const auto spent = Clock::now() - begin;
  windowStart_ += spent;
}

// The same sets with the averaged parameters: "valid/ema-nll" next to "valid/nll".
void Trainer::scoreAverage(Validator::Result& result) {
  const MovingAverage::InPlace averaged(*average_);
  for (const auto& [name, value] : validator_.score(*parts_.model).scores) {
    const auto slash = name.find('/');
    result.scores[name.substr(0, slash) + "/ema-" + name.substr(slash + 1)] = value;
  }
}

// Early stopping and the plateau schedule use the results of validation.
void Trainer::watch() {
  const auto& early = spec_.earlyStopping;
  if (const auto found = state_.scores.find(early.metric); found != state_.scores.end()) {
    const double sign = higherIsBetter(early.metric) ? -1 : 1;
    const double value = found->second;
    if (!state_.bestEarly || sign * value < sign * *state_.bestEarly - early.minDelta) {
      state_.bestEarly = value;
      state_.earlyFailures = 0;
    } else {
      ++state_.earlyFailures;
    }
  } else if (!early.metric.empty()) {
    throw usageError("early_stopping.metric '{}' is not a validation series; add its set or metric",
                     early.metric);
  }
  const auto& schedule = phase().schedule;
  // A plateau counts epochs; if no validation ever follows an epoch, each validation counts as one.
  const bool epochDone = epochEnded_ || spec_.validation.everyEpochs == 0;
  if (schedule.kind != ScheduleSpec::Kind::kPlateau || !epochDone) return;
  const auto watched = state_.scores.find(schedule.metric);
  if (watched == state_.scores.end()) {
    throw usageError("The plateau schedule watches '{}', which is not a validation series",
                     schedule.metric);
  }
  schedule_.observe(watched->second, higherIsBetter(schedule.metric),
                    std::max<std::int64_t>(1, state_.phaseEpoch), state_.schedule);
}

void Trainer::record() {
  const auto& spec = spec_.recording;
  const ScoredSet* set = nullptr;
  for (const auto& candidate : validator_.sets()) {
    if (!candidate.monitored && set == nullptr) set = &candidate;
  }
  if (spec.sentences <= 0 || set == nullptr) return;
  const auto begin = Clock::now();
  const std::string folder = fmt::format("recordings/step-{}", state_.step);
  const auto recordings =
      recordSentences(*parts_.model, *set, parts_.text,
                      {.sentences = spec.sentences, .names = spec.names, .device = parts_.device});
  writeRecordings(parts_.runFolder / folder, recordings);
  parts_.sink.recording({.runId = parts_.runId, .step = state_.step, .folder = folder});
  windowStart_ += Clock::now() - begin;
}

void Trainer::save() {
  const auto begin = Clock::now();
  fetchPending();
  state_.seconds += std::chrono::duration<double>(begin - tick_).count();
  tick_ = begin;
  const Retention retention{.keepLast = spec_.checkpoint.keepLast,
                            .keepBest = spec_.checkpoint.keepBest,
                            .metric = spec_.checkpoint.metric};
  const bool scored = state_.scoresStep == state_.step;
  Retention onlyBest = retention;
  onlyBest.keepBest = 1;
  const bool best = scored && wouldBeBest(parts_.runFolder, state_.scores, onlyBest);
  parts_.sink.flush();
  const auto written = writeCheckpoint(parts_.runFolder, {.model = *parts_.model,
                                                          .optimizer = optimizer_,
                                                          .state = state_,
                                                          .average = average_.get()});
  savedStep_ = state_.step;
  savedAt_ = Clock::now();
  parts_.sink.checkpoint({.runId = parts_.runId,
                          .step = state_.step,
                          .folder = "checkpoints/" + written.folder.filename().string(),
                          .best = best});
  removeOldCheckpoints(parts_.runFolder, retention);
  spdlog::info("checkpoint={} best={}", written.folder.filename().string(), best);
  windowStart_ += Clock::now() - begin;
}

}  // namespace strata
