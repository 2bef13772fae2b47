#include "core/run/config_diff.h"

#include <map>

#include "core/base/key_path.h"
#include "core/run/configuration_group.h"

namespace strata {
namespace {

void addSettings(const Json& tree, const std::string& path, std::vector<Setting>& settings) {
  if (!tree.is_object()) {
    settings.push_back({path, settingText(tree)});
    return;
  }
  for (const auto& [key, value] : tree.items()) addSettings(value, dotted(path, key), settings);
}

std::map<std::string, std::string> byKey(const std::vector<Setting>& settings) {
  std::map<std::string, std::string> values;
  for (const Setting& setting : settings) values.emplace(setting.key, setting.value);
  return values;
}

}  // namespace

std::vector<Setting> settingsOf(const Json& config) {
  std::vector<Setting> settings;
  addSettings(config, {}, settings);
  return settings;
}

std::vector<SettingDifference> differencesOf(const Json& left, const Json& right) {
  const std::vector<Setting> ours = settingsOf(left), theirs = settingsOf(right);
  std::map<std::string, std::string> others = byKey(theirs);
  std::vector<SettingDifference> differences;
  for (const Setting& setting : ours) {
    const auto other = others.find(setting.key);
    const std::string value = other == others.end() ? "" : other->second;
    if (other == others.end() || value != setting.value)
      differences.push_back({setting.key, setting.value, value});
  }
  const std::map<std::string, std::string> own = byKey(ours);
  for (const Setting& setting : theirs) {
    if (!own.contains(setting.key)) differences.push_back({setting.key, "", setting.value});
  }
  return differences;
}

}  // namespace strata
