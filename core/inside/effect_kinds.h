// What can be taken away from a model, and what takes its place.
#pragma once
#include <array>
#include <string>
#include <string_view>

#include "core/base/json.h"

namespace strata {

// The parts of a model that can be switched off one by one.
enum class EffectKind { kLevels, kHops, kCells, kBlocks, kParts, kHeads, kContexts, kGates };
inline constexpr std::array kEffectKinds{
    EffectKind::kLevels, EffectKind::kHops,  EffectKind::kCells,    EffectKind::kBlocks,
    EffectKind::kParts,  EffectKind::kHeads, EffectKind::kContexts, EffectKind::kGates};
std::string_view nameOf(EffectKind kind);  // "levels", "hops", ...
// What the kind is, and which models have it.
std::string_view describe(EffectKind kind);
EffectKind effectKindNamed(std::string_view name);  // a usage error lists the names

// What stands in the place of a unit: its mean over the validation set, zero, or the softmax over
// the rest.
enum class EffectMode { kMean, kZero, kMask };
inline constexpr std::array kEffectModes{EffectMode::kMean, EffectMode::kZero, EffectMode::kMask};
std::string_view nameOf(EffectMode mode);  // "mean", ...
EffectMode effectModeNamed(std::string_view name);
// Why the units of a kind cannot be replaced in a mode; empty: they can.
std::string_view refusalOf(EffectKind kind, EffectMode mode);

// Why a model of this configuration has no units of a kind, by the keys that describe its parts;
// empty: it has some, or the keys do not tell.
std::string lackOf(const Json& model, EffectKind kind);
bool hasEffectUnits(const Json& model);  // of some kind, or the keys do not tell

}  // namespace strata
