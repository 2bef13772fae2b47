#include "core/train/trainer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/error_message.h"
#include "core/base/json.h"
#include "core/base/log.h"
#include "core/nn/arithmetic.h"
#include "core/train/batch_tensors.h"
#include "core/train/checkpoint.h"
#include "core/train/criterion.h"
#include "core/train/device.h"
#include "core/train/estimate.h"
#include "core/train/sentence_recorder.h"

namespace strata {

DropoutRates dropoutRatesOf(const TrainingSpec& training) {
  return {.dropout = training.dropout,
          .attention = training.attentionDropout,
          .activation = training.activationDropout};
}

Trainer::Trainer(ExperimentSpec spec, TrainerParts parts)
    : spec_(std::move(spec)),
      parts_(std::move(parts)),
      onHost_(parts_.device.is_cpu() || parts_.group != nullptr),
      bf16_(selectPrecision(spec_.training.precision, parts_.device) == "bf16"),
      optimizer_(parts_.model->parameterBuffer(), spec_.training.phases.at(0).optimizer),
      team_(parts_.group, *parts_.model->parameterBuffer(), optimizer_),
      schedule_(spec_.training.phases.at(0).schedule),
      validator_(std::move(parts_.sets), parts_.text,
                 {.validation = spec_.validation,
                  .decoding = spec_.decoding,
                  .device = parts_.device,
                  .bf16 = bf16_,
                  .group = parts_.group}),
      saver_(parts_.runFolder, spec_.checkpoint, parts_.runId, parts_.sink) {
  parts_.model->setDropout(dropoutRatesOf(spec_.training));
  if (spec_.training.ema > 0)
    average_ = std::make_unique<MovingAverage>(parts_.model->parameterBuffer(), spec_.training.ema);
  state_.processes = static_cast<std::int64_t>(team_.size());
  if (const std::int64_t every = spec_.recording.histogramEvery; every > 0 && team_.isFirst())
    histograms_ = std::make_unique<HistogramRecorder>(parts_.model, every, recordedSet());
  enterPhase();
}

// The set whose first sentences are recorded; null: the run validates on none.
const ScoredSet* Trainer::recordedSet() const {
  const auto& sets = validator_.sets();
  const auto set = std::ranges::find(sets, false, &ScoredSet::monitored);
  return set == sets.end() ? nullptr : &*set;
}

void Trainer::resume(const std::filesystem::path& checkpointFolder) {
  state_ = readTrainingState(checkpointFolder);
  if (state_.phase >= std::ssize(spec_.training.phases)) {
    throw Error("{} is in phase {} but the configuration has {} phases", checkpointFolder.string(),
                state_.phase + 1, spec_.training.phases.size());
  }
  enterPhase();
  state_ = readCheckpoint(checkpointFolder, *parts_.model, optimizer_, average_.get());
  saver_.savedAt(state_.step);
  if (!epochIsOver()) return;  // else its last update was refused
  endEpoch();
  advancePhase();
}

RunEndEvent Trainer::run() {
  try {
    return loop();
  } catch (const std::exception& error) {
    const bool interrupted = isOfKind(error, ErrorKind::kInterruption);
    if (!interrupted) team_.tell(messageOf(error));
    parts_.sink.ended({.runId = parts_.runId,
                       .step = state_.step,
                       .outcome = interrupted ? RunOutcome::kInterrupted : RunOutcome::kFailed,
                       .message = messageOf(error),
                       .diverged = isOfKind(error, ErrorKind::kDivergence)});
    throw;
  }
}

// The state, parameters and moments of the first process for all.
void Trainer::synchronise() {
  if (team_.isAlone()) return;
  const Json own{{"state", toJson(state_)}, {"saved", saver_.savedStep()}};
  const Json first = parseJson(team_.shared(own.dump()), "the first process's state");
  if (!team_.isFirst()) {
    state_ = trainingStateFrom(first.at("state"));
    saver_.savedAt(first.at("saved"));
    enterPhase();
  }
  team_.shareParameters(average_.get());
}

RunEndEvent Trainer::loop() {
  RunEndEvent end;
  end.runId = parts_.runId;
  synchronise();
  clock_.start();
  if (spec_.training.onNonfinite == TrainingSpec::Nonfinite::kRollback && saver_.savedStep() < 0)
    save();
  while ((end.message = limitReached(spec_, schedule_, state_)).empty() && !ordered(end)) {
    update(nextBatches());
    if (epochIsOver()) endEpoch();
    if (!validator_.sets().empty() && validationDue(spec_.validation, state_)) validate();
    if (state_.betweenEpochs()) advancePhase();
    if (saver_.savedStep() != state_.step && (saver_.due(state_) || saveDue_)) save();
  }
  finish(end);
  return end;
}

bool Trainer::ordered(RunEndEvent& end) {
  const TrainCommand command = team_.isAlone() ? parts_.control.poll() : command_;
  if (command == TrainCommand::kCheckpoint) {
    save();
    parts_.control.done(command, fmt::format("saved at step {}", state_.step));
  }
  if (command != TrainCommand::kStop && command != TrainCommand::kPause) return false;
  end.outcome = command == TrainCommand::kStop ? RunOutcome::kStopped : RunOutcome::kPaused;
  end.message = outcomeName(end.outcome);
  return true;
}

void Trainer::finish(RunEndEvent& end) {
  takeResults();
  // The last checkpoint is scored too, so that it can be the best one; no decision depends on it.
  const bool unscored = end.outcome == RunOutcome::kFinished && state_.scoresStep != state_.step &&
                        !validator_.sets().empty();
  if (unscored) score();
  if (unscored || saver_.savedStep() != state_.step) save();
  team_.meet();
  end.step = state_.step;
  spdlog::info("outcome={} step={} epoch={} reason=\"{}\"", outcomeName(end.outcome), state_.step,
               state_.epoch, end.message);
  const std::string saved = fmt::format("saved at step {}", state_.step);
  if (end.outcome == RunOutcome::kStopped) parts_.control.done(TrainCommand::kStop, saved);
  if (end.outcome == RunOutcome::kPaused) parts_.control.done(TrainCommand::kPause, saved);
  parts_.sink.ended(end);
}

// The batches of one update: fewer than configured only at the end of an epoch.
std::span<const Batch> Trainer::nextBatches() {
  batches_.resize(static_cast<std::size_t>(spec_.training.accumulate * state_.processes));
  std::size_t used = 0;
  while (used < batches_.size() && batcher_->next(batches_[used])) ++used;
  state_.position = batcher_->position();
  return std::span(batches_).first(used);
}

void Trainer::update(std::span<const Batch> batches) {
  UpdateInput input = inputOf(state_.step + 1, batches);
  const std::int64_t step = input.step, tokens = input.tokens;
  const auto rates =
      optimizer_.ratesOf(schedule_, state_.phaseStep + 1, state_.phaseEpoch + 1, state_.schedule);
  const torch::Tensor sums_3 = forwardBackward(batches, tokens);
  GradientNorm norm = optimizer_.gradientNorm();
  const torch::Tensor values_4 = agree(sums_3, norm);
  pending_.add(std::move(input), values_4);
  gradients_.add(step, norm);
  const bool counts = histograms_ && histograms_->due(step);
  if (counts) {
    const TrainingClock::Pause pause(clock_);
    histograms_->addGradients(step);
  }
  const bool due = step % spec_.training.logEvery == 0 && team_.isFirst();
  ScalarList scalars(parts_.runId, step);
  if ((!onHost_ && !due) || takeResults())
    applyUpdate(norm, values_4, rates, due ? &scalars : nullptr);
  optimizer_.clearGradients();
  if (counts) {
    const TrainingClock::Pause pause(clock_);
    histograms_->addState(step);
  }
  state_.step = step;
  ++state_.phaseStep;
  state_.tokens += tokens;
  clock_.count(tokens);
  if (team_.isAlone()) state_.seconds += clock_.lap();
  team_.compareParameters(step);
  if (due) emitScalars(rates, scalars);
  if (due || onHost_) emitHistograms();
}

// Nll, loss, errors and the gradient norm of all processes; with them travels what the first one
// decides.
torch::Tensor Trainer::agree(const torch::Tensor& sums_3, GradientNorm& norm) {
  TrainingTeam::Step own{.sums_3 = sums_3, .norm = norm.total, .saveDue = saver_.dueByTime()};
  if (!team_.isAlone()) {
    if (team_.isFirst()) state_.seconds += clock_.lap();
    own.seconds = state_.seconds;
    own.command = parts_.control.poll();
  }
  const TrainingTeam::Step step = team_.agree(std::move(own));
  if (!team_.isAlone()) state_.seconds = step.seconds;
  command_ = step.command;
  saveDue_ = step.saveDue;
  norm.total = step.norm;
  return torch::cat({step.sums_3, norm.total.reshape({1}).to(step.sums_3.device())});
}

// The gradients of the mean loss over `tokens`, the target tokens of all batches. Returns the sums
// of nll, loss and errors, which stay on the device; of several processes, those of this one.
torch::Tensor Trainer::forwardBackward(std::span<const Batch> batches, std::int64_t tokens) {
  auto& model = *parts_.model;
  model.train();
  torch::Tensor sums_3;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const auto number = static_cast<std::uint64_t>(state_.batches++);
    if (!team_.isOwn(i)) continue;
    if (team_.isLastOwn(i, batches.size())) team_.beginSum();
    const BatchTensors batch = tensorsOf(batches[i], parts_.device);
    model.keyDropout(spec_.seed + static_cast<std::uint64_t>(state_.rollbacks), number);
    CrossEntropy entropy;
    {
      const ArithmeticScope scope(model.productArithmetic(bf16_));
      entropy = trainingLoss(
          model, batch, spec_.criterion,
          {.key = spec_.seed * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(state_.batches)});
    }
    (entropy.loss / static_cast<double>(tokens)).backward();
    const auto sums =
        torch::stack({entropy.nll, entropy.loss.detach(), entropy.errors}).to(torch::kFloat64);
    sums_3 = sums_3.defined() ? sums_3 + sums : sums;
  }
  team_.finishSum();
  model.scaleGradients();
  return sums_3.defined() ? sums_3 : torch::zeros({3}, torch::kFloat64);
}

