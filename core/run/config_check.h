#pragma once
#include <functional>
#include <string>
#include <vector>

#include "core/run/config.h"

namespace strata {

// "file:line" or the override that gave the value of a path.
using ConfigOrigin = std::function<std::string(const std::string& path)>;

// Checks one part of a configuration against the keys and writes its values into `target` (of the
// same shape), integral numbers of integer keys as integers. `path` says where `value` belongs;
// empty: the full tree. Throws usage errors.
void mergeChecked(const ConfigSchema& schema, const std::string& path, const Json& value,
                  const ConfigOrigin& origin, Json& target);

// Whether a text names a device: auto, cpu, cuda or cuda:N.
bool isDevice(const std::string& text);

// Rules that span several keys: names of metrics, sets that decisions may use, phases.
std::vector<ConfigProblem> crossCheck(const Json& config);

}  // namespace strata
