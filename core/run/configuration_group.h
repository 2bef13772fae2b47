#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/base/json.h"

namespace strata {

// A digest of an effective configuration without its seed and name: equal for runs that differ in
// these only. The order of the keys does not matter.
std::string configurationGroup(const Json& config);

// The values of a configuration by dotted path, lists as one value: {"training.dropout": 0.1}.
std::map<std::string, Json> configurationValues(const Json& config);
// What another configuration changes, by key: "training.dropout: 0.1 -> 0.5", "... -> absent".
std::vector<std::string> configurationDifferences(const Json& before, const Json& now);
// The first of them in one sentence's part, and how many there are besides.
std::string differencesText(std::vector<std::string> differences);
// Strings without quotation marks, everything else as JSON.
std::string settingText(const Json& value);

}  // namespace strata
