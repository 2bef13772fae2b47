#include "core/store/run_settings.h"

#include <set>
#include <utility>

#include "core/run/configuration_group.h"
#include "core/store/index.h"

namespace strata {

const RunSettings::Run& RunSettings::of(const RunSummary& run) {
  std::error_code missing;  // runConfig says so
  const auto changed = std::filesystem::last_write_time(configFileOf(run.folder), missing);
  const auto found = known_.find(run.id);
  if (!missing && found != known_.end() && found->second.changed == changed)
    return found->second.run;
  const Json config = runConfig(run);
  Values values = configurationValues(config);
  for (const char* key : {"seed", "name"}) values.erase(key);
  values["preset"] = run.preset;
  Known& known = known_[run.id];
  known = {.changed = changed,
           .run = {.values = std::make_shared<Values>(std::move(values)),
                   .group = configurationGroup(config)}};
  return known.run;
}

std::vector<std::string> differingKeys(const std::vector<const RunSettings::Values*>& runs) {
  std::map<std::string, std::set<std::string>> values;
  std::map<std::string, std::size_t> counts;
  for (const RunSettings::Values* run : runs) {
    for (const auto& [key, value] : *run) {
      values[key].insert(value.dump());
      ++counts[key];
    }
  }
  std::vector<std::string> keys;
  for (const auto& [key, found] : values) {
    if (found.size() > 1 || counts[key] < runs.size()) keys.push_back(key);
  }
  return keys;
}

}  // namespace strata
