#include "core/sweeps/run_groups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <regex>

namespace strata {
namespace {

constexpr NumberStyle kGroupScore{.digits = 4, .missing = kNoValue};

std::string statusesOf(const RunGroup& group) {
  std::map<std::string_view, int> counts;
  for (const RunSummary& run : group.runs) ++counts[nameOf(run.status)];
  std::vector<std::string> parts;
  for (const auto& [status, count] : counts) parts.push_back(fmt::format("{} {}", count, status));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string seedsOf(const RunGroup& group) {
  std::vector<std::int64_t> seeds;
  for (const RunSummary& run : group.runs) seeds.push_back(run.seed);
  std::ranges::sort(seeds);
  return fmt::format("{}", fmt::join(seeds, " "));
}

SeedMean meanOf(const RunGroup& group, double RunSummary::*value) {
  std::vector<double> values;
  for (const RunSummary& run : group.runs) values.push_back(run.*value);
  return seedMean(values);
}

// Of a speed or a time that is not known yet, 0 is stored.
std::optional<double> meanOfKnown(const RunGroup& group, double RunSummary::*value) {
  std::vector<double> values;
  for (const RunSummary& run : group.runs) {
    if (run.*value > 0) values.push_back(run.*value);
  }
  return seedMean(values).mean;
}

// Two configurations of one name are called by their first runs.
void nameGroups(std::vector<RunGroup>& groups) {
  std::map<std::string, int> uses;
  const auto shortName = [](const RunGroup& group) {
    const std::string& first = group.runs.front().name;
    return group.runs.size() > 1 ? nameWithoutSeed(first) : first;
  };
  for (const RunGroup& group : groups) ++uses[shortName(group)];
  for (RunGroup& group : groups) {
    const std::string name = shortName(group);
    group.name = uses[name] == 1 ? name : group.runs.front().name;
  }
}

Json toJson(const SeedMean& mean) {
  return {{"count", mean.count},
          {"mean", orNull(mean.mean)},
          {"std", orNull(mean.deviation)},
          {"low", orNull(mean.low)},
          {"high", orNull(mean.high)}};
}

}  // namespace

std::string nameWithoutSeed(const std::string& name) {
  static const std::regex seed("[-_ .#]+(s|seed)?[-_ ]*[0-9]+$");
  const std::string rest = std::regex_replace(name, seed, "");
  return rest.empty() ? name : rest;
}

std::string groupKeyOf(const RunSummary& run) {
  if (!run.group.empty()) return run.group;
  return run.preset + '\n' + run.dataset + '\n' + nameWithoutSeed(run.name);
}

std::vector<RunGroup> runGroups(const std::vector<RunSummary>& runs) {
  std::vector<RunGroup> groups;
  std::map<std::string, std::size_t> places;
  for (const RunSummary& run : runs) {
    const auto [at, isNew] = places.try_emplace(groupKeyOf(run), groups.size());
    if (isNew) groups.emplace_back();
    groups[at->second].runs.push_back(run);
  }
  nameGroups(groups);
  for (RunGroup& group : groups) {
    group.best = meanOf(group, &RunSummary::best);
    group.last = meanOf(group, &RunSummary::last);
  }
  return groups;
}

Table shownTable(const std::vector<RunGroup>& groups) {
  Table shown;
  for (const RunGroup& group : groups) {
    const RunSummary& first = group.runs.front();
    shown.beginRow("configuration", group.name);
    shown.addNumber("runs", Cell::count(group.runs.size()));
    shown.addText("status", statusesOf(group));
    shown.addText("seeds", seedsOf(group));
    shown.addText("preset", first.preset);
    shown.addText("dataset", first.dataset);
    shown.addText("metric", first.metric);
    shown.addNumber("best", Cell::number(group.best.mean, kGroupScore));
    shown.addNumber("std", Cell::number(group.best.deviation, kGroupScore));
    shown.addNumber("low", Cell::number(group.best.low, kGroupScore));
    shown.addNumber("high", Cell::number(group.best.high, kGroupScore));
    shown.addNumber("last", Cell::number(group.last.mean, kGroupScore));
    shown.addNumber("std of last", Cell::number(group.last.deviation, kGroupScore));
    const auto speed = meanOfKnown(group, &RunSummary::tokensPerSecond);
    const auto seconds = meanOfKnown(group, &RunSummary::seconds);
    shown.addNumber("tokens/s", Cell::number(speed, {.digits = 0, .missing = kNoValue}));
    shown.addNumber("hours", Cell::number(seconds ? std::optional(*seconds / 3600) : std::nullopt,
                                          {.digits = 2, .missing = kNoValue}));
  }
  return shown;
}

Json toJson(const std::vector<RunGroup>& groups) {
  return jsonList(groups, [](const RunGroup& group) {
    Json made{{"name", group.name},
              {"metric", group.runs.front().metric},
              {"best", toJson(group.best)},
              {"last", toJson(group.last)},
              {"runs", Json::array()}};
    for (const RunSummary& run : group.runs)
      made["runs"].push_back({{"id", run.id}, {"name", run.name}, {"seed", run.seed}});
    return made;
  });
}

}  // namespace strata
