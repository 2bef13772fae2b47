// One update: batches, forward and backward passes, the check for non-finite values, the optimizer,
// and the scalars that describe it.
#include <c10/core/CachingDeviceAllocator.h>

#include <cmath>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/nn/arithmetic.h"
#include "core/train/batch_tensors.h"
#include "core/train/checkpoint.h"
#include "core/train/criterion.h"
#include "core/train/device.h"
#include "core/train/memory.h"
#include "core/train/trainer.h"

namespace strata {
namespace {

constexpr int kMostRefusedInARow = 20;
constexpr std::size_t kSentencesNamed = 20;

std::string numbersOf(const std::vector<std::int64_t>& sentences) {
  std::string text;
  for (std::size_t i = 0; i < std::min(sentences.size(), kSentencesNamed); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(sentences[i]);
  }
  if (sentences.size() > kSentencesNamed)
    text += fmt::format(" and {} more", sentences.size() - kSentencesNamed);
  return text;
}

std::int64_t positions(const Batch& batch) {
  return batch.source.rows * batch.source.columns + batch.targetOut.rows * batch.targetOut.columns;
}

// The series of the device allocator's memory.
void addDeviceMemory(const torch::Device& device, ScalarList& scalars) {
  const auto stats = at::getDeviceAllocator(device.type())
                         ->getDeviceStats(std::max<c10::DeviceIndex>(0, device.index()));
  scalars.add("memory/device_mib",
              static_cast<double>(stats.reserved_bytes[0].current) / (1 << 20));
}

}  // namespace

void Trainer::nextBatches() {
  batchesUsed_ = 0;
  const auto wanted = static_cast<std::size_t>(spec_.training.accumulate);
  batches_.resize(wanted);
  while (batchesUsed_ < wanted && batcher_->next(batches_[batchesUsed_])) ++batchesUsed_;
  state_.position = batcher_->position();
  epochEnded_ = state_.position.batch >= batcher_->batchesInEpoch();
}

Trainer::Pending Trainer::forwardBackward() {
  Pending pending;
  pending.step = state_.step + 1;
  for (std::size_t i = 0; i < batchesUsed_; ++i) {
    pending.tokens += batches_[i].targetTokens();
    pending.real += batches_[i].targetTokens() + batches_[i].source.tokens();
    pending.padded += positions(batches_[i]);
    pending.sentences.insert(pending.sentences.end(), batches_[i].sentences.begin(),
                             batches_[i].sentences.end());
  }
  auto& model = *parts_.model;
  model.train();
  torch::Tensor sums_3;
  for (std::size_t i = 0; i < batchesUsed_; ++i) {
    const BatchTensors batch = tensorsOf(batches_[i], parts_.device);
    model.keyDropout(spec_.seed + static_cast<std::uint64_t>(state_.rollbacks),
                     static_cast<std::uint64_t>(state_.batches++));
    CrossEntropy entropy;
    {
      const ArithmeticScope scope(withBf16Products(bf16_));
      entropy = trainingLoss(
          model, batch, spec_.criterion,
          {.key = spec_.seed * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(state_.batches)});
    }
    // The summed loss over the target tokens of all accumulated batches.
    (entropy.loss / static_cast<double>(pending.tokens)).backward();
    const auto sums =
        torch::stack({entropy.nll, entropy.loss.detach(), entropy.errors}).to(torch::kFloat64);
    sums_3 = sums_3.defined() ? sums_3 + sums : sums;
  }
  model.scaleGradients();
  pending.values = sums_3;
  return pending;
}

void Trainer::update() {
  rates_ =
      optimizer_.ratesOf(schedule_, state_.phaseStep + 1, state_.phaseEpoch + 1, state_.schedule);
  Pending pending = forwardBackward();
  const GradientNorm norm = optimizer_.gradientNorm();
  pending.values = torch::cat({pending.values, norm.total.reshape({1})});
  pending_.push_back(pending);
  gradients_.add(pending.step, norm);
  const bool due = (state_.step + 1) % spec_.training.logEvery == 0;
  ScalarList scalars(parts_.runId, state_.step + 1);
  if ((!onHost_ && !due) || fetchPending()) applyUpdate(pending, norm, due ? &scalars : nullptr);
  optimizer_.clearGradients();
  ++state_.step;
  ++state_.phaseStep;
  state_.tokens += pending.tokens;
  windowTokens_ += pending.tokens;
  const auto now = Clock::now();
  state_.seconds += std::chrono::duration<double>(now - tick_).count();
  tick_ = now;
  if (due) emitScalars(scalars);
}

void Trainer::applyUpdate(const Pending& pending, const GradientNorm& norm, ScalarList* scalars) {
  std::optional<UpdateRatio> ratio;
  if (scalars != nullptr) {
    addGradientNorms(parameters_, norm, *scalars);
    ratio.emplace(parameters_);
  }
  if (spec_.training.clipNorm > 0) optimizer_.clip(norm, spec_.training.clipNorm);
  std::optional<torch::Tensor> skip;  // the host does not know yet whether the values are finite
  if (!onHost_) skip = torch::isfinite(pending.values).all().logical_not().to(torch::kFloat32);
  optimizer_.step(rates_, skip);
  if (average_) average_->update(skip);
  if (ratio) ratio->addTo(*scalars);
}

// Fetches pending values to the host, adds them to the sums, and rejects non-finite ones. False if
// the newest update must not be applied.
bool Trainer::fetchPending() {
  if (pending_.empty()) return true;
  std::vector<torch::Tensor> values;
  for (const auto& pending : pending_) values.push_back(pending.values);
  const auto host_N4 = torch::stack(values).cpu();
  const auto all = std::exchange(pending_, {});
  bool newestIsFinite = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double* row = host_N4.data_ptr<double>() + 4 * i;
    newestIsFinite = std::all_of(row, row + 4, [](double value) { return std::isfinite(value); });
    if (!newestIsFinite) {
      refuse(all[i]);
      continue;
    }
    refusedInARow_ = 0;
    auto& sums = state_.sums;
    sums.nll += row[0];
    sums.loss += row[1];
    sums.errors += row[2];
    sums.tokens += all[i].tokens;
    sums.real += all[i].real;
    sums.padded += all[i].padded;
    ++sums.updates;
    if (spec_.training.clipNorm > 0 && row[3] > spec_.training.clipNorm) ++sums.clipped;
  }
  return newestIsFinite;
}

