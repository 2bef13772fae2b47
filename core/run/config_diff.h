#pragma once
#include <string>
#include <vector>

#include "core/base/json.h"

namespace strata {

// A key of a configuration with its value as text: "optimizer.lr", "0.0005". Lists are one value.
struct Setting {
  std::string key, value;

  bool operator==(const Setting&) const = default;
};
std::vector<Setting> settingsOf(const Json& config);  // in the order of the configuration

// A key whose value differs between two configurations; empty: that one does not have it.
struct SettingDifference {
  std::string key, left, right;

  bool operator==(const SettingDifference&) const = default;
};
// In the order of `left`, then the keys that only `right` has.
std::vector<SettingDifference> differencesOf(const Json& left, const Json& right);

}  // namespace strata
