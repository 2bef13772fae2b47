#include "core/decode/lens.h"

#include <algorithm>

namespace strata {
namespace {

using torch::Tensor;

constexpr std::int64_t kLensChunk = 512;  // positions whose scores are in memory at once

const std::vector<std::vector<TokenId>>& sentencesOf(const ScoredPairs& pairs,
                                                     const std::string& side) {
  return side == "encoder" ? pairs.sources : pairs.targets;
}

// The places of the true positions in [B x T].
Tensor placesOf(const RecordedBatch& batch, const std::string& side, std::int64_t columns) {
  std::vector<std::int64_t> places;
  for (std::size_t row = 0; row < batch.pairs.size(); ++row) {
    const std::int64_t length = std::ssize(sentencesOf(batch.all, side)[batch.pairs[row]]);
    for (std::int64_t t = 0; t < length; ++t)
      places.push_back(static_cast<std::int64_t>(row) * columns + t);
  }
  return torch::tensor(places, torch::kInt64);
}

Tensor rowsAt(const Tensor& values_BTD, const Tensor& places_N) {
  return values_BTD.flatten(0, 1).index_select(0, places_N.to(values_BTD.device()));
}

// Of all positions of a batch, in their order.
struct LensColumn {
  Tensor rank_N, logProbability_N, divergence_N, top_N;
};

LensColumn columnOf(const Tensor& own_NV, const Tensor& level_NV, const Tensor& reference_N1) {
  const Tensor score_N1 = level_NV.gather(1, reference_N1);
  return {(level_NV > score_N1).sum(1) + 1, score_N1.squeeze(1).to(torch::kFloat64),
          (own_NV.exp() * (own_NV - level_NV)).sum(1, false, torch::kFloat64).clamp_min(0),
          level_NV.argmax(1)};
}

LensColumn joined(const std::vector<LensColumn>& parts) {
  const auto all = [&](Tensor LensColumn::*figure) {
    std::vector<Tensor> tensors;
    for (const LensColumn& part : parts) tensors.push_back((part.*figure).to(torch::kCPU));
    return torch::cat(tensors).contiguous();
  };
  return {all(&LensColumn::rank_N), all(&LensColumn::logProbability_N),
          all(&LensColumn::divergence_N), all(&LensColumn::top_N)};
}

// Cuts a column into the sentences of the batch.
void addRows(const LensColumn& column, const RecordedBatch& batch,
             std::vector<std::vector<LensRow>>& rows) {
  const auto* rank = column.rank_N.data_ptr<std::int64_t>();
  const auto* top = column.top_N.data_ptr<std::int64_t>();
  const auto* score = column.logProbability_N.data_ptr<double>();
  const auto* divergence = column.divergence_N.data_ptr<double>();
  for (std::size_t row = 0; row < batch.pairs.size(); ++row) {
    const auto length = std::ssize(batch.all.targets[batch.pairs[row]]);
    LensRow& made = rows[row].emplace_back();
    made.rank.assign(rank, rank + length);
    made.logProbability.assign(score, score + length);
    made.divergence.assign(divergence, divergence + length);
    for (std::int64_t t = 0; t < length; ++t) made.top.push_back(static_cast<TokenId>(top[t]));
    rank += length, top += length, score += length, divergence += length;
  }
}

TranslationModel::DecoderLevels decoderLevels(const RecordedBatch& batch,
                                              const std::map<std::string, Tensor>& means) {
  TranslationModel::DecoderLevels levels;
  for (const RecordedTensor* each : levelsOf(batch, "decoder")) {
    levels.values_BTD.push_back(each->values);
    levels.means_D.push_back(means.at(each->info.name));
  }
  return levels;
}

}  // namespace

std::vector<const RecordedTensor*> levelsOf(const RecordedBatch& batch, const std::string& side) {
  std::vector<const RecordedTensor*> levels;
  for (const RecordedTensor& each : batch.tensors) {
    if (each.info.kind == "level" && each.info.side == side) levels.push_back(&each);
  }
  return levels;
}

std::vector<Tensor> atPositions(const RecordedBatch& batch, const std::string& side) {
  std::vector<Tensor> levels_ND;
  Tensor places_N;
  for (const RecordedTensor* each : levelsOf(batch, side)) {
    if (!places_N.defined()) places_N = placesOf(batch, side, each->values.size(1));
    levels_ND.push_back(rowsAt(each->values, places_N));
  }
  return levels_ND;
}

std::vector<std::vector<LensRow>> lensOf(TranslationModel& model, const RecordedBatch& batch,
                                         const std::map<std::string, Tensor>& means) {
  const torch::NoGradGuard frozen;
  std::vector<std::vector<LensRow>> rows(batch.pairs.size());
  const auto levels = decoderLevels(batch, means);
  const Tensor places_N = placesOf(batch, "decoder", batch.features_BTD.size(1));
  std::vector<Tensor> read_ND;
  for (std::size_t l = 0; l < levels.values_BTD.size(); ++l) {
    const Tensor read_BTD = model.outputOf(levels, l);
    read_ND.push_back(read_BTD.defined() ? rowsAt(read_BTD, places_N) : Tensor{});
  }
  std::vector<std::int64_t> references;
  for (const std::size_t pair : batch.pairs) {
    for (const TokenId id : batch.all.targets[pair]) references.push_back(id);
  }
  const Tensor reference_N1 =
      torch::tensor(references, torch::kInt64).unsqueeze(1).to(batch.features_BTD.device());
  const Tensor features_ND = rowsAt(batch.features_BTD, places_N);
  std::vector<std::vector<LensColumn>> parts(read_ND.size());
  for (std::int64_t begin = 0; begin < features_ND.size(0); begin += kLensChunk) {
    const std::int64_t count = std::min(kLensChunk, features_ND.size(0) - begin);
    const auto scores = [&](const Tensor& read) {
      return model.logProbabilities(read.narrow(0, begin, count));
    };
    const Tensor own_NV = scores(features_ND);
    for (std::size_t l = 0; l < read_ND.size(); ++l) {
      if (!read_ND[l].defined()) continue;
      parts[l].push_back(
          columnOf(own_NV, scores(read_ND[l]), reference_N1.narrow(0, begin, count)));
    }
  }
  for (const auto& column : parts) {
    if (!column.empty()) {
      addRows(joined(column), batch, rows);
    } else {
      for (auto& row : rows) row.emplace_back();
    }
  }
  return rows;
}

}  // namespace strata
