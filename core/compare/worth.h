#pragma once
#include <optional>
#include <span>
#include <string_view>

#include "core/metrics/metric.h"

namespace strata {

// What a difference between two systems' scores is worth to people: the share of pairs of systems
// with this difference for which people prefer the same one, as fitted by Kocmi et al. (2024,
// "Navigating the Metrics Maze") on the human judgements of WMT: a / (1 + exp(-b d)) at d points.
struct Worth {
  std::string_view study;  // the study's name of the metric: "COMET22"
  double share = 0;        // 0 .. 1

  bool isChance() const { return share <= 0.5; }  // people do not notice the difference
};

// The metrics of the study.
std::span<const std::string_view> worthMetrics();
// The share at a difference of so many points (COMET's values times 100); its sign does not matter.
// Unknown metrics are usage errors.
Worth worthOf(std::string_view study, double points);
// Of a difference under a metric. Nothing if the study has no such metric: BLEU must be sacreBLEU's
// with its defaults and one reference, chrF cased and without words, imported scores of a named
// model; and nothing without a difference (NaN).
std::optional<Worth> worthToPeople(const Metric& metric, double difference);

}  // namespace strata
