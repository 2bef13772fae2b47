#include "core/sweeps/sweep_table.h"

#include <algorithm>
#include <limits>
#include <map>

#include "core/base/error.h"
#include "core/base/key_path.h"
#include "core/run/configuration_group.h"
#include "core/sweeps/seed_mean.h"

namespace strata {
namespace {

const std::vector<std::string>& costs() {
  static const std::vector<std::string> all{kSweepParameters, kSweepHours, kSweepSpeed};
  return all;
}

bool isOneOf(const std::string& name, const std::vector<std::string>& list) {
  return std::ranges::find(list, name) != list.end();
}

void requireOneOf(const std::string& name, const std::vector<std::string>& list, const char* what) {
  if (isOneOf(name, list)) return;
  if (list.empty()) throw usageError("no run has a {}: there is nothing to draw", what);
  throw usageError("there is no {} '{}'; the nearest is '{}'", what, name, nearestOf(name, list));
}

std::string costText(double value) {
  return value >= 1000 ? numberText(value, {.digits = 0})
                       : numberText(value, {.digits = 4, .form = NumberForm::kSignificant});
}

// A run's part in the table.
struct Entry {
  const SweptRun* run = nullptr;
  std::string line = {}, key = {};  // key: what runs of one value share
  Json x = {};
  double y = 0;
};

std::string lineOf(const SweptRun& run, const SweepQuery& query) {
  if (query.lines.empty()) return {};
  const auto value = run.values->find(query.lines);
  return value == run.values->end() ? "none" : settingText(value->second);
}

std::vector<Entry> entriesOf(const SweptRuns& runs, SweepTable& table) {
  std::vector<Entry> entries;
  for (const SweptRun& run : runs.runs) {
    const auto metric = run.metrics.find(table.query.metric);
    if (metric == run.metrics.end()) {
      table.leftOut.push_back(fmt::format("{}: no {}", run.name, table.query.metric));
      continue;
    }
    Entry entry{.run = &run, .line = lineOf(run, table.query), .y = metric->second};
    if (table.isCost) {
      const auto cost = run.costs.find(table.query.x);
      if (cost != run.costs.end()) entry.x = cost->second;
      entry.key = run.group;
    } else {
      const auto value = run.values->find(table.query.x);
      if (value != run.values->end()) entry.x = value->second;
      entry.key = entry.x.dump();
    }
    if (entry.x.is_null()) {
      table.leftOut.push_back(fmt::format("{}: no {}", run.name, table.query.x));
      continue;
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

void summarise(SweepValue& value) {
  std::vector<double> values;
  for (const SweepPoint& point : value.points) values.push_back(point.y);
  const SeedMean mean = seedMean(values);
  value.mean = mean.mean.value_or(std::numeric_limits<double>::quiet_NaN());
  value.deviation = mean.deviation;
  value.low = mean.low;
  value.high = mean.high;
}

// Values of keys that are not all numbers get places in the order of their labels.
void placeLabels(SweepTable& table) {
  for (const SweepValue& value : table.values) {
    if (!isOneOf(value.label, table.labels)) table.labels.push_back(value.label);
  }
  std::ranges::sort(table.labels);
  for (SweepValue& value : table.values)
    value.x =
        static_cast<double>(std::ranges::find(table.labels, value.label) - table.labels.begin());
}

void markFront(SweepTable& table) {
  const double xSign = table.query.x == kSweepSpeed ? 1 : -1;
  const double ySign = table.direction == SeriesDirection::kHigher ? 1 : -1;
  for (SweepValue& value : table.values) {
    value.onFront = std::ranges::none_of(table.values, [&](const SweepValue& other) {
      const double x = xSign * (other.x - value.x), y = ySign * (other.mean - value.mean);
      return x >= 0 && y >= 0 && (x > 0 || y > 0);
    });
  }
}

std::optional<double> baselineOf(const SweptRuns& runs, const SweepQuery& query) {
  if (query.baseline.empty()) return {};
  const auto found = std::ranges::find(runs.runs, query.baseline, &SweptRun::name);
  if (found == runs.runs.end()) {
    std::vector<std::string> names;
    for (const SweptRun& run : runs.runs) names.push_back(run.name);
    requireOneOf(query.baseline, names, "run");
  }
  SweepValue group;
  for (const SweptRun& run : runs.runs) {
    const auto metric = run.metrics.find(query.metric);
    if (run.group == found->group && metric != run.metrics.end())
      group.points.push_back({run.id, run.name, run.seed, metric->second});
  }
  if (group.points.empty()) return {};
  summarise(group);
  return group.mean;
}

std::string axisText(const Json& value) {
  if (!value.is_number()) return settingText(value);
  return numberText(value.get<double>(), {.digits = 4, .form = NumberForm::kSignificant});
}

// Places the lines' values on a further axis.
void addAxis(const std::string& name, const std::vector<Json>& values, SweepAxes& axes) {
  std::vector<std::string> labels;
  bool numeric = true;
  for (const Json& value : values) {
    numeric = numeric && value.is_number();
    if (!isOneOf(settingText(value), labels)) labels.push_back(settingText(value));
  }
  std::ranges::sort(labels);
  std::vector<double> places;
  for (const Json& value : values) {
    const auto place = std::ranges::find(labels, settingText(value)) - labels.begin();
    places.push_back(numeric ? value.get<double>() : static_cast<double>(place));
  }
  if (places.empty()) return;
  const auto [low, high] = std::ranges::minmax_element(places);
  const std::size_t at = static_cast<std::size_t>(low - places.begin());
  const std::size_t to = static_cast<std::size_t>(high - places.begin());
  axes.axes.push_back({name, axisText(values[at]), axisText(values[to])});
  const double least = *low, span = *high - *low;
  for (std::size_t i = 0; i < places.size(); ++i) {
    axes.lines[i].places.push_back(span > 0 ? (places[i] - least) / span : 0.5);
    axes.lines[i].texts.push_back(axisText(values[i]));
  }
}

}  // namespace

SweepTable sweepTable(const SweptRuns& runs, const SweepQuery& query) {
  requireOneOf(query.metric, runs.metrics, "metric");
  SweepTable table{.query = query,
                   .direction = directionIn(runs, query.metric),
                   .isCost = isOneOf(query.x, costs()),
                   .leftOut = runs.leftOut};
  if (!table.isCost) requireOneOf(query.x, runs.keys, "key that differs between the runs");
  if (!query.lines.empty())
    requireOneOf(query.lines, runs.keys, "key that differs between the runs");
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (const Entry& entry : entriesOf(runs, table)) {
    const auto [at, isNew] = places.try_emplace({entry.line, entry.key}, table.values.size());
    if (isNew) table.values.push_back({.line = entry.line, .label = settingText(entry.x)});
    SweepValue& value = table.values[at->second];
    value.points.push_back({entry.run->id, entry.run->name, entry.run->seed, entry.y});
    table.numeric = table.numeric && entry.x.is_number();
    if (entry.x.is_number()) value.x += entry.x.get<double>();
  }
  for (SweepValue& value : table.values) {
    value.x /= static_cast<double>(value.points.size());
    if (table.isCost) value.label = costText(value.x);
    summarise(value);
  }
  if (!table.numeric) placeLabels(table);
  std::ranges::sort(table.values, {},
                    [](const SweepValue& value) { return std::pair(value.line, value.x); });
  for (const SweepValue& value : table.values) {
    if (!isOneOf(value.line, table.lines)) table.lines.push_back(value.line);
  }
  if (table.isCost && table.direction != SeriesDirection::kUnknown) markFront(table);
  table.baseline = baselineOf(runs, query);
  return table;
}

SweepAxes sweepAxes(const SweptRuns& runs, const std::string& metric) {
  requireOneOf(metric, runs.metrics, "metric");
  struct Group {
    const SweptRun* first = nullptr;
    SweepValue value = {};
  };
  std::vector<Group> groups;
  for (const SweptRun& run : runs.runs) {
    const auto found = run.metrics.find(metric);
    const bool whole = std::ranges::all_of(
        runs.keys, [&](const std::string& key) { return run.values->contains(key); });
    if (found == run.metrics.end() || !whole) continue;
    auto group = std::ranges::find_if(
        groups, [&](const Group& each) { return each.first->group == run.group; });
    if (group == groups.end()) group = groups.insert(groups.end(), Group{&run, {}});
    group->value.points.push_back({run.id, run.name, run.seed, found->second});
  }
  for (Group& group : groups) summarise(group.value);
  const double sign = directionIn(runs, metric) == SeriesDirection::kHigher ? -1 : 1;
  std::ranges::stable_sort(groups, {}, [&](const Group& each) { return sign * each.value.mean; });
  SweepAxes axes;
  for (const Group& group : groups)
    axes.lines.push_back({.name = group.first->name, .run = group.first->id});
  std::vector<Json> column(groups.size());
  for (const std::string& key : runs.keys) {
    for (std::size_t i = 0; i < groups.size(); ++i) column[i] = groups[i].first->values->at(key);
    addAxis(key, column, axes);
  }
  for (std::size_t i = 0; i < groups.size(); ++i) column[i] = groups[i].value.mean;
  addAxis(metric, column, axes);
  return axes;
}

Table shownTable(const SweepTable& table) {
  const SweepQuery& query = table.query;
  Table shown{.caption = fmt::format("{} over {}", query.metric, query.x)};
  if (table.baseline)
    shown.caption += fmt::format("; baseline {}: {:.4g}", query.baseline, *table.baseline);
  const NumberStyle style{.digits = 4};
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    const SweepValue& value = table.values[i];
    const std::string first = query.lines.empty() ? query.x : query.lines;
    shown.beginRow(first, query.lines.empty() ? Cell(value.label) : Cell(value.line));
    if (!query.lines.empty())
      shown.addNumber(query.x,
                      table.numeric ? Cell::shown(value.label, value.x) : Cell(value.label));
    shown.addNumber("mean", Cell::number(value.mean, style));
    shown.addNumber("std", Cell::number(value.deviation, style));
    shown.addNumber("low", Cell::number(value.low, style));
    shown.addNumber("high", Cell::number(value.high, style));
    shown.addNumber("seeds", Cell::count(value.points.size()));
    std::vector<std::string> names;
    for (const SweepPoint& point : value.points) names.push_back(point.name);
    shown.addText("runs", fmt::format("{}", fmt::join(names, " ")));
    if (value.onFront) shown.marked.push_back(i);
  }
  return shown;
}

Json toJson(const SweepTable& table) {
  const auto point = [](const SweepPoint& each) {
    return Json{{"run", each.name}, {"seed", each.seed}, {"value", each.y}};
  };
  const auto value = [&](const SweepValue& each) {
    return Json{{"line", each.line},        {"x", table.numeric ? Json(each.x) : Json(each.label)},
                {"mean", each.mean},        {"std", orNull(each.deviation)},
                {"low", orNull(each.low)},  {"high", orNull(each.high)},
                {"on_front", each.onFront}, {"runs", jsonList(each.points, point)}};
  };
  const bool known = table.direction != SeriesDirection::kUnknown;
  return {{"metric", table.query.metric},
          {"x", table.query.x},
          {"lines", table.query.lines},
          {"higher_is_better", known ? Json(table.direction == SeriesDirection::kHigher) : Json()},
          {"baseline", orNull(table.baseline)},
          {"values", jsonList(table.values, value)},
          {"left_out", table.leftOut}};
}

}  // namespace strata
