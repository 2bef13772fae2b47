#include "core/train/estimate.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "core/base/log.h"
#include "core/train/batch_tensors.h"
#include "core/train/criterion.h"
#include "core/train/memory.h"
#include "core/train/optimizer.h"
#include "core/train/telemetry.h"
#include "core/train/tensor_memory.h"
#include "core/train/trainer.h"

namespace strata {
namespace {

// Rows, source and target positions of one batch.
struct Geometry {
  std::int64_t rows = 0, source = 0, target = 0;

  // Orders batches by what they keep alive: features of every position, and attention maps of width
  // 64 features a row.
  double weight() const {
    const auto s = static_cast<double>(source), t = static_cast<double>(target);
    return static_cast<double>(rows) * (s + t + (s * s + t * t + s * t) / 64);
  }
};

Batch batchOf(const Geometry& shape) {
  const auto row = [](std::int64_t words) {
    std::vector<TokenId> ids(static_cast<std::size_t>(words), kFirstWordId);
    ids.back() = kEndId;
    return ids;
  };
  const std::vector<std::vector<TokenId>> sources(static_cast<std::size_t>(shape.rows),
                                                  row(shape.source));
  const std::vector<std::vector<TokenId>> targets(static_cast<std::size_t>(shape.rows),
                                                  row(shape.target));
  return {.source = padded(sources),
          .targetIn = padded(targets),
          .targetOut = padded(targets),
          .sentences = {}};
}

// `positionsAtOnce`: as CrossEntropyOptions has it.
void forwardBackward(const ExperimentSpec& spec, TranslationModel& model, const Batch& batch,
                     std::int64_t positionsAtOnce = CrossEntropyOptions{}.positionsAtOnce) {
  const BatchTensors tensors = tensorsOf(batch, torch::kCPU);
  model.train();
  model.keyDropout(spec.seed, 0);
  const auto entropy =
      trainingLoss(model, tensors, spec.criterion, {.positionsAtOnce = positionsAtOnce});
  (entropy.loss / static_cast<double>(batch.targetTokens())).backward();
}

// One update of which the scalars are due, at a rate of 0: the model stays as it is. Where several
// batches are accumulated, the second finds the gradients of the first.
void update(const ExperimentSpec& spec, TranslationModel& model, Optimizer& optimizer,
            const Batch& batch, std::int64_t positionsAtOnce) {
  for (std::int64_t i = 0; i < std::min<std::int64_t>(2, spec.training.accumulate); ++i)
    forwardBackward(spec, model, batch, positionsAtOnce);
  const GradientNorm norm = optimizer.gradientNorm();
  ScalarList scalars(0, 1);
  UpdateRatio ratio(optimizer.parameters());
  optimizer.step(std::vector<double>(optimizer.groups().size(), 0.0));
  ratio.addTo(scalars);
  optimizer.clearGradients();
}

Geometry largest(Batcher& batcher) {
  Geometry most;
  Batch batch;
  while (batcher.next(batch)) {
    const Geometry shape{batch.source.rows, batch.source.columns, batch.targetOut.columns};
    if (shape.weight() > most.weight()) most = shape;
  }
  batcher.startEpoch(0);
  return most;
}

// The most bytes of tensors that live beside parameters and moments while a batch is trained on.
// Measured on two parts of it: an update makes the same tensors in the same order whatever the
// number of its sentences, so that what lives at each of these moments is a line over that number.
std::int64_t updateBytes(const ExperimentSpec& spec, TranslationModel& model, Optimizer& optimizer,
                         const Geometry& shape) {
  const std::int64_t atOnce = CrossEntropyOptions{}.positionsAtOnce;
  const std::int64_t pieces = (shape.rows * shape.target + atOnce - 1) / atOnce;
  const auto levelsOf = [&](std::int64_t rows) {
    const Batch batch = batchOf({rows, shape.source, shape.target});
    TensorTrace trace;
    update(spec, model, optimizer, batch, (rows * shape.target + pieces - 1) / pieces);
    return trace.levels();
  };
  levelsOf(1);  // tables that the model makes once
  const std::int64_t few = std::max<std::int64_t>(2, 256 / std::max(shape.source, shape.target));
  const std::int64_t more = 2 * few;
  if (more >= shape.rows) return std::ranges::max(levelsOf(shape.rows));
  const auto low = levelsOf(few), high = levelsOf(more);
  if (low.size() != high.size()) {
    spdlog::debug("updates of {} and {} sentences make {} and {} tensors: measuring a whole one",
                  few, more, low.size(), high.size());
    return std::ranges::max(levelsOf(shape.rows));
  }
  std::int64_t most = 0;
  for (std::size_t i = 0; i < low.size(); ++i)
    most = std::max(most, low[i] + (high[i] - low[i]) * (shape.rows - few) / (more - few));
  return most;
}

std::int64_t bytesOf(const TranslationModel& model) {
  std::int64_t bytes = 0;
  for (const auto& tensor : model.parameters()) bytes += static_cast<std::int64_t>(tensor.nbytes());
  for (const auto& tensor : model.buffers()) bytes += static_cast<std::int64_t>(tensor.nbytes());
  return bytes;
}

// The most bytes of tensors that live at once in training: parameters, moments, and an update.
std::int64_t trainingBytes(const ExperimentSpec& spec, TranslationModel& model,
                           const Geometry& shape) {
  auto trace = std::make_unique<TensorTrace>();
  Optimizer optimizer(model.parameterBuffer(), spec.training.phases.front().optimizer);
  const std::int64_t moments = trace->level();
  trace.reset();
  return bytesOf(model) + moments + updateBytes(spec, model, optimizer, shape);
}

double secondsOf(const ExperimentSpec& spec, TranslationModel& model, const Batch& batch) {
  const auto begin = std::chrono::steady_clock::now();
  forwardBackward(spec, model, batch);
  for (auto& parameter : model.parameters()) parameter.mutable_grad() = torch::Tensor();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The rate on real batches up to about a thousand target tokens, the second of two.
double measuredRate(const ExperimentSpec& spec, TranslationModel& model, Batcher& batcher) {
  Batch batch;
  batcher.next(batch);
  const std::int64_t rows =
      std::max<std::int64_t>(1, std::min(batch.source.rows, 1024 / batch.targetOut.columns));
  const Batch part = batchOf({rows, batch.source.columns, batch.targetOut.columns});
  secondsOf(spec, model, part);
  return static_cast<double>(part.targetTokens()) / secondsOf(spec, model, part);
}

}  // namespace

BatchOptions batchOptionsOf(const ExperimentSpec& spec, const PhaseSpec& phase) {
  return {.unit = phase.batch.unit == BatchSpec::Unit::kSentences ? BatchOptions::Unit::kSentences
                                                                  : BatchOptions::Unit::kTokens,
          .size = phase.batch.size,
          .maxLength = spec.data.maxLength > 0 ? spec.data.maxLength + 1 : 0,
          .seed = spec.seed,
          .bidirectional = spec.data.bidirectional};
}

TrainingEstimate estimateTraining(const ExperimentSpec& spec, TranslationModel& model,
                                  const Corpus& train) {
  const auto& training = spec.training;
  Batcher batcher(train, batchOptionsOf(spec, training.phases.front()));
  TrainingEstimate estimate{.parameters = model.parameterCount(), .batches = batcher.report()};
  model.setDropout(dropoutRatesOf(training));
  const std::int64_t tensors = trainingBytes(spec, model, largest(batcher));
  estimate.tokensPerSecond = measuredRate(spec, model, batcher);
  estimate.bytes = memoryBesideTensors() + tensors;
  estimate.updatesPerEpoch =
      (estimate.batches.batches + training.accumulate - 1) / training.accumulate;
  estimate.secondsPerEpoch =
      static_cast<double>(estimate.batches.targetTokens) / estimate.tokensPerSecond;
  return estimate;
}

}  // namespace strata
