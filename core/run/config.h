#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"

namespace strata {

// One key of the configuration: what the strict reader accepts and what forms and help show.
struct ConfigKey {
  enum class Type { kBool, kInt, kNumber, kString, kChoice, kStringList, kNumberList, kList, kObject };
  std::string path;      // "training.batch.size"
  Type type = Type::kString;
  Json defaultValue;
  std::optional<double> minimum, maximum;  // inclusive
  std::vector<std::string> choices;        // kChoice
  std::string unit;      // "tokens", "updates", ...; empty where it has none
  std::string help;      // one sentence
  bool resumable = false;  // may be set together with --resume
};

// The keys of a whole experiment (design section 5) with one family's model keys below `model.`.
class ConfigSchema {
 public:
  explicit ConfigSchema(std::vector<ConfigKey> keys) : keys_(std::move(keys)) {}
  const std::vector<ConfigKey>& keys() const { return keys_; }
  const ConfigKey* find(const std::string& path) const;
  std::string nearest(const std::string& path) const;  // the valid key that looks most like it
  Json defaults() const;                               // the whole tree

 private:
  std::vector<ConfigKey> keys_;
};

// data., training., criterion., validation., early_stopping., checkpoint., recording., decoding., seed.
std::vector<ConfigKey> experimentKeys();

// Where presets and families' keys come from; the program's catalogue provides it, a test its own.
struct ConfigSources {
  std::function<std::optional<std::string>(const std::string& preset)> presetText;  // YAML, by "paper/row"
  std::function<std::vector<std::string>()> presetNames;
  std::function<std::vector<ConfigKey>(const std::string& family)> modelKeys;  // paths start with "model."; empty: no such family
  std::function<std::vector<std::string>()> families;
};

// A configuration as it was asked for: a file, a preset, or both, and --set overrides ("training.batch.size=64"; the
// last value of a key wins).
struct ConfigRequest {
  std::string file;                    // path of a YAML file; empty: none
  std::string preset;                  // overrides the file's `preset:`; empty: the file's
  std::vector<std::string> overrides;
};

// The effective configuration: defaults, then the preset's chain of ancestors, then the file, then the overrides; every
// key explicit. Unknown keys, wrong types and values out of range are usage errors that name file and line (or the
// override), the key and the nearest valid key.
Json resolveConfig(const ConfigRequest& request, const ConfigSources& sources);
ConfigSchema schemaFor(const Json& config, const ConfigSources& sources);
// Checks a whole effective configuration (a run's config.effective.yaml).
void validateConfig(const Json& config, const ConfigSources& sources, const std::string& where);

}  // namespace strata
