#include "app/engine/effect_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/decode/reader_figures.h"

namespace strata {
namespace {

using torch::Tensor;
using Weigh = EffectUnit::Weigh;

// Sums over one sentence's positions.
struct Sums {
  double weight = 0, contribution = 0, positions = 0;
};

// Computes weights from the internals of one batch.
class Weigher {
 public:
  Weigher(TranslationModel& model, const RecordedBatch& batch) : batch_(batch) {
    for (const auto& [name, parameter] : namedParametersOf(model)) parameters_[name] = parameter;
    for (const RecordedTensor& each : batch.tensors)
      tensors_[each.info.name] = each.values.to(torch::kCPU, torch::kFloat64);
  }

  // One per row of the batch.
  std::vector<Sums> of(const EffectUnit& unit) {
    switch (unit.weigh) {
      case Weigh::kMap:
        return ofMap(unit);
      case Weigh::kRms:
        return ofProjection(unit);
      case Weigh::kDensePart:
        return ofDensePart(unit);
      case Weigh::kContext:
        return ofContext(unit);
      default:
        return {};
    }
  }

 private:
  std::int64_t length(const std::string& side, std::size_t row) const {
    const auto& sentences = side == "encoder" ? batch_.all.sources : batch_.all.targets;
    return std::ssize(sentences[batch_.pairs[row]]);
  }

  Tensor parameter(const std::string& name) const {
    return parameters_.at(name).to(torch::kCPU, torch::kFloat64);
  }

  // Sums of a figure per position [B, T] over each row's true positions.
  std::vector<Sums> summed(const Tensor& weight_BT, const Tensor& contribution_BT,
                           const std::string& side) const {
    std::vector<Sums> sums;
    for (std::size_t row = 0; row < batch_.pairs.size(); ++row) {
      const std::int64_t count = length(side, row);
      const auto at = static_cast<std::int64_t>(row);
      const auto total = [&](const Tensor& values) {
        return values.defined() ? values[at].narrow(0, 0, count).sum().item<double>() : 0.0;
      };
      sums.push_back({total(weight_BT), total(contribution_BT), static_cast<double>(count)});
    }
    return sums;
  }

  std::vector<Sums> ofMap(const EffectUnit& unit) {
    const Tensor& a_BTPN = tensors_.at(unit.recording + "hop_weights");
    const Tensor scaled_BTPN = a_BTPN * tensors_.at(unit.recording + "level_norms").unsqueeze(-2);
    const Tensor c_BTPN = scaled_BTPN / scaled_BTPN.sum(-1, true).clamp_min(1e-30);
    const auto one = [&](const Tensor& map_BTPN) {
      const Tensor level_BTP = map_BTPN.select(-1, unit.index);
      return unit.hop < 0 ? level_BTP.mean(-1) : level_BTP.select(-1, unit.hop);
    };
    return summed(one(a_BTPN), one(c_BTPN), unit.group);
  }

  std::vector<Sums> ofProjection(const EffectUnit& unit) {
    const Tensor& parts = tensors_.at(unit.recording);  // [B, T, parts, width]
    const std::int64_t width = parts.size(-1);
    const Tensor columns = parameter(unit.projection).narrow(1, unit.index * width, width);
    const Tensor out = torch::matmul(parts.select(-2, unit.index), columns.t());
    return summed(out.square().mean(-1), {}, sideOf(unit.recording));
  }

  std::vector<Sums> ofDensePart(const EffectUnit& unit) {
    const Tensor& values_BSE = tensors_.at(unit.recording);
    std::vector<Sums> sums;
    for (int layer = 0;; ++layer) {
      const auto map = tensors_.find(fmt::format("decoder.layers.{}.attn.{}", layer, unit.index));
      if (map == tensors_.end()) return sums;
      const std::string out = fmt::format("decoder.layers.{}.attn.out_proj.", layer);
      const Tensor direction = parameter(out + "weight_v");
      const Tensor weight = direction * (parameter(out + "weight_g") / direction.norm(2, 1, true));
      const Tensor read = torch::matmul(torch::matmul(map->second, values_BSE), weight.t());
      auto each = summed(read.square().mean(-1), {}, "decoder");
      // An attention is multiplied by the root of the source's length.
      for (std::size_t row = 0; row < each.size(); ++row)
        each[row].weight *= static_cast<double>(length("encoder", row));
      if (sums.empty()) {
        sums = each;
        continue;
      }
      for (std::size_t row = 0; row < sums.size(); ++row) {
        sums[row].weight += each[row].weight;
        sums[row].positions += each[row].positions;
      }
    }
  }

