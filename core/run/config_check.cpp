#include "core/run/config_check.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/error.h"
#include "core/base/key_path.h"
#include "core/run/length_rule.h"

namespace strata {
namespace {

using Type = ConfigKey::Type;

std::string numberText(double value) {
  return value == std::floor(value) && std::abs(value) < 1e15 ? fmt::format("{:.0f}", value)
                                                              : fmt::format("{}", value);
}

// In the order of ConfigKey::Type.
constexpr std::array kExpected{"true or false",
                               "an integer",
                               "an integer or a list of integers",
                               "a number",
                               "a string (in quotes if it looks like a number)",
                               "one of ",
                               "a list of strings",
                               "a list of numbers",
                               "a list"};

// "an integer of at least 1 (tokens)".
std::string expectation(const ConfigKey& key) {
  std::string text = kExpected[static_cast<std::size_t>(key.type)];
  if (key.type == Type::kChoice) text += fmt::format("{}", fmt::join(key.choices, ", "));
  if (key.type == Type::kNumberList && key.length > 0)
    text = fmt::format("a list of {} numbers", key.length);
  if (key.minimum && key.maximum) {
    text += fmt::format(" from {} to {}", numberText(*key.minimum), numberText(*key.maximum));
  } else if (key.minimum) {
    text += (key.exclusive ? " greater than " : " of at least ") + numberText(*key.minimum);
  } else if (key.maximum) {
    text += fmt::format(" of at most {}", numberText(*key.maximum));
  }
  return key.unit.empty() ? text : text + " (" + key.unit + ")";
}

// Whether it is a number in the key's range.
bool isNumber(const ConfigKey& key, const Json& json) {
  const double value = json.is_number() ? json.get<double>() : NAN;
  const double minimum = key.minimum.value_or(-HUGE_VAL), maximum = key.maximum.value_or(HUGE_VAL);
  if (!std::isfinite(value) || value < minimum || value > maximum) return false;
  return !key.exclusive || (value != minimum && value != maximum);
}

bool isSetName(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-' || c == '+';
  });
}

bool isCount(const std::string& text) {
  return !text.empty() && text.size() < 10 && text != "0" &&
         std::all_of(text.begin(), text.end(), ::isdigit);
}

// What is wrong with a string of the given format; empty: nothing.
std::string formatProblem(const std::string& format, const std::string& text) {
  if (format == "length-rule") {
    try {
      LengthRule::parse(text);
    } catch (const Error& error) {
      return error.what();
    }
  }
  if (format == "device" && !isDevice(text)) return "expected a device: auto, cpu, cuda or cuda:N";
  if (format == "set-name" && !isSetName(text))
    return "a set name may contain only letters, digits, '.', '_', '-' and '+'";
  if (format == "monitor") {
    const auto colon = text.find(':');
    if (!isSetName(text.substr(0, colon))) return "expected NAME or NAME:SENTENCES";
    if (colon != std::string::npos && !isCount(text.substr(colon + 1)))
      return "N in NAME:N must be at least 1";
    if (text == "train-sample") return "expected train-sample:N, with N the number of sentences";
  }
  if (format == "metric" && text != "nll" && text != "perplexity" && text != "token-error" &&
      text != "multi-bleu") {
    return "expected nll, perplexity, token-error or multi-bleu";
  }
  return "";
}

class Checker {
 public:
  Checker(const ConfigSchema& schema, const ConfigOrigin& origin)
      : schema_(schema), origin_(origin) {}

  // `place`: path as the user sees it (list items included); `path`: the schema's.
  void merge(const std::string& place, const std::string& path, const Json& value,
             Json& target) const {
    if (const ConfigKey* key = schema_.find(path)) {
      target = checked(*key, place, value);
      return;
    }
    if (!path.empty() && !isSection(path)) {
      throw usageError("{}: unknown key '{}'; the nearest valid key is '{}'", origin_(place), place,
                       schema_.nearest(path));
    }
    if (value.is_null() && path.empty()) return;
    if (!value.is_object()) {
      throw usageError("{}: {} must be a mapping, not {}", origin_(place),
                       place.empty() ? "the configuration" : "'" + place + "'", value.dump());
    }
    if (!target.is_object()) target = Json::object();
    for (const auto& [name, item] : value.items())
      merge(dotted(place, name), dotted(path, name), item, target[name]);
  }

