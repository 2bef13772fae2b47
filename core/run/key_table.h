#pragma once
#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/run/config.h"
#include "core/run/length_rule.h"
#include "core/run/per_layer.h"

namespace strata {

// The names of an enumeration's values, in the order in which they are offered.
template <typename E, std::size_t N>
using ChoiceNames = const std::pair<const char*, E> (&)[N];

template <typename E, std::size_t N>
std::string nameIn(ChoiceNames<E, N> names, E value) {
  for (const auto& [name, meaning] : names) {
    if (meaning == value) return name;
  }
  return "";
}

// A key and the field that holds its value. The field's value at the time of binding is the key's
// default.
class BoundKey {
 public:
  BoundKey& atLeast(double minimum, std::string unit = {});
  BoundKey& atMost(double maximum);
  BoundKey& above(double minimum);  // `minimum` itself is rejected
  BoundKey& share();                // a rate: 0 <= value < 1
  BoundKey& unit(std::string unit);
  BoundKey& format(std::string format);  // see ConfigKey::format
  BoundKey& resumable();
  BoundKey& scoreless();  // see ConfigKey::scoreless
  // A value that is absent or null is derived from other fields by this function. The default
  // becomes null.
  BoundKey& follows(std::function<void()> derive);
  BoundKey& later();  // see ConfigKey::later
  // The key is written only if this holds.
  BoundKey& onlyIf(std::function<bool()> holds);

 private:
  friend class KeyTable;
  bool isLeftOut() const { return key_.later && get_() == key_.defaultValue; }

  ConfigKey key_;
  std::function<void(const Json&)> set_;
  std::function<Json()> get_;
  std::function<void()> derive_;
  std::function<bool()> matters_;
};

class KeyTable;

// What a field may be whose type alone says what its key accepts.
template <typename T>
concept PlainField = std::integral<T> || std::same_as<T, double> || std::same_as<T, std::string> ||
    std::same_as<T, std::vector<std::string>>;

template <PlainField T>
constexpr ConfigKey::Type keyTypeOf() {
  if (std::same_as<T, bool>) return ConfigKey::Type::kBool;
  if (std::integral<T>) return ConfigKey::Type::kInt;
  if (std::same_as<T, double>) return ConfigKey::Type::kNumber;
  return std::same_as<T, std::string> ? ConfigKey::Type::kString : ConfigKey::Type::kStringList;
}

// The table of a struct that has a `describe(KeyTable&, Struct&)`.
template <typename Struct>
KeyTable tableOf(Struct& of);

// The keys of a struct, each described once and bound to its field. The schema (types, defaults,
// ranges, help), the reader and the writer all come from this description, which is a function
// `describe(KeyTable&, Struct&)`. The struct must outlive the table.
class KeyTable {
 public:
  // Keys added from here on have names that start with `prefix` ("validation.").
  void section(std::string prefix, bool resumable = false);

  BoundKey& add(const std::string& name, std::string& field, std::vector<std::string> choices,
                std::string help);
  BoundKey& add(const std::string& name, PerLayer& field, std::string help);
  BoundKey& add(const std::string& name, LengthRule& field, std::string help);
  // A list of exactly these numbers.
  BoundKey& add(const std::string& name, std::initializer_list<double*> fields, std::string help);
  template <PlainField T>
  BoundKey& add(const std::string& name, T& field, std::string help) {
    BoundKey& key = bind(
        name, keyTypeOf<T>(), std::move(help),
        [&field](const Json& value) { field = value.get<T>(); }, [&field] { return Json(field); });
    if constexpr (keyTypeOf<T>() == ConfigKey::Type::kInt && sizeof(T) < sizeof(std::int64_t))
      key.atMost(std::numeric_limits<T>::max());
    return key;
  }

  template <PlainField T>
  BoundKey& add(const std::string& name, std::optional<T>& field, std::string help) {
    return bind(
        name, keyTypeOf<T>(), std::move(help),
        [&field](const Json& value) { field = value.get<T>(); },
        [&field] { return orNull(field); });
  }
  template <typename E, std::size_t N>
  BoundKey& add(const std::string& name, E& field, ChoiceNames<E, N> names, std::string help) {
    BoundKey& key = bind(
        name, ConfigKey::Type::kChoice, std::move(help),
        [&field, &names](const Json& value) {
          for (const auto& [known, meaning] : names) {
            if (value == known) field = meaning;
          }
        },
        [&field, &names] { return Json(nameIn(names, field)); });
    for (const auto& [known, meaning] : names) key.key_.choices.emplace_back(known);
    return key;
  }
  // Strings that stand for values of another type.
  template <typename Value>
  BoundKey& add(const std::string& name, std::vector<Value>& field,
                Value (*parse)(const std::string&), std::string (*text)(const Value&),
                std::string help) {
    return bind(
        name, ConfigKey::Type::kStringList, std::move(help),
        [&field, parse](const Json& value) {
          field.clear();
          for (const Json& item : value) field.push_back(parse(item.get<std::string>()));
        },
        [&field, text] {
          Json list = Json::array();
          for (const Value& value : field) list.push_back(text(value));
          return list;
        });
  }
  // A list of mappings. What an item does not set is that of `blank()`, which is called when the
  // list is read.
  template <typename Item>
  BoundKey& addList(
      const std::string& name, std::vector<Item>& field, std::string help,
      std::type_identity_t<std::function<Item()>> blank = [] { return Item{}; }) {
    BoundKey& key = bind(
        name, ConfigKey::Type::kList, std::move(help),
        [&field, blank, name](const Json& value) {
          field.clear();
          for (const Json& given : value) {
            Item item = blank();
            tableOf(item).read(given, name);
            field.push_back(std::move(item));
          }
        },
        [&field] {
          Json list = Json::array();
          for (Item& item : field) list.push_back(tableOf(item).json());
          return list;
        });
    Item item = blank();
    key.key_.items = tableOf(item).keys();
    return key;
  }
  // A key that has this value and no other.
  void addConstant(const std::string& name, const Json& value);

  // The keys, their paths after `prefix`.
  std::vector<ConfigKey> keys(const std::string& prefix = "") const;
  // Sets the fields from the values of `tree`, in the order of the keys. What is absent or null
  // leaves its field as it is, or derives it. Wrong types and values out of range are usage errors
  // that name `where` and the key; keys that the table does not have are ignored.
  void read(const Json& tree, const std::string& where) const;
  // As read, but all keys must be there that are not later().
  void readAll(const Json& tree, const std::string& where) const;
  // As read, but unknown keys are errors.
  void readStrictly(const Json& tree, const std::string& where) const;
  // The fields' values.
  Json json() const;
  // Writes the fields' values over those of `tree` that are null.
  void fillIn(Json& tree) const;

 private:
  BoundKey& bind(const std::string& name, ConfigKey::Type type, std::string help,
                 std::function<void(const Json&)> set, std::function<Json()> get);

  std::vector<BoundKey> bound_;
  std::string prefix_;
  bool resumable_ = false;
};

template <typename Struct>
KeyTable tableOf(Struct& of) {
  KeyTable table;
  describe(table, of);
  return table;
}

}  // namespace strata
