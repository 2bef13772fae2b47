#include "app/engine/effect_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/inside/hop_weights.h"
#include "core/nn/readers.h"

namespace strata {
namespace {

using torch::Tensor;
using Weigh = EffectUnit::Weigh;

// The internals of one forward pass, by name.
class Internals {
 public:
  Internals(TranslationModel& model, ScoredPairs pairs) {
    pairs.sources.resize(1);
    pairs.targets.resize(1);
    recordPairs(model, pairs, {"*"}, {}, [this](const RecordedBatch& batch) {
      for (const RecordedTensor& each : batch.tensors) {
        if (!find(each.info.name)) all_.push_back(each);
      }
    });
  }

  const std::vector<RecordedTensor>& all() const { return all_; }
  const RecordedTensor* find(const std::string& name) const {
    const auto found = std::ranges::find(
        all_, name,
        [](const RecordedTensor& each) -> const std::string& { return each.info.name; });
    return found == all_.end() ? nullptr : &*found;
  }
  // The tensor's size along an axis.
  static std::int64_t sizeOf(const RecordedTensor& tensor, const std::string& axis) {
    const auto at = std::ranges::find(tensor.info.axes, axis) - tensor.info.axes.begin();
    return tensor.values.size(at + 1);
  }

 private:
  std::vector<RecordedTensor> all_;
};

// What is built: the units, for internals of one model in one mode.
struct Building {
  TranslationModel& model;
  const Internals& internals;
  EffectMode mode;
  EffectUnits made = {};