 private:
  bool isSection(const std::string& path) const {
    const std::string prefix = path + ".";
    return std::any_of(schema_.keys().begin(), schema_.keys().end(),
                       [&](const ConfigKey& key) { return key.path.starts_with(prefix); });
  }

  Error wrong(const ConfigKey& key, const std::string& place, const Json& value) const {
    return usageError("{}: '{}' must be {}, not {}", origin_(place), place, expectation(key),
                      value.dump());
  }

  Json checked(const ConfigKey& key, const std::string& place, const Json& value) const {
    // An effective configuration keeps a null that was not derived from another key.
    if (value.is_null() && key.defaultValue.is_null()) return value;
    switch (key.type) {
      case Type::kInt:
        return checkedInteger(key, place, value);
      case Type::kIntOrList:
        return checkedIntegers(key, place, value);
      case Type::kChoice:
        return checkedChoice(key, place, value);
      case Type::kList:
        return checkedItems(key, place, value);
      case Type::kBool:
        if (!value.is_boolean()) throw wrong(key, place, value);
        return value;
      case Type::kNumber:
        if (!isNumber(key, value)) throw wrong(key, place, value);
        return value;
      case Type::kString:
        if (!value.is_string()) throw wrong(key, place, value);
        checkFormat(key, place, value);
        return value;
      case Type::kStringList:
      case Type::kNumberList:
        return checkedValues(key, place, value);
    }
    return value;
  }

  Json checkedInteger(const ConfigKey& key, const std::string& place, const Json& value) const {
    if (!isNumber(key, value)) throw wrong(key, place, value);
    if (value.is_number_integer()) return value;
    const double number = value.get<double>();  // 4e3 counts as an integer
    if (number != std::floor(number) || std::abs(number) > 9.0e15) throw wrong(key, place, value);
    return static_cast<std::int64_t>(number);
  }

  Json checkedIntegers(const ConfigKey& key, const std::string& place, const Json& value) const {
    if (!value.is_array()) return checkedInteger(key, place, value);
    if (value.empty()) throw wrong(key, place, value);
    Json list = Json::array();
    for (const Json& item : value) list.push_back(checkedInteger(key, place, item));
    return list;
  }

  Json checkedChoice(const ConfigKey& key, const std::string& place, const Json& value) const {
    if (!value.is_string()) throw wrong(key, place, value);
    const auto name = value.get<std::string>();
    if (std::ranges::find(key.choices, name) != key.choices.end()) return value;
    throw usageError("{}: '{}' must be {}, not '{}'; did you mean '{}'?", origin_(place), place,
                     expectation(key), name, nearestOf(name, key.choices));
  }

  Json checkedValues(const ConfigKey& key, const std::string& place, const Json& value) const {
    if (!value.is_array() || (key.length > 0 && std::ssize(value) != key.length))
      throw wrong(key, place, value);
    for (const Json& item : value) {
      if (key.type == Type::kStringList) {
        if (!item.is_string()) throw wrong(key, place, value);
        checkFormat(key, place, item);
      } else if (!isNumber(key, item)) {
        throw wrong(key, place, value);
      }
    }
    return value;
  }

  Json checkedItems(const ConfigKey& key, const std::string& place, const Json& value) const {
    if (!value.is_array()) throw wrong(key, place, value);
    const ConfigSchema items(key.items);
    Json result = Json::array();
    for (std::size_t i = 0; i < value.size(); ++i) {
      Json item = Json::object();
      if (!value[i].is_object()) throw wrong(key, dotted(place, std::to_string(i)), value[i]);
      Checker(items, origin_).merge(dotted(place, std::to_string(i)), "", value[i], item);
      result.push_back(std::move(item));
    }
    return result;
  }

  void checkFormat(const ConfigKey& key, const std::string& place, const Json& text) const {
    const std::string problem = formatProblem(key.format, text.get<std::string>());
    if (!problem.empty())
      throw usageError("{}: '{}' cannot be {}: {}", origin_(place), place, text.dump(), problem);
  }

  const ConfigSchema& schema_;
  const ConfigOrigin& origin_;
};

}  // namespace

bool isDevice(const std::string& text) {
  return text == "auto" || text == "cpu" || text == "cuda" || text == "cuda:0" ||
         (text.starts_with("cuda:") && isCount(text.substr(5)));
}

void mergeChecked(const ConfigSchema& schema, const std::string& path, const Json& value,
                  const ConfigOrigin& origin, Json& target) {
  Checker(schema, origin).merge(path, path, value, path.empty() ? target : placeAt(target, path));
}

}  // namespace strata
