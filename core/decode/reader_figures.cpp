#include "core/decode/reader_figures.h"

#include <cmath>
#include <map>
#include <numeric>
#include <string>

namespace strata {
namespace {

using torch::Tensor;

double squares(const Tensor& x) {
  return x.to(torch::kFloat64).square().sum().item<double>();
}

Tensor lengthsOf(const std::vector<std::vector<TokenId>>& sentences, const RecordedBatch& batch) {
  std::vector<std::int64_t> lengths;
  for (const std::size_t pair : batch.pairs) lengths.push_back(std::ssize(sentences[pair]));
  return torch::tensor(lengths, torch::kInt64);
}

// What is beyond the true lengths, where a convolution's taps read real positions, does not count.
Tensor cut(const Tensor& y_BTO, const Tensor& lengths_B) {
  const Tensor beyond_BT =
      torch::arange(y_BTO.size(1), lengths_B.options()).unsqueeze(0) >= lengths_B.unsqueeze(1);
  return y_BTO.masked_fill(beyond_BT.to(y_BTO.device()).unsqueeze(2), 0);
}

}  // namespace

MeasuredReaders measureReaders(TranslationModel& model, const std::vector<Reader>& readers,
                               const ScoredPairs& pairs, const ScoreOptions& options) {
  const torch::NoGradGuard frozen;
  MeasuredReaders measured;
  for (const Reader& reader : readers) {
    measured.figures.emplace_back(reader.blocks.size());
    measured.squares.emplace_back(reader.blocks.size(), std::vector<double>(pairs.targets.size()));
  }
  recordPairs(model, pairs, internalsOf(readers), options, [&](const RecordedBatch& batch) {
    std::map<std::string, Tensor> published;
    for (const RecordedTensor& each : batch.tensors) published[each.info.name] = each.values;
    const Tensor source_B = lengthsOf(pairs.sources, batch),
                 target_B = lengthsOf(pairs.targets, batch);
    measured.sourcePositions += source_B.sum().item<std::int64_t>();
    measured.targetPositions += target_B.sum().item<std::int64_t>();
    for (std::size_t r = 0; r < readers.size(); ++r) {
      const Tensor& lengths_B = readers[r].side == "encoder" ? source_B : target_B;
      for (std::size_t b = 0; b < readers[r].blocks.size(); ++b) {
        const ReadBlock& block = readers[r].blocks[b];
        const Tensor x_BTI = blockValues(block, published, lengths_B);
        measured.figures[r][b].input += squares(x_BTI);
        const Tensor read_BTO = cut(readOf(readers[r], block, x_BTI), lengths_B);
        const Tensor squares_B =
            read_BTO.to(torch::kFloat64).square().flatten(1).sum(1).to(torch::kCPU);
        for (std::size_t row = 0; row < batch.pairs.size(); ++row)
          measured.squares[r][b][batch.pairs[row]] =
              squares_B[static_cast<std::int64_t>(row)].item<double>();
      }
    }
  });
  for (std::size_t r = 0; r < readers.size(); ++r) {
    const auto positions = static_cast<double>(
        readers[r].side == "encoder" ? measured.sourcePositions : measured.targetPositions);
    for (std::size_t b = 0; b < readers[r].blocks.size(); ++b) {
      const Tensor& weight_KOI = readers[r].blocks[b].weight_KOI;
      BlockFigures& figures = measured.figures[r][b];
      figures.weight = std::sqrt(squares(weight_KOI) / static_cast<double>(weight_KOI.numel()));
      figures.input =
          std::sqrt(figures.input / (positions * static_cast<double>(weight_KOI.size(2))));
      const auto& own = measured.squares[r][b];
      figures.read = std::sqrt(std::accumulate(own.begin(), own.end(), 0.0) /
                               (positions * static_cast<double>(weight_KOI.size(1))));
    }
  }
  return measured;
}

}  // namespace strata
