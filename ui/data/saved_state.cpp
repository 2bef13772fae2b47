#include "ui/data/saved_state.h"

#include <algorithm>

#include "ui/data/text.h"

namespace strata::ui {

Json jsonOf(const QStringList& texts) {
  return toStd(texts);
}

Json jsonOf(const QVector<qint64>& numbers) {
  return std::vector<qint64>(numbers.begin(), numbers.end());
}

SavedState::SavedState(const Json& json) : json_(json.is_object() ? json : Json::object()) {}

const Json* SavedState::find(const char* key) const {
  const auto found = json_.find(key);
  return found == json_.end() ? nullptr : &*found;
}

const Json* SavedState::findList(const char* key, bool (Json::*is)() const noexcept) const {
  const Json* json = find(key);
  return json && json->is_array() && std::ranges::all_of(*json, is) ? json : nullptr;
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
  const Json* json = findList(key, &Json::is_string);
  return json ? std::optional(qs(json->get<std::vector<std::string>>())) : std::nullopt;
}

std::optional<QVector<qint64>> SavedState::numbers(const char* key) const {
  const Json* json = findList(key, &Json::is_number_integer);
  if (!json) return std::nullopt;
  const auto values = json->get<std::vector<qint64>>();
  return QVector<qint64>(values.begin(), values.end());
}

}  // namespace strata::ui
