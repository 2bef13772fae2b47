#include "core/run/strict_map.h"

#include <algorithm>

#include "core/run/config_check.h"

namespace strata {
StrictMap::StrictMap(const YamlDocument& document, std::string path, const Json& value,
                     std::string what)
    : document_(&document), path_(std::move(path)), value_(&value), what_(std::move(what)) {
  if (!value.is_object())
    throw usageError("{}: {}: expected a mapping of keys, not {}", document.where(path_), what_,
                     value.dump());
}

Error StrictMap::wrong(const std::string& key, const std::string& message) const {
  return usageError("{}: {}: '{}' {}", document_->where(dotted(path_, key)), what_, key, message);
}

const Json* StrictMap::find(const std::string& key) {
  if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) asked_.push_back(key);
  const auto at = value_->find(key);
  return at == value_->end() ? nullptr : &*at;
}

const Json& StrictMap::need(const std::string& key) {
  const Json* value = find(key);
  if (value == nullptr) throw wrong(key, "is missing");
  return *value;
}

bool StrictMap::has(const std::string& key) {
  return find(key) != nullptr;
}

std::string StrictMap::text(const std::string& key, const std::optional<std::string>& byDefault) {
  if (byDefault && find(key) == nullptr) return *byDefault;
  const Json& value = need(key);
  if (!value.is_string()) throw wrong(key, "must be a string, not " + value.dump());
  return value.get<std::string>();
}

std::int64_t StrictMap::integer(const std::string& key,
                                const std::optional<std::int64_t>& byDefault) {
  if (byDefault && find(key) == nullptr) return *byDefault;
  const Json& value = need(key);
  if (!value.is_number_integer()) throw wrong(key, "must be an integer, not " + value.dump());
  return value.get<std::int64_t>();
}

double StrictMap::number(const std::string& key, const std::optional<double>& byDefault) {
  if (byDefault && find(key) == nullptr) return *byDefault;
  const Json& value = need(key);
  if (!value.is_number()) throw wrong(key, "must be a number, not " + value.dump());
  return value.get<double>();
}

bool StrictMap::flag(const std::string& key, bool byDefault) {
  const Json* value = find(key);
  if (value == nullptr) return byDefault;
  if (!value->is_boolean()) throw wrong(key, "must be true or false, not " + value->dump());
  return value->get<bool>();
}

std::string StrictMap::choice(const std::string& key, const std::vector<std::string>& choices) {
  const std::string given = text(key, choices.front());
  if (std::find(choices.begin(), choices.end(), given) == choices.end()) {
    throw wrong(key, fmt::format("must be one of {}, not '{}'; did you mean '{}'?",
                                 fmt::join(choices, ", "), given, nearestOf(given, choices)));
  }
  return given;
}

std::vector<std::string> StrictMap::texts(const std::string& key) {
  std::vector<std::string> result;
  const Json* value = find(key);
  if (value == nullptr) return result;
  const Json list = value->is_array() ? *value : Json::array({*value});
  for (const Json& item : list) {
    if (!item.is_string()) throw wrong(key, "must be a list of strings, not " + item.dump());
    result.push_back(item.get<std::string>());
  }
  return result;
}

std::vector<double> StrictMap::numbers(const std::string& key) {
  std::vector<double> result;
  const Json* value = find(key);
  if (value == nullptr) return result;
  const Json list = value->is_array() ? *value : Json::array({*value});
  for (const Json& item : list) {
    if (!item.is_number()) throw wrong(key, "must be a list of numbers, not " + item.dump());
    result.push_back(item.get<double>());
  }
  return result;
}

std::vector<std::pair<std::string, Json>> StrictMap::entries(const std::string& key) {
  std::vector<std::pair<std::string, Json>> result;
  const Json* value = find(key);
  if (value == nullptr) return result;
  if (!value->is_object()) throw wrong(key, "must be a mapping, not " + value->dump());
  for (const auto& [name, item] : value->items()) {
    if (item.is_object() || item.is_array())
      throw wrong(key + "." + name, "must be a single value, not " + item.dump());
    result.emplace_back(name, item);
  }
  return result;
}

std::optional<StrictMap> StrictMap::map(const std::string& key) {
  const Json* value = find(key);
  if (value == nullptr) return {};
  return StrictMap(*document_, dotted(path_, key), *value, what_ + ", " + key);
}

std::vector<StrictMap> StrictMap::maps(const std::string& key, const std::string& name) {
  std::vector<StrictMap> result;
  const Json* value = find(key);
  if (value == nullptr) return result;
  if (!value->is_array()) throw wrong(key, "must be a list, not " + value->dump());
  for (std::size_t i = 0; i < value->size(); ++i) {
    result.emplace_back(*document_, fmt::format("{}.{}", dotted(path_, key), i), (*value)[i],
                        fmt::format("{}, {} {}", what_, name, i + 1));
  }
  return result;
}

void StrictMap::done() const {
  for (const auto& [key, value] : value_->items()) {
    if (std::find(asked_.begin(), asked_.end(), key) != asked_.end()) continue;
    throw wrong(key,
                fmt::format("is unknown here; the nearest key is '{}'", nearestOf(key, asked_)));
  }
}

}  // namespace strata
