#include "core/inside/effects.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/inside/readers.h"
#include "core/inside/target_attention.h"

namespace strata {
namespace {

double sumOf(const LossByClass& loss) {
  return std::accumulate(loss.begin(), loss.end(), 0.0);
}

std::int64_t countOf(const TokensByClass& tokens) {
  return std::accumulate(tokens.begin(), tokens.end(), std::int64_t{0});
}

// How often each sentence counts: 1 each, or a resample.
using Counts = std::vector<int>;

// What a unit's figures are computed from, for any counts of the sentences.
struct UnitSums {
  std::vector<double> difference;  // by sentence, nats
  const MeasuredUnit* unit = nullptr;
};

class Sample {
 public:
  Sample(const MeasuredEffects& measured, const std::vector<UnitSums>& sums, const Counts& counts)
      : sums_(sums), counts_(counts) {
    for (std::size_t s = 0; s < counts.size(); ++s)
      tokens_ += counts[s] * static_cast<double>(countOf(measured.tokens[s]));
    for (const UnitSums& each : sums) {
      const MeasuredUnit& unit = *each.unit;
      if (!unit.weight.empty() && !unit.shareOf.empty()) shares_[unit.shareOf] += rmsOf(unit);
    }
    for (const MeasuredReader& reader : measured.readers) {
      ReaderReads& reads = readers_.emplace_back();
      for (const auto& squares : reader.squares)
        reads.blocks.push_back({.read = std::sqrt(total(squares))});
    }
  }

  double effect(std::size_t unit) const {
    return tokens_ > 0 ? total(sums_[unit].difference) / tokens_ : kNoEffectValue;
  }

  double weight(std::size_t index) const {
    const MeasuredUnit& unit = *sums_[index].unit;
    if (!unit.reads.empty()) return readShare(unit);
    if (unit.weight.empty()) return kNoEffectValue;
    if (unit.shareOf.empty()) return total(unit.weight) / total(unit.positions);
    const double all = shares_.at(unit.shareOf);
    return all > 0 ? rmsOf(unit) / all : kNoEffectValue;
  }

  double contribution(std::size_t index) const {
    const MeasuredUnit& unit = *sums_[index].unit;
    if (unit.contribution.empty()) return kNoEffectValue;
    return total(unit.contribution) / total(unit.positions);
  }

 private:
  double total(const std::vector<double>& values) const {
    double sum = 0;
    for (std::size_t s = 0; s < values.size(); ++s) sum += counts_[s] * values[s];
    return sum;
  }
  double rmsOf(const MeasuredUnit& unit) const {
    return std::sqrt(total(unit.weight) / total(unit.positions));
  }
  // The mean over the readers that read anything; a reader's blocks of one unit add up.
  double readShare(const MeasuredUnit& unit) const {
    std::map<std::size_t, double> shares;
    for (const auto& [reader, block] : unit.reads) {
      const double share = readers_[reader].value(block, ReadMeasure::kShare);
      if (!std::isnan(share)) shares[reader] += share;
    }
    double sum = 0;
    for (const auto& [reader, share] : shares) sum += share;
    return shares.empty() ? kNoEffectValue : sum / static_cast<double>(shares.size());
  }

  const std::vector<UnitSums>& sums_;
  const Counts& counts_;
  std::map<std::string, double> shares_;
  std::vector<ReaderReads> readers_;
  double tokens_ = 0;
};

// The ends of the middle 95 % of values, interpolated between neighbours; NaN is left out.
std::pair<double, double> middleOf(std::vector<double> values) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  if (values.empty()) return {kNoEffectValue, kNoEffectValue};
  std::ranges::sort(values);
  const auto at = [&](double share) {
    const double place = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return std::lerp(values[below], values[above], place - static_cast<double>(below));
  };
  return {at(0.025), at(0.975)};
}

std::vector<double> ranksOf(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double shared = (static_cast<double>(begin) + static_cast<double>(end - 1)) / 2;
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = shared;
    begin = end;
  }
  return ranks;
}

bool isConstant(const std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax(values);
  return high - low <= 1e-9 * std::max(std::abs(low), std::abs(high));
}

// The units of each group, in the order of their first units.
template <typename Unit>
std::vector<std::pair<std::string, std::vector<std::size_t>>> groupsOf(
    const std::vector<Unit>& units) {
  std::vector<std::pair<std::string, std::vector<std::size_t>>> groups;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const auto found = std::ranges::find(groups, units[i].group,
                                         &std::pair<std::string, std::vector<std::size_t>>::first);
    if (found == groups.end()) {
      groups.push_back({units[i].group, {i}});
    } else {
      found->second.push_back(i);
    }
  }
  return groups;
}

