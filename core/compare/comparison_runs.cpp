#include <algorithm>
#include <cmath>

#include "core/compare/comparison_parts.h"

namespace strata {
namespace {

// Mean and standard deviation of a group's runs.
GroupScore scoreOf(const SystemGroup& group, const MetricComparison& compared) {
  GroupScore score;
  const auto runs = static_cast<double>(group.systems.size());
  for (const std::size_t s : group.systems) score.mean += compared.systems[s].score / runs;
  if (group.systems.size() < 2) return score;
  double squares = 0;
  for (const std::size_t s : group.systems)
    squares += std::pow(compared.systems[s].score - score.mean, 2);
  score.deviation = std::sqrt(squares / (runs - 1));
  return score;
}

std::vector<ResampledScores> runsOf(const SystemGroup& group,
                                    std::span<const ResampledScores> resampled) {
  std::vector<ResampledScores> runs;
  for (const std::size_t s : group.systems) runs.push_back(resampled[s]);
  return runs;
}

// The verdict on a difference, from its corrected p-value and the metric's direction.
Direction directionOf(const GroupScore& score, const MetricComparison& compared) {
  RunsComparison judged = *score.test;
  judged.pValue = score.pHolm;
  judged.difference = compared.improves(judged.difference) ? 1 : -1;
  return judged.direction();
}

}  // namespace

std::vector<SystemGroup> groupsOf(const Comparison& comparison) {
  std::vector<SystemGroup> groups;
  bool several = false;
  for (std::size_t s = 0; s < comparison.systems.size(); ++s) {
    const ComparedSystem& system = comparison.systems[s];
    const std::string& name = system.group.empty() ? system.name : system.group;
    const auto found = std::ranges::find(groups, name, &SystemGroup::name);
    if (found == groups.end()) {
      groups.push_back({name, {s}});
    } else {
      found->systems.push_back(s);
      several = true;
    }
  }
  if (!several) groups.clear();
  return groups;
}

void addGroupScores(const MetricComparison& compared, std::span<const ResampledScores> resampled,
                    Comparison& comparison) {
  std::vector<SystemGroup>& groups = comparison.groups;
  for (SystemGroup& group : groups) group.scores.push_back(scoreOf(group, compared));
  if (groups.empty() || resampled.empty()) return;
  const auto isBaseline = [&](const SystemGroup& group) {
    return std::ranges::find(group.systems, comparison.baseline) != group.systems.end();
  };
  const auto base = std::ranges::find_if(groups, isBaseline);
  const auto baseline = runsOf(*base, resampled);
  std::vector<double> pValues;
  for (SystemGroup& group : groups) {
    if (isBaseline(group) || std::isnan(group.scores.back().mean) ||
        std::isnan(base->scores.back().mean))
      continue;
    group.scores.back().test =
        compareRuns(baseline, runsOf(group, resampled), comparison.options.bootstrap.seed);
    pValues.push_back(group.scores.back().test->pValue);
  }
  const auto corrected = holmCorrected(pValues);
  auto next = corrected.begin();
  for (SystemGroup& group : groups) {
    GroupScore& score = group.scores.back();
    if (!score.test) continue;
    score.pHolm = *next++;
    score.direction = directionOf(score, compared);
  }
}

}  // namespace strata
