#include "core/train/histogram_recorder.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/train/telemetry.h"

namespace strata {
namespace {

constexpr std::int64_t kAtOnce = 1 << 20;  // values: bounds the memory of their bins

// The layer whose output a level is, by the name of its parameters; level 0 is what the first layer
// reads: the embedding.
std::string layerOfLevel(const RecordingInfo& level) {
  if (level.name.ends_with(".fused")) return level.side + ".fusion";
  return level.layer < 0 ? level.side + ".embed_tokens"
                         : fmt::format("{}.layers.{}", level.side, level.layer);
}

}  // namespace

torch::Tensor countValues(const torch::Tensor& values, const torch::Tensor& bounds,
                          const torch::Tensor& skip) {
  const auto integers = bounds.options().dtype(torch::kInt64);
  // The last bin is of what does not count.
  auto counts = torch::zeros({kHistogramBins + 1}, integers);
  const auto flat = values.detach().reshape({-1});
  const auto skipped = skip.defined() ? skip.expand(values.sizes()).reshape({-1}) : skip;
  for (std::int64_t at = 0; at < flat.numel(); at += kAtOnce) {
    const std::int64_t length = std::min(kAtOnce, flat.numel() - at);
    const auto x = flat.narrow(0, at, length).to(torch::kFloat32);
    const auto distance =
        torch::bucketize(x.abs(), bounds, /*out_int32=*/false, /*right=*/true) + 1;
    const auto sign = (x > 0).to(torch::kInt64) - (x < 0).to(torch::kInt64);
    auto bins =
        (distance * sign + kZeroBin).masked_fill(torch::isfinite(x).logical_not(), kNonFiniteBin);
    if (skipped.defined()) bins = bins.masked_fill(skipped.narrow(0, at, length), kHistogramBins);
    counts.scatter_add_(0, bins, torch::ones_like(bins));
  }
  return counts.narrow(0, 0, kHistogramBins);
}

torch::Tensor HistogramRecorder::boundsOn(const torch::Device& device) {
  const auto& bounds = magnitudeBounds();
  return torch::tensor(at::ArrayRef<float>(bounds.data(), bounds.size())).to(device);
}

HistogramRecorder::HistogramRecorder(std::shared_ptr<TranslationModel> model, std::int64_t every,
                                     const ScoredSet* set)
    : model_(std::move(model)), every_(every), bounds_(boundsOn(model_->device())) {
  const NamedParameters& parameters = model_->parameterBuffer()->named();
  for (std::size_t i = 0; i < parameters.size(); ++i)
    layers_[layerOf(parameters[i].first)].push_back(i);
  if (set == nullptr) return;
  auto pairs = set->pairsToScore();
  pairs.resize(std::min(pairs.size(), kSentences));
  if (pairs.empty()) return;
  fillBatch(*set->corpus, pairs, sentences_);
  batch_ = tensorsOf(sentences_, model_->device());
}

void HistogramRecorder::add(std::int64_t step, HistogramKind kind, const std::string& layer,
                            const torch::Tensor& counts) {
  if (events_.empty() || events_.back().step != step)
    events_.push_back({.step = step, .layers = {}});
  events_.back().layers.push_back({.kind = kind, .layer = layer, .values = {}});
  counts_.push_back(counts);
}

void HistogramRecorder::addParameters(std::int64_t step, HistogramKind kind) {
  const NamedParameters& parameters = model_->parameterBuffer()->named();
  for (const auto& [layer, members] : layers_) {
    torch::Tensor counts;
    for (const std::size_t i : members) {
      const torch::Tensor& weights = parameters[i].second;
      const auto each =
          countValues(kind == HistogramKind::kGradients ? weights.grad() : weights, bounds_);
      counts = counts.defined() ? counts + each : each;
    }
    add(step, kind, layer, counts);
  }
}

void HistogramRecorder::addGradients(std::int64_t step) {
  const torch::NoGradGuard noGrad;
  addParameters(step, HistogramKind::kGradients);
}

void HistogramRecorder::addState(std::int64_t step) {
  const torch::NoGradGuard noGrad;
  addParameters(step, HistogramKind::kWeights);
  if (batch_.targetIn_BT.defined()) addOutputs(step);
}

void HistogramRecorder::addOutputs(std::int64_t step) {
  model_->eval();
  Recorder recorder({"encoder.levels.*", "decoder.levels.*"});
  const auto memory = model_->encode(batch_.source, &recorder);
  model_->decode(*memory, batch_.targetIn_BT, &recorder);
  const auto targetPadding_BT = batch_.targetOut_BT == kPadId;
  for (const RecordedTensor& level : recorder.tensors()) {
    const bool source = level.info.axes.front() == "source";
    const torch::Tensor& padding = source ? batch_.source.padding_BS : targetPadding_BT;
    add(step, HistogramKind::kActivations, layerOfLevel(level.info),
        countValues(level.values, bounds_, padding.defined() ? padding.unsqueeze(2) : padding));
  }
}

std::vector<HistogramEvent> HistogramRecorder::take(std::int64_t runId) {
  std::vector<HistogramEvent> events = std::exchange(events_, {});
  if (events.empty()) return events;
  const auto host = torch::stack(std::exchange(counts_, {})).cpu();
  const auto* next = host.data_ptr<std::int64_t>();
  for (HistogramEvent& event : events) {
    event.runId = runId;
    for (LayerHistogram& layer : event.layers) {
      std::copy_n(next, kHistogramBins, layer.values.counts.begin());
      next += kHistogramBins;
    }
  }
  return events;
}

}  // namespace strata
