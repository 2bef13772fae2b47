#include "core/base/strict_map.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <type_traits>

#include "core/base/key_path.h"

namespace strata {
namespace {

// " from 1 to 100", " of at least 0", or nothing.
std::string rangeText(const StrictMap::Range& range) {
  if (std::isfinite(range.maximum))
    return fmt::format(" from {} to {}", range.minimum, range.maximum);
  return std::isfinite(range.minimum) ? fmt::format(" of at least {}", range.minimum) : "";
}

bool isInside(double value, const StrictMap::Range& range) {
  return value >= range.minimum && value <= range.maximum;
}

}  // namespace

StrictMap::StrictMap(const YamlDocument& document, std::string path, const Json& value,
                     std::string what)
    : StrictMap(
          [&document](const std::string& at, const std::string& message) {
            throw usageError("{}: {}", document.where(at), message);
          },
          std::move(path), value, std::move(what)) {
  document_ = &document;
}

StrictMap::StrictMap(Refusal refusal, std::string path, const Json& value, std::string what)
    : refusal_(std::move(refusal)), path_(std::move(path)), value_(&value), what_(std::move(what)) {
  if (!value.is_object())
    refusal_(path_, fmt::format("{}: expected a mapping of keys, not {}", what_, value.dump()));
}

StrictMap StrictMap::below(const std::string& path, const Json& value, std::string what) const {
  StrictMap map(refusal_, path, value, std::move(what));
  map.document_ = document_;
  return map;
}

void StrictMap::refuse(const std::string& key, const std::string& message) const {
  refusal_(dotted(path_, key), fmt::format("{}: '{}' {}", what_, key, message));
  std::abort();  // a Refusal throws
}

const Json* StrictMap::find(const std::string& key) {
  if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) asked_.push_back(key);
  const auto at = value_->find(key);
  return at == value_->end() ? nullptr : &*at;
}

const Json& StrictMap::any(const std::string& key) {
  const Json* value = find(key);
  if (value == nullptr) refuse(key, "is missing");
  return *value;
}

bool StrictMap::has(const std::string& key) {
  return find(key) != nullptr;
}

std::string StrictMap::text(const std::string& key, const std::optional<std::string>& byDefault) {
  if (byDefault && find(key) == nullptr) return *byDefault;
  const Json& value = any(key);
  if (!value.is_string()) refuse(key, "must be a string, not " + value.dump());
  return value.get<std::string>();
}

std::int64_t StrictMap::integerOf(const std::string& key, const Json& value,
                                  const Range& range) const {
  if (!value.is_number_integer() || !isInside(value.get<double>(), range))
    refuse(key, fmt::format("must be an integer{}, not {}", rangeText(range), value.dump()));
  return value.get<std::int64_t>();
}

double StrictMap::numberOf(const std::string& key, const Json& value, const Range& range) const {
  if (!value.is_number() || !isInside(value.get<double>(), range))
    refuse(key, fmt::format("must be a number{}, not {}", rangeText(range), value.dump()));
  return value.get<double>();
}

std::int64_t StrictMap::integer(const std::string& key,
                                const std::optional<std::int64_t>& byDefault, const Range& range) {
  if (byDefault && find(key) == nullptr) return *byDefault;
  return integerOf(key, any(key), range);
}

double StrictMap::number(const std::string& key, const std::optional<double>& byDefault,
                         const Range& range) {
  if (byDefault && find(key) == nullptr) return *byDefault;
  return numberOf(key, any(key), range);
}

bool StrictMap::flag(const std::string& key, bool byDefault) {
  const Json* value = find(key);
  if (value == nullptr) return byDefault;
  if (!value->is_boolean()) refuse(key, "must be true or false, not " + value->dump());
  return value->get<bool>();
}

std::string StrictMap::choice(const std::string& key, const std::vector<std::string>& choices) {
  const std::string given = text(key, choices.front());
  if (std::find(choices.begin(), choices.end(), given) == choices.end()) {
    refuse(key, fmt::format("must be one of {}, not '{}'; did you mean '{}'?",
                            fmt::join(choices, ", "), given, nearestOf(given, choices)));
  }
  return given;
}

template <typename Read>
auto StrictMap::list(const std::string& key, const Read& read) {
  std::vector<std::invoke_result_t<Read, const Json&>> result;
  const Json* value = find(key);
  if (value == nullptr) return result;
  for (const Json& item : value->is_array() ? *value : Json::array({*value}))
    result.push_back(read(item));
  return result;
}

std::vector<std::string> StrictMap::texts(const std::string& key) {
  return list(key, [&](const Json& item) {
    if (!item.is_string()) refuse(key, "must be a list of strings, not " + item.dump());
    return item.get<std::string>();
  });
}

std::vector<double> StrictMap::numbers(const std::string& key) {
  return list(key, [&](const Json& item) { return numberOf(key, item, {}); });
}

std::vector<std::int64_t> StrictMap::integers(const std::string& key, const Range& range) {
  return list(key, [&](const Json& item) { return integerOf(key, item, range); });
}

std::vector<std::pair<std::string, Json>> StrictMap::entries(const std::string& key) {
  std::vector<std::pair<std::string, Json>> result;
  const Json* value = find(key);
  if (value == nullptr) return result;
  if (!value->is_object()) refuse(key, "must be a mapping, not " + value->dump());
  for (const auto& [name, item] : value->items()) {
    if (item.is_object() || item.is_array())
      refuse(key + "." + name, "must be a single value, not " + item.dump());
    result.emplace_back(name, item);
  }
  return result;
}

std::optional<StrictMap> StrictMap::map(const std::string& key) {
  const Json* value = find(key);
  if (value == nullptr) return {};
  return below(dotted(path_, key), *value, what_ + ", " + key);
}

std::vector<StrictMap> StrictMap::maps(const std::string& key, const std::string& name) {
  std::vector<StrictMap> result;
  const Json* value = find(key);
  if (value == nullptr) return result;
  if (!value->is_array()) refuse(key, "must be a list, not " + value->dump());
  for (std::size_t i = 0; i < value->size(); ++i) {
    result.push_back(below(fmt::format("{}.{}", dotted(path_, key), i), (*value)[i],
                           fmt::format("{}, {} {}", what_, name, i + 1)));
  }
  return result;
}

std::string StrictMap::numeral(const std::string& path, const Json& value) const {
  if (document_ == nullptr) return value.dump();
  const auto kept = document_->numerals.find(dotted(path_, path));
  return kept == document_->numerals.end() ? value.dump() : kept->second;
}

std::vector<std::string> StrictMap::keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, value] : value_->items()) keys.push_back(key);
  return keys;
}

void StrictMap::done() const {
  for (const auto& [key, value] : value_->items()) {
    if (std::find(asked_.begin(), asked_.end(), key) != asked_.end()) continue;
    refuse(key, asked_.empty() ? "is unknown here: no keys are expected"
                               : fmt::format("is unknown here; the nearest key is '{}'",
                                             nearestOf(key, asked_)));
  }
}

}  // namespace strata