// A figure of every unit in every sample; the last sample is the set itself.
using Figures = std::vector<std::vector<double>>;  // [sample][unit]
struct AllFigures {
  Figures effects, weights, contributions;
};

AllFigures figuresOf(const MeasuredEffects& measured, const EffectOptions& options) {
  std::vector<UnitSums> sums;
  const std::size_t sentences = measured.tokens.size();
  for (const MeasuredUnit& unit : measured.units) {
    UnitSums& each = sums.emplace_back(UnitSums{.difference = {}, .unit = &unit});
    for (std::size_t s = 0; s < sentences; ++s)
      each.difference.push_back(sumOf(unit.without[s]) - sumOf(measured.with[s]));
  }
  AllFigures all;
  RandomStream random(options.seed);
  for (int sample = 0; sample <= options.samples; ++sample) {
    const bool whole = sample == options.samples;
    Counts counts(sentences, whole ? 1 : 0);
    for (std::size_t s = 0; !whole && s < sentences; ++s) ++counts[random.below(sentences)];
    const Sample drawn(measured, sums, counts);
    auto& effects = all.effects.emplace_back();
    auto& weights = all.weights.emplace_back();
    auto& contributions = all.contributions.emplace_back();
    for (std::size_t unit = 0; unit < sums.size(); ++unit) {
      effects.push_back(drawn.effect(unit));
      weights.push_back(drawn.weight(unit));
      contributions.push_back(drawn.contribution(unit));
    }
  }
  return all;
}

std::vector<double> chosen(const std::vector<double>& values,
                           const std::vector<std::size_t>& units) {
  std::vector<double> some;
  for (const std::size_t unit : units) some.push_back(values[unit]);
  return some;
}

std::string whyNone(const std::vector<double>& weights, std::string_view measure) {
  if (std::ranges::any_of(weights, [](double value) { return std::isnan(value); }))
    return fmt::format("these units have no {}", measure);
  if (weights.size() < kFewestUnits)
    return fmt::format("{} units are too few for a rank correlation (at least {})", weights.size(),
                       kFewestUnits);
  return isConstant(weights) ? fmt::format("every unit has the same {}", measure) : std::string();
}

EffectCorrelation correlationOf(const Figures& effects, const Figures& weights,
                                EffectCorrelation about, const std::vector<std::size_t>& units) {
  about.units = static_cast<int>(units.size());
  about.none = whyNone(chosen(weights.back(), units), about.measure);
  if (!about.none.empty()) return about;
  about.rho = spearman(chosen(effects.back(), units), chosen(weights.back(), units));
  if (std::isnan(about.rho)) {
    about.none = "every unit has the same effect";
    return about;
  }
  std::vector<double> samples;
  for (std::size_t i = 0; i + 1 < effects.size(); ++i) {
    const auto drawn = chosen(effects[i], units);
    if (std::ranges::none_of(drawn, [](double effect) { return std::isnan(effect); }))
      samples.push_back(spearman(drawn, chosen(weights[i], units)));
  }
  std::tie(about.low, about.high) = middleOf(samples);
  return about;
}

template <typename Unit>
std::vector<EffectCorrelation> correlationsIn(const std::vector<Unit>& units,
                                              const AllFigures& figures) {
  std::vector<EffectCorrelation> found;
  for (const auto& [group, members] : groupsOf(units)) {
    found.push_back(correlationOf(figures.effects, figures.weights,
                                  {.group = group, .measure = "weight", .none = {}}, members));
    if (std::isnan(figures.contributions.back()[members.front()])) continue;  // there is none
    found.push_back(correlationOf(figures.effects, figures.contributions,
                                  {.group = group, .measure = "contribution", .none = {}},
                                  members));
  }
  return found;
}

void addLists(std::vector<UnitEffect>& effects, std::vector<std::size_t> units) {
  std::vector<double> weights;
  for (const std::size_t unit : units) weights.push_back(effects[unit].weight);
  const std::size_t third = units.size() / 3;
  if (third == 0 || std::ranges::any_of(weights, [](double w) { return std::isnan(w); }) ||
      isConstant(weights))
    return;
  std::ranges::stable_sort(units, {}, [&](std::size_t unit) { return effects[unit].weight; });
  for (std::size_t place = 0; place < units.size(); ++place) {
    UnitEffect& unit = effects[units[place]];
    if (place < third && unit.decided()) unit.list = EffectList::kEffectWithoutWeight;
    if (place >= units.size() - third && !unit.decided())
      unit.list = EffectList::kWeightWithoutEffect;
  }
}