  std::string with(const std::string& what) const {
    return fmt::format("{}={}", what, nameOf(mode));
  }
};

std::string layerName(int layer) {
  return fmt::format("layer {}", layer + 1);
}

std::vector<std::string> levelNamesOf(const RecordedTensor& levels) {
  return levelNames(static_cast<int>(Internals::sizeOf(levels, "level")), levels.info.firstLevel);
}

// Weights of a softmax for each dimension are published as their mean, which a mask would keep.
void requireMaskable(const Building& building, const std::string& side) {
  const Json& config = building.model.config();
  const auto fusion = config.find(side + "_fusion");
  if (building.mode != EffectMode::kMask || fusion == config.end()) return;
  if (fusion->value("feature_wise", false))
    throw usageError(
        "the {}'s fusion has a softmax for each feature, which a mask cannot replace: use mean or "
        "zero",
        side);
}

// The levels as a fusion reads them: with its weights kept, if it has any.
void addLevels(Building& building, const std::string& side, bool cells) {
  const std::string fusion = side + ".fusion.";
  const RecordedTensor* levels = building.internals.find(fusion + "levels");
  const RecordedTensor* read = building.internals.find(fusion + "read_levels");
  if (levels == nullptr || (cells && read == nullptr)) return;
  const bool masks = building.mode == EffectMode::kMask;
  if (masks && read == nullptr) return;
  requireMaskable(building, side);
  const std::string replaced = masks             ? fusion + "hop_weights"
                               : read != nullptr ? fusion + "read_levels"
                                                 : fusion + "levels";
  const auto names = levelNamesOf(*levels);
  const std::int64_t hops = cells ? Internals::sizeOf(*read, "hop") : 1;
  for (std::int64_t hop = 0; hop < hops; ++hop) {
    const std::string of = fmt::format("hop {}", hop + 1);
    for (std::size_t level = 0; level < names.size(); ++level) {
      const std::string place =
          cells ? fmt::format("hop={},level={}", hop, level) : fmt::format("level={}", level);
      EffectUnit& unit = building.made.units.emplace_back();
      unit.name = cells ? fmt::format("{}, {}", of, names[level]) : names[level];
      unit.intervention = building.with(fmt::format("{}[{}]", replaced, place));
      unit.group = side;
      unit.layer = names[level];
      unit.part = cells ? of : side;
      if (read == nullptr) continue;
      unit.weigh = Weigh::kMap;
      unit.recording = fusion;
      unit.hop = cells ? hop : -1;
      unit.index = static_cast<std::int64_t>(level);
    }
  }
  if (read == nullptr) return;
  building.made.weight =
      cells ? "mean weight a of the level in the hop" : "mean weight a of the level, over hops";
  building.made.contribution = "a times the norm of the level, as a share";
}

void addHops(Building& building, const std::string& side) {
  const RecordedTensor* hops = building.internals.find(side + ".fusion.hops");
  if (hops == nullptr) return;
  for (std::int64_t hop = 0; hop < Internals::sizeOf(*hops, "hop"); ++hop) {
    const std::string name = fmt::format("hop {}", hop + 1);
    building.made.units.push_back(
        {.name = name,
         .intervention = building.with(fmt::format("{}[hop={}]", hops->info.name, hop)),
         .group = side,
         .layer = name,
         .part = side,
         .weigh = Weigh::kRms,
         .recording = hops->info.name,
         .index = hop,
         .projection = side + ".fusion.fc1.weight"});
  }
  building.made.weight = "RMS of what the network makes of the hop, as a share";
}

void addBlocks(Building& building) {
  std::set<std::string> read;  // by a layer whose other blocks it can be compared with
  for (const Reader& reader : readersOf(building.model)) {
    for (const ReadBlock& block : reader.blocks) read.insert({block.internal, block.connection});
  }
  for (const RecordedTensor& each : building.internals.all()) {
    const std::string& name = each.info.name;
    if (!name.ends_with(".block") && !name.ends_with(".fast_forward")) continue;
    constexpr std::string_view kColumns = "encoder.columns.";
    const std::string column =
        name.starts_with(kColumns)
            ? fmt::format("column {}", std::stoi(name.substr(kColumns.size())) + 1)
            : std::string();
    const std::string layer = layerName(each.info.layer);
    building.made.units.push_back(
        {.name = column.empty() ? layer : fmt::format("{}, {}", column, layer),
         .intervention = building.with(name),
         .group = each.info.side,
         .layer = layer,
         .part = column.empty() ? each.info.side : fmt::format("{} {}", each.info.side, column),
         .weigh = read.contains(name) ? Weigh::kReaders : Weigh::kNothing,
         .recording = name});
    if (read.contains(name)) building.made.weight = "mean read share of the layers that read it";
  }
}

void addParts(Building& building) {
  std::int64_t parts = 0;
  while (building.internals.find(fmt::format("encoder.values.{}", parts)) != nullptr) ++parts;
  if (parts < 2) return;  // one attention over everything
  for (std::int64_t part = 0; part < parts; ++part) {
    const std::string values = fmt::format("encoder.values.{}", part);
    const std::string name = part == 0           ? "part 1 (newest layer)"
                             : part + 1 == parts ? fmt::format("part {} (oldest)", part + 1)
                                                 : fmt::format("part {}", part + 1);
    building.made.units.push_back({.name = name,
                                   .intervention = building.with(values),
                                   .group = "encoder",
                                   .layer = fmt::format("part {}", part + 1),
                                   .part = "encoder",
                                   .weigh = Weigh::kDensePart,
                                   .recording = values,
                                   .index = part});
  }
  building.made.weight = "RMS of what the decoder's layers read of the part, as a share";
}

constexpr std::string_view kHeads = ".heads";

std::string attentionName(const RecordingInfo& heads) {
  if (heads.side == "encoder") return "encoder self-attention";
  return heads.name.find("encoder_attn") != std::string::npos ? "encoder-decoder attention"
                                                              : "decoder self-attention";
}

void addHeads(Building& building) {
  for (const RecordedTensor& each : building.internals.all()) {
    const RecordingInfo& info = each.info;
    if (!info.name.ends_with(kHeads)) continue;
    const std::string map = info.name.substr(0, info.name.size() - kHeads.size());
    for (std::int64_t head = 0; head < Internals::sizeOf(each, "head"); ++head) {
      const std::string part = fmt::format("head {}", head + 1);
      building.made.units.push_back(
          {.name = fmt::format("{}, {}", layerName(info.layer), part),
           .intervention = building.with(fmt::format("{}[head={}]", info.name, head)),
           .group = attentionName(info),
           .layer = layerName(info.layer),
           .part = part,
           .weigh = Weigh::kRms,
           .recording = info.name,
           .index = head,
           .projection = map + ".out_proj.weight"});
    }
  }
  building.made.weight = "RMS of the head's projected output, as a share of its layer";
}

void addContexts(Building& building) {
  for (const RecordedTensor& each : building.internals.all()) {
    const RecordingInfo& info = each.info;
    const bool heads = info.name.ends_with(kHeads);
    if (info.side != "decoder" || (!heads && !info.name.ends_with("_context"))) continue;
    const bool source = info.name.ends_with("source_context") ||
                        info.name.find("encoder_attn") != std::string::npos;
    const std::string part = source ? "source" : "history";
    const std::string norms = fmt::format("decoder.layers.{}.context_norms", info.layer);
    const bool weighs = building.internals.find(norms) != nullptr;
    building.made.units.push_back({.name = fmt::format("{}, {}", layerName(info.layer), part),
                                   .intervention = building.with(info.name),
                                   .group = "contexts",
                                   .layer = layerName(info.layer),
                                   .part = part,
                                   .weigh = weighs ? Weigh::kContext : Weigh::kNothing,
                                   .recording = norms,
                                   .index = source ? 0 : 1});
    if (weighs) building.made.weight = "share of the context's norm";
  }
}

void addGates(Building& building) {
  constexpr std::array<std::pair<const char*, const char*>, 3> kValues{
      {{"0", "0 (all history)"}, {"0.5", "1/2"}, {"1", "1 (all source)"}}};
  for (const RecordedTensor& each : building.internals.all()) {
    if (each.info.kind != "gate") continue;
    for (const auto& [value, text] : kValues) {
      building.made.units.push_back(
          {.name = fmt::format("{}, gate {}", layerName(each.info.layer), text),
           .intervention = fmt::format("{}={}", each.info.name, value),
           .group = "gates",
           .layer = layerName(each.info.layer),
           .part = fmt::format("gate {}", text)});
    }
  }
}

EffectUnits unitsOf(Building building, EffectKind kind) {
  switch (kind) {
    case EffectKind::kLevels:
    case EffectKind::kCells:
      for (const char* side : {"encoder", "decoder"})
        addLevels(building, side, kind == EffectKind::kCells);
      break;
    case EffectKind::kHops:
      for (const char* side : {"encoder", "decoder"}) addHops(building, side);
      break;
    case EffectKind::kBlocks:
      addBlocks(building);
      break;
    case EffectKind::kParts:
      addParts(building);
      break;
    case EffectKind::kHeads:
      addHeads(building);
      break;
    case EffectKind::kContexts:
      addContexts(building);
      break;
    case EffectKind::kGates:
      addGates(building);
      break;
  }
  return std::move(building.made);
}

}  // namespace

EffectUnits effectUnits(TranslationModel& model, const ScoredPairs& pairs, EffectKind kind,
                        EffectMode mode) {
  if (const auto refusal = refusalOf(kind, mode); !refusal.empty()) throw usageError("{}", refusal);
  const Internals internals(model, pairs);
  return unitsOf({model, internals, mode}, kind);
}

std::vector<EffectKind> offeredKinds(TranslationModel& model, const ScoredPairs& pairs) {
  const Internals internals(model, pairs);
  std::vector<EffectKind> offered;
  for (const EffectKind kind : kEffectKinds) {
    if (!unitsOf({model, internals, EffectMode::kMean}, kind).units.empty())
      offered.push_back(kind);
  }
  return offered;
}

}  // namespace strata
