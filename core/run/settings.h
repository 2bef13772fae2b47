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

}  // namespace strata