std::vector<double> byClassOf(const MeasuredEffects& measured, const MeasuredUnit& unit) {
  std::vector<double> means;
  for (const WordClass wordClass : kWordClasses) {
    const auto at = static_cast<std::size_t>(wordClass);
    double sum = 0;
    std::int64_t tokens = 0;
    for (std::size_t s = 0; s < measured.tokens.size(); ++s) {
      sum += unit.without[s][at] - measured.with[s][at];
      tokens += measured.tokens[s][at];
    }
    means.push_back(tokens > 0 ? sum / static_cast<double>(tokens) : kNoEffectValue);
  }
  return means;
}

}  // namespace

std::string_view nameOf(EffectList list) {
  static constexpr std::array<std::string_view, 3> kNames{"", "weight without effect",
                                                          "effect without weight"};
  return kNames[static_cast<std::size_t>(list)];
}

std::vector<WordClass> classesOfTokens(const std::vector<std::string>& tokens,
                                       std::string_view language) {
  std::vector<WordClass> classes;
  const auto starts = wordStarts(tokens);
  for (std::size_t word = 0; word + 1 < starts.size(); ++word) {
    const WordClass each =
        wordClassOf(joinedPieces(tokens, starts[word], starts[word + 1]), language);
    classes.insert(classes.end(), starts[word + 1] - starts[word], each);
  }
  return classes;
}

std::string textOf(const EffectCorrelation& correlation) {
  const std::string about = correlation.measure == "weight"
                                ? correlation.group
                                : fmt::format("{}, {}", correlation.group, correlation.measure);
  if (!correlation.none.empty()) return fmt::format("{}: {}", about, correlation.none);
  const std::string interval =
      std::isnan(correlation.low)
          ? std::string()
          : fmt::format(" ({:.2f} to {:.2f})", correlation.low, correlation.high);
  return fmt::format("{}: Spearman {:.2f}{}, {} units", about, correlation.rho, interval,
                     correlation.units);
}

double spearman(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = ranksOf(a), y = ranksOf(b);
  const double middle = static_cast<double>(x.size() - 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - middle) * (y[i] - middle);
    xx += (x[i] - middle) * (x[i] - middle);
    yy += (y[i] - middle) * (y[i] - middle);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : kNoEffectValue;
}

EffectStatistics effectStatistics(const MeasuredEffects& measured, const EffectOptions& options) {
  EffectStatistics result;
  result.sentences = std::ssize(measured.tokens);
  for (std::size_t s = 0; s < measured.tokens.size(); ++s) {
    result.tokens += countOf(measured.tokens[s]);
    result.loss += sumOf(measured.with[s]);
  }
  if (result.tokens == 0) throw Error("there are no tokens to measure effects on");
  result.loss /= static_cast<double>(result.tokens);
  const AllFigures figures = figuresOf(measured, options);
  for (std::size_t i = 0; i < measured.units.size(); ++i) {
    const MeasuredUnit& unit = measured.units[i];
    std::vector<double> samples;
    for (std::size_t s = 0; s + 1 < figures.effects.size(); ++s)
      samples.push_back(figures.effects[s][i]);
    const auto [low, high] = middleOf(samples);
    result.units.push_back({.name = unit.name,
                            .intervention = unit.intervention,
                            .group = unit.group,
                            .layer = unit.layer,
                            .part = unit.part,
                            .effect = figures.effects.back()[i],
                            .low = low,
                            .high = high,
                            .byClass = byClassOf(measured, unit),
                            .weight = figures.weights.back()[i],
                            .contribution = figures.contributions.back()[i]});
  }
  result.correlations = correlationsIn(measured.units, figures);
  for (const auto& [group, units] : groupsOf(measured.units)) addLists(result.units, units);
  return result;
}

std::vector<EffectCorrelation> bleuCorrelations(const std::vector<UnitEffect>& units,
                                                const std::vector<std::vector<double>>& changes) {
  std::vector<double> weights, contributions;
  for (const UnitEffect& unit : units) {
    weights.push_back(unit.weight);
    contributions.push_back(unit.contribution);
  }
  return correlationsIn(units, {.effects = changes,
                                .weights = Figures(changes.size(), weights),
                                .contributions = Figures(changes.size(), contributions)});
}

}  // namespace strata