void Trainer::refuse(const Pending& pending) {
  // The points of every step of these series, the rejected one included, replace the existing
  // sparser ones.
  parts_.sink.scalars(gradients_.take(parameters_, parts_.runId, pending.step));
  const std::string what = fmt::format(
      "The loss or a gradient of step {} is not finite; its sentences are {} of the training "
      "corpus",
      pending.step, numbersOf(pending.sentences));
  if (++refusedInARow_ >= kMostRefusedInARow) {
    throw divergenceError("{}; {} updates in a row were not finite: lower training.optimizer.lr",
                          what, refusedInARow_);
  }
  switch (spec_.training.onNonfinite) {
    case TrainingSpec::Nonfinite::kSkip:
      spdlog::warn("{}; the update is skipped", what);
      return;
    case TrainingSpec::Nonfinite::kRollback:
      rollBack(what);
      return;
    case TrainingSpec::Nonfinite::kStop:
      break;
  }
  optimizer_.clearGradients();
  state_.position = batcher_->position();
  if (savedStep_ != state_.step) save();  // the parameters are those after the last finite update
  throw divergenceError(
      "{}; the state before it is saved. Lower training.optimizer.lr, set training.clip_norm, or "
      "train with training.on_nonfinite=skip",
      what);
}

// Restores parameters and moments of the newest checkpoint; position, schedule and counters go on,
// so that the sentences that caused the failure do not recur at once and no series runs backwards.
// Dropout draws different masks from here on.
void Trainer::rollBack(const std::string& what) {
  const auto checkpoint = lastGoodCheckpoint(parts_.runFolder);
  readCheckpoint(checkpoint.folder, *parts_.model, optimizer_);
  restoreAverage(checkpoint.folder);
  ++state_.rollbacks;
  spdlog::warn("{}; parameters and moments return to {}", what,
               checkpoint.folder.filename().string());
}

void Trainer::addRates(ScalarList& scalars) const {
  const auto& groups = optimizer_.groups();
  if (groups.size() == 1) {
    scalars.add("lr", rates_.front());
    return;
  }
  for (std::size_t g = 0; g < groups.size(); ++g) scalars.add("lr/" + groups[g].name, rates_[g]);
}

void Trainer::emitScalars(ScalarList& scalars) {
  const RunningSums sums = std::exchange(state_.sums, {});
  if (sums.tokens > 0) {
    const auto tokens = static_cast<double>(sums.tokens);
    scalars.add("train/nll", sums.nll / tokens);
    scalars.add("train/loss", sums.loss / tokens);
    scalars.add("train/perplexity", std::exp(sums.nll / tokens));
    scalars.add("train/token-error", sums.errors / tokens);
    scalars.add("train/padding",
                1 - static_cast<double>(sums.real) / static_cast<double>(sums.padded));
    scalars.add("train/clipped",
                static_cast<double>(sums.clipped) / static_cast<double>(sums.updates));
  }
  addRates(scalars);
  const auto now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - windowStart_).count();
  scalars.add("train/tokens_per_second", static_cast<double>(windowTokens_) / seconds);
  scalars.add("train/epoch", static_cast<double>(state_.epoch) +
                                 static_cast<double>(state_.position.batch) /
                                     static_cast<double>(batcher_->batchesInEpoch()));
  scalars.add("train/tokens", static_cast<double>(state_.tokens));
  scalars.add("memory/resident_mib", static_cast<double>(memoryUse().resident) / (1 << 20));
  if (!onHost_) addDeviceMemory(parts_.device, scalars);
  parts_.sink.scalars(scalars.events());
  windowStart_ = now;
  windowTokens_ = 0;
}

}  // namespace strata
