#include "core/run/settings.h"

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

}  // namespace

std::vector<Setting> settingsOf(const Json& config) {
  std::vector<Setting> settings;
  addSettings(config, {}, settings);
  return settings;
}

}  // namespace strata
