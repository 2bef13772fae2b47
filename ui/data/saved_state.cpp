#include "ui/data/saved_state.h"

#include <algorithm>

#include "ui/data/text.h"

namespace strata::ui {

Json jsonOf(const QStringList& texts) {
  Json json = Json::array();
  for (const QString& text : texts) json.push_back(toStd(text));
  return json;
}

Json jsonOf(const QVector<qint64>& numbers) {
  Json json = Json::array();
  for (const qint64 number : numbers) json.push_back(number);
  return json;
}

SavedState::SavedState(const Json& json) : json_(json.is_object() ? json : Json::object()) {}

const Json* SavedState::find(const char* key) const {
  const auto found = json_.find(key);
  return found == json_.end() ? nullptr : &*found;
}

std::optional<qint64> SavedState::number(const char* key, qint64 lowest, qint64 highest) const {
  const Json* json = find(key);
  if (!json || !json->is_number_integer()) return std::nullopt;
  const auto value = json->get<qint64>();
  return value < lowest || value > highest ? std::nullopt : std::optional(value);
}

std::optional<bool> SavedState::flag(const char* key) const {
  const Json* json = find(key);
  return json && json->is_boolean() ? std::optional(json->get<bool>()) : std::nullopt;
}

std::optional<QString> SavedState::text(const char* key) const {
  const Json* json = find(key);
  return json && json->is_string() ? std::optional(qs(json->get<std::string>())) : std::nullopt;
}

std::optional<QStringList> SavedState::texts(const char* key) const {
  const Json* json = find(key);
  const auto isText = [](const Json& item) { return item.is_string(); };
  if (!json || !json->is_array() || !std::all_of(json->begin(), json->end(), isText))
    return std::nullopt;
  return qs(json->get<std::vector<std::string>>());
}

std::optional<QVector<qint64>> SavedState::numbers(const char* key) const {
  const Json* json = find(key);
  const auto isNumber = [](const Json& item) { return item.is_number_integer(); };
  if (!json || !json->is_array() || !std::all_of(json->begin(), json->end(), isNumber))
    return std::nullopt;
  QVector<qint64> values;
  for (const Json& item : *json) values << item.get<qint64>();
  return values;
}

}  // namespace strata::ui