void Trainer::applyUpdate(const GradientNorm& norm, const torch::Tensor& values_4,
                          const std::vector<double>& rates, ScalarList* scalars) {
  std::optional<UpdateRatio> ratio;
  if (scalars != nullptr) {
    addGradientNorms(optimizer_.parameters(), norm, *scalars);
    ratio.emplace(optimizer_.parameters());
  }
  if (spec_.training.clipNorm > 0) optimizer_.clip(norm, spec_.training.clipNorm);
  std::optional<torch::Tensor> skip;  // the host does not know yet whether the values are finite
  if (!onHost_) skip = torch::isfinite(values_4).all().logical_not().to(torch::kFloat32);
  optimizer_.step(rates, skip);
  if (average_) average_->update(skip);
  if (ratio) ratio->addTo(*scalars);
}

// Fetches pending results, adds them to the sums, and refuses those that are not finite. False if
// the newest update must not be applied.
bool Trainer::takeResults() {
  bool newestIsFinite = true;
  for (const UpdateResults& results : pending_.fetch()) {
    newestIsFinite = results.isFinite();
    if (newestIsFinite) {
      guard_.accept();
      results.addTo(state_.sums, spec_.training.clipNorm);
    } else {
      refuse(results.input);
    }
  }
  return newestIsFinite;
}

