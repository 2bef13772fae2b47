#include "core/run/key_table.h"

#include "core/base/key_path.h"
#include "core/run/config_check.h"

namespace strata {
BoundKey& BoundKey::atLeast(double minimum, std::string unit) {
  key_.minimum = minimum;
  if (!unit.empty()) key_.unit = std::move(unit);
  return *this;
}

BoundKey& BoundKey::atMost(double maximum) {
  key_.maximum = maximum;
  return *this;
}

BoundKey& BoundKey::above(double minimum) {
  key_.minimum = minimum;
  key_.exclusive = true;
  return *this;
}

BoundKey& BoundKey::share() {
  return atLeast(0).atMost(0.999999);
}

BoundKey& BoundKey::unit(std::string unit) {
  key_.unit = std::move(unit);
  return *this;
}

BoundKey& BoundKey::format(std::string format) {
  key_.format = std::move(format);
  return *this;
}

BoundKey& BoundKey::resumable() {
  key_.resumable = true;
  return *this;
}

BoundKey& BoundKey::scoreless() {
  key_.scoreless = true;
  return *this;
}

BoundKey& BoundKey::follows(std::function<void()> derive) {
  key_.defaultValue = nullptr;
  derive_ = std::move(derive);
  return *this;
}

// Where it is absent a switch is off and a choice its first, whatever the field holds at the time
// of binding.
BoundKey& BoundKey::later() {
  key_.later = true;
  key_.defaultValue = key_.choices.empty() ? Json(false) : Json(key_.choices.front());
  return *this;
}

BoundKey& BoundKey::onlyIf(std::function<bool()> holds) {
  matters_ = std::move(holds);
  return *this;
}

void KeyTable::section(std::string prefix, bool resumable) {
  prefix_ = std::move(prefix);
  resumable_ = resumable;
}

BoundKey& KeyTable::bind(const std::string& name, ConfigKey::Type type, std::string help,
                         std::function<void(const Json&)> set, std::function<Json()> get) {
  BoundKey& bound = bound_.emplace_back();
  bound.key_ = {.path = prefix_ + name,
                .type = type,
                .defaultValue = get(),
                .help = std::move(help),
                .resumable = resumable_};
  bound.set_ = std::move(set);
  bound.get_ = std::move(get);
  return bound;
}

BoundKey& KeyTable::add(const std::string& name, std::string& field,
                        std::vector<std::string> choices, std::string help) {
  BoundKey& key = add(name, field, std::move(help));
  key.key_.type = ConfigKey::Type::kChoice;
  key.key_.choices = std::move(choices);
  return key;
}

BoundKey& KeyTable::add(const std::string& name, PerLayer& field, std::string help) {
  return bind(
      name, ConfigKey::Type::kIntOrList, std::move(help),
      [&field](const Json& value) { field = PerLayer::parse(value); },
      [&field] { return field.json(); });
}

BoundKey& KeyTable::add(const std::string& name, LengthRule& field, std::string help) {
  BoundKey& key = bind(
      name, ConfigKey::Type::kString, std::move(help),
      [&field](const Json& value) { field = LengthRule::parse(value.get<std::string>()); },
      [&field] { return Json(field.text()); });
  return key.format("length-rule");
}

BoundKey& KeyTable::add(const std::string& name, std::initializer_list<double*> fields,
                        std::string help) {
  const std::vector<double*> numbers = fields;
  BoundKey& key = bind(
      name, ConfigKey::Type::kNumberList, std::move(help),
      [numbers](const Json& value) {
        for (std::size_t i = 0; i < numbers.size(); ++i) *numbers[i] = value.at(i).get<double>();
      },
      [numbers] {
        Json list = Json::array();
        for (const double* number : numbers) list.push_back(*number);
        return list;
      });
  key.key_.length = static_cast<int>(numbers.size());
  return key;
}

void KeyTable::addConstant(const std::string& name, const Json& value) {
  const auto set = [](const Json&) {};
  const auto get = [value] { return value; };
  if (value.is_string()) {
    bind(name, ConfigKey::Type::kChoice, "", set, get).key_.choices = {value.get<std::string>()};
  } else {
    bind(name, ConfigKey::Type::kInt, "", set, get)
        .atLeast(value.get<double>())
        .atMost(value.get<double>());
  }
}

std::vector<ConfigKey> KeyTable::keys(const std::string& prefix) const {
  std::vector<ConfigKey> keys;
  for (const BoundKey& bound : bound_) {
    keys.push_back(bound.key_);
    keys.back().path = prefix + bound.key_.path;
  }
  return keys;
}

void KeyTable::read(const Json& tree, const std::string& where) const {
  const ConfigOrigin origin = [&](const std::string&) { return where; };
  const ConfigSchema schema(keys());
  for (const BoundKey& bound : bound_) {
    if (bound.derive_) bound.derive_();
    const Json* value = findAt(tree, bound.key_.path);
    if (value == nullptr || value->is_null()) continue;
    Json checked;
    mergeChecked(schema, bound.key_.path, *value, origin, checked);
    bound.set_(*findAt(checked, bound.key_.path));
  }
}

void KeyTable::readAll(const Json& tree, const std::string& where) const {
  for (const BoundKey& bound : bound_) {
    if (!bound.key_.later) configAt(tree, bound.key_.path);
  }
  read(tree, where);
}

void KeyTable::readStrictly(const Json& tree, const std::string& where) const {
  Json checked;
  mergeChecked(
      ConfigSchema(keys()), "", tree, [&](const std::string&) { return where; }, checked);
  read(checked, where);
}

Json KeyTable::json() const {
  Json tree = Json::object();
  for (const BoundKey& bound : bound_) {
    if (bound.isLeftOut()) continue;
    if (!bound.matters_ || bound.matters_()) placeAt(tree, bound.key_.path) = bound.get_();
  }
  return tree;
}

void KeyTable::fillIn(Json& tree) const {
  for (const BoundKey& bound : bound_) {
    if (bound.isLeftOut()) {
      eraseAt(tree, bound.key_.path);
      continue;
    }
    Json& value = placeAt(tree, bound.key_.path);
    if (value.is_null()) value = bound.get_();
  }
}

}  // namespace strata
