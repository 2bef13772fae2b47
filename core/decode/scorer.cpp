#include "core/decode/scorer.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "core/base/error.h"
#include "core/decode/known_ids.h"
#include "core/decode/sentence_lengths.h"
#include "core/nn/cross_entropy.h"
#include "core/nn/upload.h"

namespace strata {
namespace {

torch::Tensor idsOf(const TokenMatrix& matrix) {
  return torch::tensor(matrix.ids, torch::kInt64).view({matrix.rows, matrix.columns});
}

// A batch of pairs as padded matrices.
struct ForcedBatch {
  ForcedBatch(const ScoredPairs& pairs, std::span<const std::size_t> order) {
    std::vector<std::vector<TokenId>> sources, inputs, outputs;
    for (const std::size_t pair : order) {
      sources.push_back(pairs.sources[pair]);
      outputs.push_back(pairs.targets[pair]);
      std::vector<TokenId>& input = inputs.emplace_back(1, kEndId);
      input.insert(input.end(), pairs.targets[pair].begin(), pairs.targets[pair].end() - 1);
    }
    source = padded(sources);
    targetIn = padded(inputs);
    targetOut = padded(outputs);
  }

  // The decoder's features at every target position.
  torch::Tensor pass(TranslationModel& model, Recorder* recorder) const {
    const auto device = model.device();
    const auto host = makeSourceBatch(idsOf(source), torch::tensor(source.lengths, torch::kInt64));
    const auto memory = model.encode(uploaded(host, device), recorder);
    return model.decode(*memory, uploaded(idsOf(targetIn), device), recorder);
  }

  TokenMatrix source, targetIn, targetOut;
};

void check(const TranslationModel& model, const ScoredPairs& pairs) {
  if (pairs.sources.size() != pairs.targets.size())
    throw Error("expected as many targets as sources, but there are {} sources and {} targets",
                pairs.sources.size(), pairs.targets.size());
  for (std::size_t pair = 0; pair < pairs.sources.size(); ++pair) {
    if (pairs.sources[pair].empty() || pairs.targets[pair].empty())
      throw Error("Pair {} has a side without tokens; expected </s> at least", pair + 1);
  }
  requireKnownIds(model, CorpusSide::kSource, pairs.sources);
  requireKnownIds(model, CorpusSide::kTarget, pairs.targets);
  requirePositions(model, CorpusSide::kSource, pairs.sources);
  requirePositions(model, CorpusSide::kTarget, pairs.targets);
}

// Calls `use` with every batch and the numbers of its pairs.
template <typename Use>
void forEachBatch(TranslationModel& model, const ScoredPairs& pairs, const ScoreOptions& options,
                  Use use) {
  check(model, pairs);
  const torch::NoGradGuard frozen;
  model.eval();
  const ArithmeticScope scope(options.compute == Compute::kFloat32
                                  ? arithmetic()
                                  : model.searchArithmetic(options.compute));
  std::vector<std::size_t> order(pairs.sources.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto lengthsOf = [&](std::size_t pair) {
    return std::pair(pairs.targets[pair].size(), pairs.sources[pair].size());
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return lengthsOf(a) > lengthsOf(b); });
  const bool single = options.interventions && options.interventions->namesPositions();
  const auto width = static_cast<std::size_t>(single ? 1 : std::max(1, options.batchSentences));
  for (std::size_t begin = 0; begin < order.size(); begin += width) {
    const std::size_t count = std::min(width, order.size() - begin);
    const auto part = std::span<const std::size_t>(order).subspan(begin, count);
    use(ForcedBatch(pairs, part), part);
    if (options.advance) options.advance(static_cast<std::int64_t>(begin + count));
  }
}

}  // namespace

std::vector<std::vector<double>> scorePairs(TranslationModel& model, const ScoredPairs& pairs,
                                            const ScoreOptions& options) {
  std::vector<std::vector<double>> scores(pairs.sources.size());
  Recorder recorder;
  recorder.collectNothing();
  recorder.intervene(options.interventions);
  forEachBatch(
      model, pairs, options, [&](const ForcedBatch& batch, std::span<const std::size_t> order) {
        const auto features =
            batch.pass(model, options.interventions != nullptr ? &recorder : nullptr);
        const auto table = tokenLogProbabilities(
                               model, features, uploaded(idsOf(batch.targetOut), features.device()))
                               .to(torch::kCPU, torch::kFloat64)
                               .contiguous();
        const double* row = table.data_ptr<double>();
        for (const std::size_t pair : order) {
          scores[pair].assign(row, row + pairs.targets[pair].size());
          row += table.size(1);
        }
      });
  return scores;
}

void recordPairs(TranslationModel& model, const ScoredPairs& pairs,
                 const std::vector<std::string>& names, const ScoreOptions& options,
                 const std::function<void(const RecordedBatch&)>& use) {
  forEachBatch(model, pairs, options,
               [&](const ForcedBatch& batch, std::span<const std::size_t> order) {
                 Recorder recorder(names);
                 recorder.intervene(options.interventions);
                 const auto features_BTD = batch.pass(model, &recorder);
                 use({recorder.tensors(), order, pairs, features_BTD});
               });
}

std::map<std::string, torch::Tensor> internalMeans(TranslationModel& model,
                                                   const ScoredPairs& pairs,
                                                   const std::vector<std::string>& names,
                                                   const ScoreOptions& options) {
  std::map<std::string, PositionSum> sums;
  forEachBatch(model, pairs, options, [&](const ForcedBatch& batch, auto) {
    Recorder recorder(names);
    recorder.intervene(options.interventions);
    batch.pass(model, &recorder);
    const PublishedLengths lengths{
        .source_B = torch::tensor(batch.source.lengths, torch::kInt64),
        .target_B = torch::tensor(batch.targetOut.lengths, torch::kInt64)};
    for (const RecordedTensor& recorded : recorder.tensors()) {
      const PositionSum part = sumOverPositions(recorded.info, recorded.values.cpu(), lengths);
      PositionSum& sum = sums[recorded.info.name];
      sum.sum = sum.sum.defined() ? sum.sum + part.sum : part.sum;
      sum.positions += part.positions;
    }
  });
  std::map<std::string, torch::Tensor> means;
  for (const auto& [name, sum] : sums) means[name] = sum.sum / static_cast<double>(sum.positions);
  return means;
}

}  // namespace strata
