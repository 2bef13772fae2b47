#include "app/step_comparison.h"

#include <algorithm>
#include <numeric>

#include "app/timing.h"
#include "core/data/batcher.h"
#include "core/train/batch_tensors.h"

namespace strata {
namespace {

using torch::Tensor;

// The pairs with target lengths closest to the wanted number of tokens; pairs may repeat.
Batch batchOf(const Corpus& corpus, const StepComparisonOptions& options) {
  std::vector<std::int64_t> pairs(static_cast<std::size_t>(corpus.pairs()));
  std::iota(pairs.begin(), pairs.end(), 0);
  const auto distance = [&](std::int64_t pair) {
    return std::abs(corpus.length(CorpusSide::kTarget, pair) + 1 - options.tokens);
  };
  std::ranges::stable_sort(pairs, {}, distance);
  std::vector<std::int64_t> chosen;
  for (int i = 0; i < options.sentences; ++i)
    chosen.push_back(pairs[static_cast<std::size_t>(i) % pairs.size()]);
  Batch batch;
  fillBatch(corpus, chosen, batch);
  return batch;
}

Tensor atOnce(TranslationModel& model, const Memory& memory, const Tensor& targetIn_BT) {
  const Tensor features_BTD = model.decode(memory, targetIn_BT, nullptr);
  return model.logProbabilities(features_BTD.flatten(0, 1))
      .view({targetIn_BT.size(0), targetIn_BT.size(1), -1});
}

Tensor byStepsOf(TranslationModel& model, const Memory& memory, const Tensor& targetIn_BT) {
  const auto state = model.begin(memory);
  Tensor all_BTV;
  for (std::int64_t t = 0; t < targetIn_BT.size(1); ++t) {
    const Tensor scores_BV = model.step(*state, targetIn_BT.select(1, t), nullptr);
    if (!all_BTV.defined())
      all_BTV = scores_BV.new_empty({scores_BV.size(0), targetIn_BT.size(1), scores_BV.size(1)});
    all_BTV.select(1, t).copy_(scores_BV);
  }
  return all_BTV;
}

template <typename Work>
double secondsOf(const Work& work, const torch::Device& device) {
  const auto begin = BenchClock::now();
  const Tensor result = work();
  if (device.is_cuda()) result.select(0, 0).cpu();
  return secondsSince(begin);
}

}  // namespace

Json compareSteps(TranslationModel& model, const Corpus& corpus,
                  const StepComparisonOptions& options, const torch::Device& device) {
  const torch::NoGradGuard frozen;
  model.eval();
  const Batch batch = batchOf(corpus, options);
  const BatchTensors tensors = tensorsOf(batch, device);
  const auto memory = model.encode(tensors.source, nullptr);
  const auto whole = [&] { return atOnce(model, *memory, tensors.targetIn_BT); };
  const auto steps = [&] { return byStepsOf(model, *memory, tensors.targetIn_BT); };
  const Tensor real_BT = tensors.targetOut_BT.ne(kPadId);
  const double difference =
      (whole() - steps()).abs().masked_select(real_BT.unsqueeze(-1)).max().item<double>();
  std::vector<double> once, stepwise, ratios;
  for (int run = 0; run < options.runs; ++run) {
    once.push_back(secondsOf(whole, device));
    stepwise.push_back(secondsOf(steps, device));
    ratios.push_back(stepwise.back() / once.back());
  }
  return {{"sentences", options.sentences},    {"tokens", tensors.targetIn_BT.size(1)},
          {"at_once_seconds", spreadOf(once)}, {"by_steps_seconds", spreadOf(stepwise)},
          {"ratio", spreadOf(ratios)},         {"difference", difference}};
}

}  // namespace strata