void Trainer::refuse(const UpdateInput& update) {
  // The points of every step of these series, the refused one included, replace the existing
  // sparser ones.
  parts_.sink.scalars(gradients_.take(optimizer_.parameters(), parts_.runId, update.step));
  emitHistograms();
  const std::string what = guard_.refuse(update);
  const auto action = spec_.training.onNonfinite;
  if (action == TrainingSpec::Nonfinite::kSkip)
    return spdlog::warn("{}; the update is skipped", what);
  if (action == TrainingSpec::Nonfinite::kRollback) return rollBack(what);
  optimizer_.clearGradients();
  // The parameters are those after the last finite update.
  if (saver_.savedStep() != state_.step) save();
  throw divergenceError(
      "{}; the state before it is saved. Lower training.optimizer.lr, set training.clip_norm, or "
      "train with training.on_nonfinite=skip",
      what);
}

// Restores parameters and moments of the newest checkpoint; position, schedule and counters go on,
// so that the sentences that caused the failure do not recur at once and no series runs backwards.
// Dropout draws different masks from here on.
void Trainer::rollBack(const std::string& what) {
  if (team_.isFirst()) {
    const auto checkpoint = lastGoodCheckpoint(parts_.runFolder);
    readCheckpoint(checkpoint.folder, *parts_.model, optimizer_, average_.get());
    spdlog::warn("{}; parameters and moments return to {}", what,
                 checkpoint.folder.filename().string());
  }
  team_.shareParameters(average_.get());
  ++state_.rollbacks;
}

