// How much a model loses without a part of it, next to how much weight it gives the part: weights
// are not importance.
#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/inside/effect_kinds.h"
#include "core/inside/word_class.h"

namespace strata {

// The class of the full word that each token is a piece of; </s> has kEnd.
std::vector<WordClass> classesOfTokens(const std::vector<std::string>& tokens,
                                       std::string_view language);

inline constexpr std::size_t kTokenClasses = 6;  // those of WordClass, kEnd included
// Of one sentence, by class of the token generated.
using TokensByClass = std::array<std::int64_t, kTokenClasses>;
using LossByClass = std::array<double, kTokenClasses>;  // -log p summed, nats

// A layer that reads several blocks side by side, W [x_1; x_2; ..] (inside.md 5): of each block the
// sum of (W_b x_b)^2 over a sentence's positions and all features, by sentence.
struct MeasuredReader {
  std::vector<std::vector<double>> squares = {};
};
struct BlockOfReader {
  std::size_t reader = 0, block = 0;
};

// One unit as measured, by sentence.
struct MeasuredUnit {
  std::string name = {},
              intervention = {};      // "level 3", "decoder.fusion.read_levels[level=3]=mean"
  std::string group = {};             // units whose weights can be compared: "decoder"
  std::string layer = {}, part = {};  // its place in the picture: x axis and series
  std::vector<LossByClass> without = {};
  // Sums over the sentence's positions, and their number; empty: there is no such weight.
  std::vector<double> weight = {}, contribution = {}, positions = {};
  // The weight is a root mean square (`weight` sums squares), as a share of the sum over the units
  // with this name; empty: a mean.
  std::string shareOf = {};
  // The blocks that the unit is, reader by reader: its weight is the mean over these readers of
  // the share that they read of it. Empty: the weight is as above.
  std::vector<BlockOfReader> reads = {};
};

struct MeasuredEffects {
  std::vector<TokensByClass> tokens = {};
  std::vector<LossByClass> with = {};  // of the model as it is
  std::vector<MeasuredReader> readers = {};
  std::vector<MeasuredUnit> units = {};
};

inline constexpr double kNoEffectValue = std::numeric_limits<double>::quiet_NaN();
// Effects this small, in nats, are the rounding of float32.
inline constexpr double kEffectRounding = 1e-6;

enum class EffectList { kNone, kWeightWithoutEffect, kEffectWithoutWeight };
std::string_view nameOf(EffectList list);  // "weight without effect", ...; empty: none

// BLEU of translations without a unit minus that with it: below 0, it mattered. NaN: not measured.
struct BleuChange {
  double change = kNoEffectValue, low = kNoEffectValue, high = kNoEffectValue;  // 95 % interval
};

// Validation -log p per token without the unit minus with it, in nats: above 0, it mattered.
struct UnitEffect {
  std::string name = {}, intervention = {}, group = {}, layer = {}, part = {};
  double effect = 0, low = 0, high = 0;  // with the 95 % interval of a paired bootstrap
  std::vector<double> byClass = {};      // as kWordClasses; NaN: no such word
  double weight = kNoEffectValue, contribution = kNoEffectValue;  // NaN: it has none
  BleuChange bleu = {};
  EffectList list = EffectList::kNone;

  bool decided() const { return low > kEffectRounding || high < -kEffectRounding; }
};

// Spearman's rank correlation of effect and weight over the units of a group.
struct EffectCorrelation {
  std::string group = {}, measure = {};  // "weight" or "contribution"
  int units = 0;
  double rho = kNoEffectValue, low = kNoEffectValue, high = kNoEffectValue;  // 95 % interval
  std::string none = {};  // why there is no correlation; empty: there is one
};
// "encoder: Spearman 0.43 (-0.12 to 0.81), 7 units", or why there is none. An interval that is not
// known is left out.
std::string textOf(const EffectCorrelation& correlation);

// BLEU of the model as it is, and how its changes go with the weights (effect_bleu.h).
struct EffectBleu {
  double score = 0;
  int beam = 1;  // of the search that translates
  std::string signature = {};
  std::vector<EffectCorrelation> correlations = {};  // of the change: below 0, weights matter
};

struct EffectOptions {
  int samples = 1000;  // resamples of the sentences
  std::uint64_t seed = 12345;
};

struct EffectStatistics {
  std::int64_t sentences = 0, tokens = 0;
  double loss = 0;                      // nats per token, of the model as it is
  std::optional<EffectBleu> bleu = {};  // none: it is not measured, nor are its changes
  std::vector<UnitEffect> units = {};
  std::vector<EffectCorrelation> correlations = {};
};

inline constexpr std::size_t kFewestUnits = 6;  // for a correlation

// Effects, intervals and correlations. A unit is in "weight without effect" if its weight is in the
// top third of its group and its interval holds 0, in "effect without weight" if its weight is in
// the bottom third and its interval excludes 0.
EffectStatistics effectStatistics(const MeasuredEffects& measured,
                                  const EffectOptions& options = {});

// The correlations of the units' change of BLEU with their weights over all sentences. `changes`:
// by resample and unit, that of all sentences last; only the last: they get no interval.
std::vector<EffectCorrelation> bleuCorrelations(const std::vector<UnitEffect>& units,
                                                const std::vector<std::vector<double>>& changes);

// Spearman's rho, equal values having the mean of their ranks; NaN if either is constant.
double spearman(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace strata
