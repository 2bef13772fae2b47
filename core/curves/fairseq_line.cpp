#include "core/curves/fairseq_line.h"

#include <algorithm>
#include <limits>

#include "core/base/text_limits.h"
#include "core/curves/log_prefix.h"
#include "core/curves/log_text.h"

namespace strata {
namespace {

constexpr std::string_view kUpdatesKey = "num_updates";
constexpr std::size_t kValues = 200;  // of a line

using Values = std::vector<std::pair<std::string, double>>;

// Python's JSON has names of numbers that JSON does not have.
std::string withoutNaN(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    bool found = false;
    for (const std::string_view name : {"NaN", "-Infinity", "Infinity"}) {
      if (!text.substr(i).starts_with(name) || i < 2 || text.substr(i - 2, 2) != ": ") continue;
      out += name == "NaN" ? "\"nan\"" : name == "Infinity" ? "\"inf\"" : "\"-inf\"";
      i += name.size();
      found = true;
      break;
    }
    if (!found) out += text[i++];
  }
  return out;
}

std::optional<double> valueOf(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return numberIn(json.get_ref<const std::string&>());
  return {};
}

std::optional<FairseqLine> jsonLine(std::string_view text) {
  constexpr TextLimits kLimits{.bytes = 1u << 20, .depth = 8, .values = 2000};
  auto json = tryParseJson(text, kLimits);
  if (!json) json = tryParseJson(withoutNaN(text), kLimits);
  if (!json || !json->is_object() || !json->contains("epoch")) return {};
  FairseqLine line;
  std::string begin;  // of all keys: "valid_"
  if (const auto update = json->find("update"); update != json->end()) {
    line.epoch = valueOf(*update).value_or(-1);
  } else {
    for (const auto& [key, value] : json->items()) {
      if (key.ends_with("_num_updates")) begin = key.substr(0, key.size() - kUpdatesKey.size());
    }
    if (begin.empty()) return {};
    line.subset = begin.substr(0, begin.size() - 1);
    line.kind = line.subset == "train" ? FairseqLine::Kind::kEpoch : FairseqLine::Kind::kSubset;
  }
  for (const auto& [key, value] : json->items()) {
    if (key == "epoch" || key == "update" || !key.starts_with(begin)) continue;
    const auto number = valueOf(value);
    if (number && line.values.size() < kValues)
      line.values.emplace_back(key.substr(begin.size()), *number);
  }
  return line;
}

// "loss=3.2, nll_loss=2.1" or "loss 3.2 | nll_loss 2.1".
Values valuesIn(std::string_view text, std::string_view between, std::string_view equals) {
  Values values;
  while (!text.empty() && values.size() < kValues) {
    std::string_view part = trimmed(takeUntil(text, between));
    const std::string_view name = takeUntil(part, equals);
    const auto number = numberIn(part);
    if (!name.empty() && number) values.emplace_back(name, *number);
  }
  return values;
}

// "    100 / 1102 loss=3.2, …" after "epoch 001:".
std::optional<FairseqLine> updatesLine(std::string_view text, double epoch) {
  FairseqLine line;
  const auto done = wholeNumberIn(takeUntil(text, " / "));
  const auto of = wholeNumberIn(takeUntil(text, " "));
  if (!done || !of || *of <= 0) return {};
  line.epoch = epoch - 1 + static_cast<double>(*done) / static_cast<double>(*of);
  line.values = valuesIn(text, ", ", "=");
  return line;
}

std::optional<FairseqLine> simpleLine(std::string_view text) {
  if (!take(text, "epoch ")) return {};
  const std::size_t digits = text.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos) return {};
  const auto epoch = numberIn(text.substr(0, digits));
  text.remove_prefix(digits);
  if (take(text, ":")) return updatesLine(text, epoch.value_or(0));
  if (!take(text, " | ")) return {};
  FairseqLine line{.kind = FairseqLine::Kind::kEpoch};
  if (take(text, "valid on '")) {
    line.kind = FairseqLine::Kind::kSubset;
    line.subset = takeUntil(text, "' subset | ");
  }
  line.values = valuesIn(text, " | ", " ");
  return line;
}

}  // namespace

std::optional<double> FairseqLine::value(std::string_view name) const {
  const auto found = std::ranges::find(values, name, &std::pair<std::string, double>::first);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

std::optional<FairseqLine> fairseqLine(std::string_view text) {
  std::optional<FairseqLine> line;
  std::size_t at = text.find("{\"");
  if (at != std::string_view::npos) line = jsonLine(trimmed(text.substr(at)));
  if (!line) {
    for (at = text.find("epoch "); !line && at != std::string_view::npos;) {
      if (canBegin(text, at)) line = simpleLine(trimmed(text.substr(at)));
      if (!line) at = text.find("epoch ", at + 1);
    }
  }
  if (!line || !line->value(kUpdatesKey)) return {};
  const LogPrefix prefix = logPrefix(text.substr(0, at));
  line->time = prefix.time;
  line->rank = prefix.rank;
  return line;
}

}  // namespace strata