void Trainer::emitScalars(const std::vector<double>& rates, ScalarList& scalars) {
  addSums(std::exchange(state_.sums, {}), scalars);
  addRates(optimizer_, rates, scalars);
  scalars.add("train/tokens_per_second", clock_.takeSpeed());
  scalars.add("train/epoch", static_cast<double>(state_.epoch) +
                                 static_cast<double>(state_.position.batch) /
                                     static_cast<double>(batcher_->batchesInEpoch()));
  scalars.add("train/tokens", static_cast<double>(state_.tokens));
  addMemory(parts_.device, scalars);
  parts_.sink.scalars(scalars.events());
}

// Waits for the device if any are there.
void Trainer::emitHistograms() {
  if (!histograms_) return;
  for (const HistogramEvent& event : histograms_->take(parts_.runId)) parts_.sink.histograms(event);
}

// Settings, schedule and batches of the state's phase, at the state's position.
void Trainer::enterPhase() {
  optimizer_.configure(phase().optimizer);
  schedule_ = Schedule(phase().schedule);
  batcher_ = std::make_unique<Batcher>(*parts_.train, batchOptionsOf(spec_, phase()));
  batcher_->restore(state_.position);
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

void Trainer::endEpoch() {
  ++state_.epoch;
  ++state_.phaseEpoch;
  batcher_->startEpoch(state_.epoch);
  state_.position = batcher_->position();
  spdlog::info("epoch={} step={} tokens={}", state_.epoch, state_.step, state_.tokens);
}

void Trainer::validate() {
  takeResults();
  score();
  observeScores(spec_, schedule_, state_);
  const bool best = team_.shared(team_.isFirst() && saver_.dueByScores(state_));
  saveDue_ = saveDue_ || best;
  if (team_.isFirst()) record();
}

void Trainer::score() {
  const TrainingClock::Pause pause(clock_);
  auto result = validator_.score(*parts_.model, average_.get());
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
}

void Trainer::record() {
  const auto& spec = spec_.recording;
  const ScoredSet* set = recordedSet();
  if (spec.sentences <= 0 || set == nullptr) return;
  const TrainingClock::Pause pause(clock_);
  const std::string folder = fmt::format("recordings/step-{}", state_.step);
  const auto recordings = recordSentences(*parts_.model, *set, parts_.text,
                                          {.sentences = spec.sentences, .names = spec.names});
  writeRecordings(parts_.runFolder / folder, recordings);
  parts_.sink.recording({.runId = parts_.runId, .step = state_.step, .folder = folder});
}

void Trainer::save() {
  const TrainingClock::Pause pause(clock_);
  state_.seconds = team_.shared(state_.seconds + clock_.lap());
  takeResults();
  emitHistograms();
  if (!team_.isFirst()) return saver_.savedAt(state_.step);
  saver_.save({.model = *parts_.model,
               .optimizer = optimizer_,
               .state = state_,
               .average = average_.get()});
}

}  // namespace strata