  std::vector<Sums> ofContext(const EffectUnit& unit) {
    const Tensor& norms_BT2 = tensors_.at(unit.recording);
    const Tensor share_BT2 = norms_BT2 / norms_BT2.sum(-1, true).clamp_min(1e-30);
    return summed(share_BT2.select(-1, unit.index), {}, "decoder");
  }

  static std::string sideOf(const std::string& name) { return name.substr(0, name.find('.')); }

  const RecordedBatch& batch_;
  std::map<std::string, Tensor> parameters_, tensors_;
};

// The internals that the units' weights are computed from.
std::vector<std::string> recordedFor(const std::vector<EffectUnit>& units) {
  std::set<std::string> names;
  for (const EffectUnit& unit : units) {
    if (unit.weigh == Weigh::kNothing) continue;
    if (unit.weigh == Weigh::kMap) {
      names.insert({unit.recording + "hop_weights", unit.recording + "level_norms"});
    } else {
      names.insert(unit.recording);
    }
    if (unit.weigh == Weigh::kDensePart) names.insert("decoder.layers.*");
  }
  return {names.begin(), names.end()};
}

// What each layer reads of all its blocks, and which of these a unit is.
void addReads(TranslationModel& model, const ScoredPairs& pairs,
              const std::vector<EffectUnit>& units, const ScoreOptions& options,
              MeasuredEffects& measured) {
  const std::vector<Reader> readers = readersOf(model);
  MeasuredReaders found = measureReaders(model, readers, pairs, options);
  for (std::size_t r = 0; r < readers.size(); ++r) {
    measured.readers.push_back({std::move(found.squares[r])});
    for (std::size_t b = 0; b < readers[r].blocks.size(); ++b) {
      const ReadBlock& block = readers[r].blocks[b];
      for (std::size_t i = 0; i < units.size(); ++i) {
        if (block.internal == units[i].recording || block.connection == units[i].recording)
          measured.units[i].reads.push_back({r, b});
      }
    }
  }
}

}  // namespace

void addWeights(TranslationModel& model, const ScoredPairs& pairs,
                const std::vector<EffectUnit>& units, const ScoreOptions& options,
                MeasuredEffects& measured) {
  if (std::ranges::find(units, Weigh::kReaders, &EffectUnit::weigh) != units.end())
    return addReads(model, pairs, units, options, measured);
  const auto names = recordedFor(units);
  if (names.empty()) return;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (units[i].weigh == Weigh::kNothing) continue;
    measured.units[i].weight.assign(pairs.targets.size(), 0);
    measured.units[i].positions = measured.units[i].weight;
    if (units[i].weigh == Weigh::kMap) measured.units[i].contribution = measured.units[i].weight;
    if (units[i].weigh == Weigh::kRms) measured.units[i].shareOf = units[i].recording;
    if (units[i].weigh == Weigh::kDensePart) measured.units[i].shareOf = "parts";
  }
  recordPairs(model, pairs, names, options, [&](const RecordedBatch& batch) {
    Weigher weigher(model, batch);
    for (std::size_t i = 0; i < units.size(); ++i) {
      const std::vector<Sums> sums = weigher.of(units[i]);
      for (std::size_t row = 0; row < sums.size(); ++row) {
        const std::size_t pair = batch.pairs[row];
        measured.units[i].weight[pair] = sums[row].weight;
        measured.units[i].positions[pair] = sums[row].positions;
        if (!measured.units[i].contribution.empty())
          measured.units[i].contribution[pair] = sums[row].contribution;
      }
    }
  });
}

}  // namespace strata
