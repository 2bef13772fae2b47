#include "core/train/estimate.h"

#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <atomic>
#include <chrono>

#include "core/nn/cross_entropy.h"
#include "core/train/batch_tensors.h"
#include "core/train/memory.h"

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

// Hands on to libtorch's allocator and keeps account of what lives.
class CountingAllocator : public c10::Allocator {
 public:
  explicit CountingAllocator(c10::Allocator* inner) : inner_(inner) {}

  c10::DataPtr allocate(std::size_t bytes) override {
    auto* block = new Block{inner_->allocate(bytes), bytes, this};
    const std::size_t now = live_.fetch_add(bytes) + bytes;
    std::size_t peak = peak_.load();
    while (peak < now && !peak_.compare_exchange_weak(peak, now)) {
    }
    return {block->data.get(), block, &release, c10::Device(c10::DeviceType::CPU)};
  }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }
  c10::DeleterFnPtr raw_deleter() const override { return nullptr; }

  void startPeak() { peak_ = live_.load(); }
  std::int64_t live() const { return static_cast<std::int64_t>(live_.load()); }
  std::int64_t peak() const { return static_cast<std::int64_t>(peak_.load()); }

 private:
  struct Block {
    c10::DataPtr data;
    std::size_t bytes;
    CountingAllocator* owner;
  };
  static void release(void* context) {
    auto* block = static_cast<Block*>(context);
    block->owner->live_ -= block->bytes;
    delete block;
  }

  c10::Allocator* inner_;
  std::atomic<std::size_t> live_ = 0, peak_ = 0;
};

// libtorch keeps the first allocator of a priority; ours stays in place and costs one small block a
// tensor, so it is put in only by those who estimate.
CountingAllocator& countingAllocator() {
  static auto* allocator = [] {
    auto* made = new CountingAllocator(c10::GetCPUAllocator());
    c10::SetCPUAllocator(made, /*priority=*/1);
    return made;
  }();
  return *allocator;
}

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

void forwardBackward(const ExperimentSpec& spec, TranslationModel& model, const Batch& batch) {
  const BatchTensors tensors = tensorsOf(batch, torch::kCPU);
  model.train();
  model.keyDropout(spec.seed, 0);
  const auto memory = model.encode(tensors.source, nullptr);
  const auto features_BTD = model.decode(*memory, tensors.targetIn_BT, nullptr);
  const auto entropy =
      crossEntropy(model, features_BTD, tensors.targetOut_BT,
                   {.labelSmoothing = spec.criterion.labelSmoothing, .countErrors = true});
  entropy.loss.backward();
  for (auto& parameter : model.parameters()) parameter.mutable_grad() = torch::Tensor();
}

// The most bytes of tensors that forward and backward passes over such a batch hold beside the
// parameters.
std::int64_t peakBytes(const ExperimentSpec& spec, TranslationModel& model, const Geometry& shape) {
  auto& allocator = countingAllocator();
  const Batch batch = batchOf(shape);
  const std::int64_t before = allocator.live();
  allocator.startPeak();
  forwardBackward(spec, model, batch);
  return allocator.peak() - before;
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

// The same for a whole batch, from two parts of it that are large enough to be past what is made in
// pieces.
std::int64_t passBytes(const ExperimentSpec& spec, TranslationModel& model, Geometry shape) {
  const std::int64_t rows = shape.rows;
  const std::int64_t few =
      std::min(rows, std::max<std::int64_t>(2, 512 / std::max(shape.source, shape.target)));
  const std::int64_t more = std::min(rows, 2 * few);
  shape.rows = few;
  const std::int64_t low = peakBytes(spec, model, shape);
  if (more == few) return low;
  shape.rows = more;
  const std::int64_t high = peakBytes(spec, model, shape);
  return low + (high - low) * (rows - few) / (more - few);
}

double secondsOf(const ExperimentSpec& spec, TranslationModel& model, const Batch& batch) {
  const auto begin = std::chrono::steady_clock::now();
  forwardBackward(spec, model, batch);
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
          .seed = spec.seed};
}

TrainingEstimate estimateTraining(const ExperimentSpec& spec, TranslationModel& model,
                                  const Corpus& train) {
  const auto& training = spec.training;
  Batcher batcher(train, batchOptionsOf(spec, training.phases.front()));
  TrainingEstimate estimate{.parameters = model.parameterCount(), .batches = batcher.report()};
  model.setDropout({.dropout = training.dropout,
                    .attention = training.attentionDropout,
                    .activation = training.activationDropout});
  const std::int64_t passes = passBytes(spec, model, largest(batcher));
  estimate.tokensPerSecond = measuredRate(spec, model, batcher);
  // Program, libraries, scratch buffers and the model: all that is there now but the tensors of the
  // passes above, whose memory the heap keeps.
  const std::int64_t baseline = memoryUse().resident - countingAllocator().peak();

  // Beside the passes live both moments, and between them the copy by which the update's size is
  // measured.
  const std::int64_t weights = estimate.parameters * (training.precision == "fp64" ? 8 : 4);
  const std::int64_t accumulated = training.accumulate > 1 ? weights : 0;
  estimate.bytes = baseline + 2 * weights + std::max(passes + accumulated, 2 * weights);
  estimate.updatesPerEpoch =
      (estimate.batches.batches + training.accumulate - 1) / training.accumulate;
  estimate.secondsPerEpoch =
      static_cast<double>(estimate.batches.targetTokens) / estimate.tokensPerSecond;
  return estimate;
}

}  // namespace strata
