#include "core/run/configuration_group.h"

#include "core/base/digest.h"

namespace strata {
namespace {

void addValues(const Json& value, const std::string& path, std::map<std::string, Json>& values) {
  if (!value.is_object() || value.empty()) {
    values[path] = value;
    return;
  }
  for (const auto& [key, part] : value.items())
    addValues(part, path.empty() ? key : path + "." + key, values);
}

}  // namespace

std::map<std::string, Json> configurationValues(const Json& config) {
  std::map<std::string, Json> values;
  addValues(config, "", values);
  return values;
}

std::string settingText(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string configurationGroup(const Json& config) {
  std::string text;
  for (const auto& [path, value] : configurationValues(config)) {
    // Histograms change nothing of the run, and runs of earlier programs do not have their key.
    if (path != "seed" && path != "name" && path != "recording.histogram_every")
      text += path + "=" + value.dump() + "\n";
  }
  return digestOf(text);
}

}  // namespace strata
