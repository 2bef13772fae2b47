#include "core/inside/attention_override.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace strata {
namespace {

std::size_t axisOf(const RecordingInfo& info, const std::string& axis) {
  return std::size_t(std::ranges::find(info.axes, axis) - info.axes.begin());
}

bool hasAxis(const RecordingInfo& info, const std::string& axis) {
  return std::ranges::count(info.axes, axis) > 0;
}

const Recording* recordingOf(const SentenceRecordings& sentence, const RecordingInfo& info) {
  for (const Recording& each : sentence.recordings) {
    if (each.info.name == info.name && each.info.axes == info.axes) return &each;
  }
  return nullptr;
}

// The columns that the row may read.
std::int64_t readable(const Recording& map, std::int64_t target) {
  const std::string& along = map.info.axes.back();
  const std::int64_t columns = map.shape.back();
  if (along != "history" && along != "memory") return columns;
  return columns - (map.shape[axisOf(map.info, "target")] - 1 - target);
}

// One row of a map [unit?, target, column] or [target, unit, column].
std::span<const float> rowAt(const Recording& map, int unit, std::int64_t target) {
  const std::string units = unitAxis(map.info);
  std::int64_t row = 0;
  for (std::size_t axis = 0; axis + 1 < map.shape.size(); ++axis) {
    const bool isUnit = map.info.axes[axis] == units;
    row = row * map.shape[axis] + (isUnit ? unit : target);
  }
  const auto columns = std::size_t(map.shape.back());
  return std::span(map.values).subspan(std::size_t(row) * columns, columns);
}

std::vector<std::string> columnLabels(const SentenceRecordings& sentence, const RecordingInfo& info,
                                      std::size_t columns) {
  std::vector<std::string> labels;
  const std::string& along = info.axes.back();
  if (along == "source" || along == "memory") labels = sentence.source;
  if (along == "history" || along == "memory") {
    labels.push_back("</s>");  // the start symbol
    labels.insert(labels.end(), sentence.target.begin(), sentence.target.end());
  }
  for (std::size_t at = labels.size(); at < columns; ++at)
    labels.push_back(fmt::format("{}", std::size_t(info.firstLevel) + at));
  labels.resize(columns);
  return labels;
}

}  // namespace

bool canOverride(const RecordingInfo& info) {
  return info.side == "decoder" && hasAxis(info, "target") && info.axes.back() != "target" &&
         (info.kind == "hop_weights" || info.kind.ends_with("attention"));
}

bool readsSource(const RecordingInfo& info) {
  return canOverride(info) && info.axes.back() == "source";
}

std::string unitAxis(const RecordingInfo& info) {
  for (std::size_t axis = 0; axis + 1 < info.axes.size(); ++axis) {
    if (info.axes[axis] != "target") return info.axes[axis];
  }
  return "";
}

OverrideRow overrideRow(const SentenceRecordings& sentence, const OverridePlace& place) {
  OverrideRow row;
  double rows = 0;
  for (const RecordingInfo& info : place.maps) {
    const Recording* map = recordingOf(sentence, info);
    if (!map || place.target >= map->shape[axisOf(info, "target")]) return {};
    const std::string axis = unitAxis(info);
    const int units = axis.empty() ? 1 : int(map->shape[axisOf(info, axis)]);
    row.units = rows == 0 ? units : std::min(row.units, units);
    if (place.unit >= units) return {};
    const auto columns = std::size_t(readable(*map, place.target));
    if (row.weights.empty()) row.weights.resize(columns);
    if (row.weights.size() != columns) return {};
    for (int unit = std::max(place.unit, 0); unit < (place.unit < 0 ? units : place.unit + 1);
         ++unit, ++rows) {
      const auto weights = rowAt(*map, unit, place.target);
      for (std::size_t at = 0; at < columns; ++at) row.weights[at] += double(weights[at]);
    }
  }
  for (double& weight : row.weights) weight /= rows;
  if (!row.weights.empty())
    row.labels = columnLabels(sentence, place.maps.front(), row.weights.size());
  return row;
}

std::vector<std::string> interventionsOf(const OverridePlace& place, const GivenWeights& given) {
  std::string shares;
  for (std::size_t at = 0; at < given.weights.size(); ++at) {
    if (given.weights[at].value_or(0) > 0)
      shares += fmt::format("{}{}*{}", shares.empty() ? "" : ",", at, *given.weights[at]);
  }
  std::vector<std::string> texts;
  for (const RecordingInfo& info : place.maps) {
    std::string where = fmt::format("target={}", place.target);
    if (const std::string axis = unitAxis(info); !axis.empty() && place.unit >= 0)
      where = fmt::format("{}={},{}", axis, place.unit, where);
    if (!shares.empty()) {
      texts.push_back(fmt::format("{}[{}]=read:{}", info.name, where, shares));
      continue;
    }
    for (std::size_t at = 0; at < given.forbidden.size(); ++at) {
      if (given.forbidden[at])
        texts.push_back(fmt::format("{}[{},{}={}]=mask", info.name, where, info.axes.back(), at));
    }
  }
  return texts;
}

}  // namespace strata
