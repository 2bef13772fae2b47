#include "core/decode/scorer.h"

#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "core/nn/cross_entropy.h"

namespace strata {
namespace {

torch::Tensor idsOf(const TokenMatrix& matrix, const torch::Device& device) {
  return torch::tensor(matrix.ids, torch::kInt64).view({matrix.rows, matrix.columns}).to(device);
}

// The pairs `order[begin, end)`.
void scoreBatch(TranslationModel& model, const ScoredPairs& pairs,
                std::span<const std::size_t> order, std::vector<std::vector<double>>& scores) {
  std::vector<std::vector<TokenId>> sources, inputs, outputs;
  for (const std::size_t pair : order) {
    sources.push_back(pairs.sources[pair]);
    outputs.push_back(pairs.targets[pair]);
    std::vector<TokenId>& input = inputs.emplace_back(1, kEndId);
    input.insert(input.end(), pairs.targets[pair].begin(), pairs.targets[pair].end() - 1);
  }
  const auto device = model.parameters().front().device();
  const TokenMatrix source = padded(sources);
  const auto memory = model.encode(
      makeSourceBatch(idsOf(source, device), torch::tensor(source.lengths, torch::kInt64)),
      nullptr);
  const auto features = model.decode(*memory, idsOf(padded(inputs), device), nullptr);
  const auto table = tokenLogProbabilities(model, features, idsOf(padded(outputs), device))
                         .to(torch::kCPU, torch::kFloat64)
                         .contiguous();
  const double* row = table.data_ptr<double>();
  for (const std::size_t pair : order) {
    scores[pair].assign(row, row + pairs.targets[pair].size());
    row += table.size(1);
  }
}

}  // namespace

std::vector<std::vector<double>> scorePairs(TranslationModel& model, const ScoredPairs& pairs,
                                            int batchSentences,
                                            const std::function<void(std::int64_t)>& advance) {
  if (pairs.sources.size() != pairs.targets.size())
    throw Error("{} sources cannot be scored with {} targets", pairs.sources.size(),
                pairs.targets.size());
  for (std::size_t pair = 0; pair < pairs.sources.size(); ++pair) {
    if (pairs.sources[pair].empty() || pairs.targets[pair].empty())
      throw Error("Pair {} has a side without tokens, not even </s>", pair + 1);
  }
  const torch::NoGradGuard frozen;
  model.eval();
  std::vector<std::size_t> order(pairs.sources.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto lengthsOf = [&](std::size_t pair) {
    return std::pair(pairs.targets[pair].size(), pairs.sources[pair].size());
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return lengthsOf(a) > lengthsOf(b); });
  std::vector<std::vector<double>> scores(order.size());
  const auto width = static_cast<std::size_t>(std::max(1, batchSentences));
  for (std::size_t begin = 0; begin < order.size(); begin += width) {
    const std::size_t count = std::min(width, order.size() - begin);
    scoreBatch(model, pairs, std::span(order).subspan(begin, count), scores);
    if (advance) advance(static_cast<std::int64_t>(begin + count));
  }
  return scores;
}

}  // namespace strata
