#include "core/inside/effect_kinds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "core/base/error.h"

namespace strata {
namespace {

template <typename Value, std::size_t count>
Value named(const std::array<Value, count>& all, std::string_view name, std::string_view what) {
  std::vector<std::string_view> names;
  for (const Value value : all) {
    if (nameOf(value) == name) return value;
    names.push_back(nameOf(value));
  }
  throw usageError("there is no {} '{}': expected {}", what, name, fmt::join(names, ", "));
}

}  // namespace

std::string_view nameOf(EffectKind kind) {
  static constexpr std::array<std::string_view, 8> kNames{"levels", "hops",  "cells",    "blocks",
                                                          "parts",  "heads", "contexts", "gates"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view describe(EffectKind kind) {
  static constexpr std::array<std::string_view, 8> kTexts{
      "levels of a fusion (models that fuse the levels of a stack)",
      "hops of a fusion by self-attention",
      "cells, one level in one hop, of a fusion by self-attention",
      "layers' blocks that later layers read (DenseNMT) and fast-forward connections (Deep-Att)",
      "parts of the encoder that the attention of DenseNMT reads one by one (DenseAtt-2)",
      "heads of each attention (Transformer)",
      "contexts of the source and of the history, layer by layer (DHEA, Transformer)",
      "gate between source and history, to be fixed at 0, 1/2 and 1 (DHEA with gate)"};
  return kTexts[static_cast<std::size_t>(kind)];
}

EffectKind effectKindNamed(std::string_view name) {
  return named(kEffectKinds, name, "kind of units");
}

std::string_view nameOf(EffectMode mode) {
  static constexpr std::array<std::string_view, 3> kNames{"mean", "zero", "mask"};
  return kNames[static_cast<std::size_t>(mode)];
}

EffectMode effectModeNamed(std::string_view name) {
  return named(kEffectModes, name, "replacement");
}

std::string_view refusalOf(EffectKind kind, EffectMode mode) {
  if (mode != EffectMode::kMask || kind == EffectKind::kLevels || kind == EffectKind::kCells)
    return {};
  return "only levels and cells can be masked: a mask takes the softmax over the rest, and no "
         "softmax runs over other units";
}

std::string lackOf(const Json& model, EffectKind kind) {
  const auto fusion = [&](const char* side) {
    const auto found = model.find(side);
    return found == model.end() ? std::string("none") : found->value("type", "none");
  };
  const std::string encoder = fusion("encoder_fusion"), decoder = fusion("decoder_fusion");
  const bool transformer = model.contains("heads"), dense = model.contains("dense_attention"),
             dhea = model.contains("history"), deep = model.contains("fast_forward");
  if (!transformer && !dense && !dhea && !deep) return {};
  const auto unless = [&](bool has) {
    return has ? std::string() : fmt::format("This model has no {}.", describe(kind));
  };
  switch (kind) {
    case EffectKind::kLevels:
      return unless(encoder != "none" || decoder != "none");
    case EffectKind::kHops:
    case EffectKind::kCells:
      return unless(encoder == "sa" || decoder == "sa");
    case EffectKind::kBlocks: {
      const auto several = [&](const char* layers) { return model.value(layers, 1) > 1; };
      return unless(dense || (deep && model.value("fast_forward", false) &&
                              (several("encoder_layers") || several("decoder_layers"))));
    }
    case EffectKind::kParts:
      return unless(dense && model.value("dense_attention", 1) == 2);
    case EffectKind::kHeads:
      return unless(transformer);
    case EffectKind::kContexts:
      return unless(transformer || dhea);
    case EffectKind::kGates:
      return unless(dhea && model.value("history", "") == "gate");
  }
  return {};
}

bool hasEffectUnits(const Json& model) {
  return std::ranges::any_of(kEffectKinds,
                             [&](EffectKind kind) { return lackOf(model, kind).empty(); });
}

}  // namespace strata
