#include "core/train/estimate.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>

#include "core/base/cpu_use.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/nn/arithmetic.h"
#include "core/train/batch_tensors.h"
#include "core/train/criterion.h"
#include "core/train/device.h"
#include "core/train/memory.h"
#include "core/train/optimizer.h"
#include "core/train/telemetry.h"
#include "core/train/tensor_memory.h"
#include "core/train/trainer.h"

namespace strata {
namespace {

constexpr int kMeasuredSteps = 3;

// Numbers of rows and of source and target positions of one batch.
struct Geometry {
  std::int64_t rows = 0, source = 0, target = 0;

  // Orders batches by the memory they keep: features of every position, and attention maps, 64 of
  // whose values count as one position.
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

// `positionsAtOnce`: as in CrossEntropyOptions. Returns the summed loss.
torch::Tensor forwardBackward(const ExperimentSpec& spec, TranslationModel& model,
                              const Batch& batch, std::int64_t positionsAtOnce = 0) {
  const torch::Device device = model.device();
  const BatchTensors tensors = tensorsOf(batch, device);
  model.train();
  model.keyDropout(spec.seed, 0);
  CrossEntropy entropy;
  {
    const bool bf16 = selectPrecision(spec.training.precision, device) == "bf16";
    const ArithmeticScope scope(model.productArithmetic(bf16));
    entropy = trainingLoss(model, tensors, spec.criterion, {.positionsAtOnce = positionsAtOnce});
  }
  (entropy.loss / static_cast<double>(batch.targetTokens())).backward();
  return entropy.loss.detach();
}

// One update on the first `rows` sentences of a batch with scalars due, at a learning rate of 0:
// the model stays unchanged. The loss of a part is computed in as many chunks as that of the full
// batch, so that memory is linear in the rows. If several batches are accumulated, the second finds
// the gradients of the first.
void update(const ExperimentSpec& spec, TranslationModel& model, Optimizer& optimizer,
            const Geometry& shape, std::int64_t rows) {
  const std::int64_t atOnce = positionsAtOnce(model.device());
  const std::int64_t pieces = (shape.rows * shape.target + atOnce - 1) / atOnce;
  const std::int64_t ofPart = (rows * shape.target + pieces - 1) / pieces;
  const Batch batch = batchOf({rows, shape.source, shape.target});
  for (std::int64_t i = 0; i < std::min<std::int64_t>(2, spec.training.accumulate); ++i)
    forwardBackward(spec, model, batch, rows < shape.rows ? ofPart : atOnce);
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

// The maximum bytes of tensors besides parameters and moments while training on a batch, on the
// CPU. Measured on two parts of the batch: an update creates the same tensors in the same order
// whatever its number of sentences, so that the memory at each of these moments is linear in that
// number.
std::int64_t updateBytes(const ExperimentSpec& spec, TranslationModel& model, Optimizer& optimizer,
                         const Geometry& shape) {
  const auto levelsOf = [&](std::int64_t rows) {
    TensorTrace trace;
    update(spec, model, optimizer, shape, rows);
    return trace.levels();
  };
  levelsOf(1);  // creates tables that the model creates once
  const std::int64_t few = std::max<std::int64_t>(2, 256 / std::max(shape.source, shape.target));
  const std::int64_t more = 2 * few;
  if (more >= shape.rows) return std::ranges::max(levelsOf(shape.rows));
  const auto low = levelsOf(few), high = levelsOf(more);
  if (low.size() != high.size()) {
    spdlog::debug("updates of {} and {} sentences create {} and {} tensors: measuring a full one",
                  few, more, low.size(), high.size());
    return std::ranges::max(levelsOf(shape.rows));
  }
  std::int64_t most = 0;
  for (std::size_t i = 0; i < low.size(); ++i)
    most = std::max(most, low[i] + (high[i] - low[i]) * (shape.rows - few) / (more - few));
  return most;
}

// The same from a GPU's allocator, and how many sentences of the batch fit. If not all fit,
// extrapolated linearly from those that fit and half of them.
struct DeviceUpdate {
  std::int64_t bytes = 0, rows = 0;
};
DeviceUpdate deviceUpdate(const ExperimentSpec& spec, TranslationModel& model, Optimizer& optimizer,
                          const Geometry& shape) {
  const torch::Device device = model.device();
  const std::int64_t before = memoryUse(device).resident;
  const auto peakOf = [&](std::int64_t rows) -> std::optional<std::int64_t> {
    restartPeak(device);
    try {
      update(spec, model, optimizer, shape, rows);
    } catch (const c10::OutOfMemoryError&) {
      if (rows == 1) throw;
      optimizer.clearGradients();
      return std::nullopt;
    }
    return memoryUse(device).peak - before;
  };
  std::int64_t rows = shape.rows;
  std::optional<std::int64_t> most = peakOf(rows);
  for (; !most; most = peakOf(rows)) rows = (rows + 1) / 2;
  if (rows == shape.rows) return {*most, rows};
  const std::int64_t half = std::max<std::int64_t>(1, rows / 2), low = peakOf(half).value_or(0);
  const std::int64_t more = rows == half ? 0 : (*most - low) / (rows - half);
  return {*most + more * (shape.rows - rows), rows};
}

std::int64_t bytesOf(const TranslationModel& model) {
  std::int64_t bytes = 0;
  for (const auto& tensor : model.parameters()) bytes += static_cast<std::int64_t>(tensor.nbytes());
  for (const auto& tensor : model.buffers()) bytes += static_cast<std::int64_t>(tensor.nbytes());
  return bytes;
}

// The maximum bytes of tensors at once in training on a GPU, and how many sentences of the batch
// fit.
DeviceUpdate deviceTraining(const ExperimentSpec& spec, TranslationModel& model,
                            const Geometry& shape) {
  const torch::Device device = model.device();
  try {
    const std::int64_t before = memoryUse(device).resident;
    Optimizer optimizer(model.parameterBuffer(), spec.training.phases.front().optimizer);
    const std::int64_t moments = memoryUse(device).resident - before;
    const DeviceUpdate update = deviceUpdate(spec, model, optimizer, shape);
    return {bytesOf(model) + moments + update.bytes, update.rows};
  } catch (const c10::OutOfMemoryError&) {
    throw Error(
        "training does not fit into the memory of {}: there is no room for moments, gradients and "
        "one sentence of {} and {} words",
        device.str(), shape.source, shape.target);
  }
}

// The same on the CPU: parameters, moments, and an update.
std::int64_t trainingBytes(const ExperimentSpec& spec, TranslationModel& model,
                           const Geometry& shape) {
  auto trace = std::make_unique<TensorTrace>();
  Optimizer optimizer(model.parameterBuffer(), spec.training.phases.front().optimizer);
  const std::int64_t moments = trace->level();
  trace.reset();
  return bytesOf(model) + moments + updateBytes(spec, model, optimizer, shape);
}

MeasuredStep measuredStep(const ExperimentSpec& spec, TranslationModel& model, const Batch& batch) {
  const CpuTimes begin = cpuTimes();
  forwardBackward(spec, model, batch).item<double>();  // waits for the device
  for (auto& parameter : model.parameters()) parameter.mutable_grad() = torch::Tensor();
  const CpuTimes end = cpuTimes();
  MeasuredStep step{.seconds = end.wall - begin.wall};
  if (!model.device().is_cpu() || step.seconds <= 0) return step;
  step.ownCores = (end.own - begin.own) / step.seconds;
  step.otherCores = std::max(0.0, (end.all - begin.all - (end.own - begin.own)) / step.seconds);
  return step;
}

// The first batch, or its sentences up to this many target positions, several times; the first time
// does not count.
SpeedMeasurement measure(const ExperimentSpec& spec, TranslationModel& model, const Batch& part) {
  SpeedMeasurement speed{.threads = at::get_num_threads(), .cores = usableCores()};
  measuredStep(spec, model, part);
  for (int i = 0; i < kMeasuredSteps; ++i) speed.steps.push_back(measuredStep(spec, model, part));
  return speed;
}

void measureSpeed(const ExperimentSpec& spec, TranslationModel& model, Batcher& batcher,
                  std::int64_t positions, TrainingEstimate& estimate) {
  Batch batch;
  batcher.next(batch);
  const std::int64_t rows =
      std::max<std::int64_t>(1, std::min(batch.source.rows, positions / batch.targetOut.columns));
  const Batch part = batchOf({rows, batch.source.columns, batch.targetOut.columns});
  estimate.speed = measure(spec, model, part);
  estimate.tokensPerSecond =
      static_cast<double>(part.targetTokens()) / estimate.speed.medianSeconds();
}

}  // namespace

std::vector<BatchLengths> batchLengths(Batcher& batcher, std::int64_t most) {
  std::vector<BatchLengths> single;  // by length
  batcher.startEpoch(0);
  Batch batch;
  while (batcher.next(batch)) {
    const auto longest =
        static_cast<std::size_t>(std::max(batch.source.columns, batch.targetOut.columns));
    if (single.size() <= longest) single.resize(longest + 1);
    BatchLengths& entry = single[longest];
    ++entry.batches;
    entry.sentences += batch.source.rows;
    entry.positions += batch.source.rows * (batch.source.columns + batch.targetOut.columns);
    for (const TokenMatrix* side : {&batch.source, &batch.targetOut})
      entry.tokens = std::accumulate(side->lengths.begin(), side->lengths.end(), entry.tokens);
  }
  batcher.startEpoch(0);
  const std::int64_t width =
      std::max<std::int64_t>(1, (static_cast<std::int64_t>(single.size()) + most - 2) / most);
  std::vector<BatchLengths> lengths;
  for (std::size_t i = 1; i < single.size(); ++i) {
    const auto step = static_cast<std::size_t>((static_cast<std::int64_t>(i) - 1) / width);
    if (lengths.size() <= step)
      lengths.push_back({.longest = static_cast<std::int64_t>(step + 1) * width});
    lengths.back().batches += single[i].batches;
    lengths.back().sentences += single[i].sentences;
    lengths.back().tokens += single[i].tokens;
    lengths.back().positions += single[i].positions;
  }
  return lengths;
}

BatchOptions batchOptionsOf(const ExperimentSpec& spec, const PhaseSpec& phase) {
  return {.unit = phase.batch.unit == BatchSpec::Unit::kSentences ? BatchOptions::Unit::kSentences
                                                                  : BatchOptions::Unit::kTokens,
          .size = phase.batch.size,
          .maxLength = spec.data.maxLength > 0 ? spec.data.maxLength + 1 : 0,
          .lengthMultiple = phase.batch.lengthMultiple,
          .seed = spec.seed,
          .bidirectional = spec.data.bidirectional};
}

TrainingEstimate estimateTraining(const ExperimentSpec& spec, TranslationModel& model,
                                  const Corpus& train) {
  const auto& training = spec.training;
  Batcher batcher(train, batchOptionsOf(spec, training.phases.front()));
  TrainingEstimate estimate{.parameters = model.parameterCount(), .batches = batcher.report()};
  estimate.lengths = batchLengths(batcher);
  model.setDropout(dropoutRatesOf(training));
  if (const Geometry shape = largest(batcher); model.device().is_cpu()) {
    const std::int64_t tensors = trainingBytes(spec, model, shape);
    measureSpeed(spec, model, batcher, 1024, estimate);
    estimate.bytes = memoryBesideTensors() + tensors;
  } else {
    const DeviceUpdate there = deviceTraining(spec, model, shape);
    measureSpeed(spec, model, batcher, there.rows * shape.target, estimate);
    estimate.bytes = there.bytes;
  }
  estimate.updatesPerEpoch =
      (estimate.batches.batches + training.accumulate - 1) / training.accumulate;
  estimate.secondsPerEpoch =
      static_cast<double>(estimate.batches.targetTokens) / estimate.tokensPerSecond;
  return estimate;
}

}  // namespace strata
