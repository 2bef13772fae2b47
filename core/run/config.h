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
  enum class Type {
    kBool,
    kInt,
    kIntOrList,  // an integer, or a list of them
    kNumber,
    kString,
    kChoice,
    kStringList,
    kNumberList,
    kList
  };
  std::string path;  // "training.batch.size"
  Type type = Type::kString;
  Json defaultValue = {};                            // null: filled in from other keys
  std::optional<double> minimum = {}, maximum = {};  // inclusive
  std::vector<std::string> choices = {};             // kChoice
  std::string unit = {};                             // "tokens", "updates", ...; empty if none
  std::string help = {};                             // one sentence
  bool resumable = false;                            // may be set together with --resume
  bool scoreless = false;  // changes no score: what is recorded and printed, and by which hardware
  // Younger than stored configurations: left out where it has its default, so that those stored are
  // what would be made today.
  bool later = false;
  int length = 0;          // kNumberList, kStringList: exact number of items; 0: any
  bool exclusive = false;  // minimum and maximum themselves are rejected
  std::string format =
      {};  // kString: "length-rule", "device"; kStringList: "set-name", "monitor"; empty: any text
  std::vector<ConfigKey> items =
      {};  // kList of objects: keys of an item, paths relative to it, all optional
};

// Something wrong with the value of a key.
struct ConfigProblem {
  std::string path;     // "model.heads"
  std::string message;  // "must divide embed_dim (256)"
};

// The keys of a complete experiment, with one family's model keys below `model.`.
class ConfigSchema {
 public:
  explicit ConfigSchema(std::vector<ConfigKey> keys) : keys_(std::move(keys)) {}
  const std::vector<ConfigKey>& keys() const { return keys_; }
  const ConfigKey* find(const std::string& path) const;
  std::string nearest(const std::string& path) const;  // the most similar valid key
  Json defaults() const;                               // the full tree
  Json json()
      const;  // [{"path", "type", "default", "minimum", "maximum", "choices", "unit", "help", ...}]

 private:
  std::vector<ConfigKey> keys_;
};

// data., training., criterion., validation., early_stopping., checkpoint., recording., decoding.,
// seed.
std::vector<ConfigKey> experimentKeys();

// Whether an override ("recording.sentences=4", or a section "recording={...}") sets only keys that
// change no score (ConfigKey::scoreless).
bool isScoreless(const std::string& override);

// Where presets and the families' keys come from: the program's catalogue, or a test's own.
struct ConfigSources {
  std::function<std::optional<std::string>(const std::string& preset)>
      presetText;  // YAML, by "paper/row"
  std::function<std::vector<std::string>()> presetNames;
  std::function<std::vector<ConfigKey>(const std::string& family)>
      modelKeys;  // paths start with "model."; empty: no such family
  std::function<std::vector<std::string>()> families;
  // Fills in the values of `model` that are null because they depend on others, and reports invalid
  // combinations, paths starting with "model."; may be empty.
  std::function<std::vector<ConfigProblem>(const std::string& family, Json& model)> completeModel;
};

// A configuration as requested: a file, a preset, or both, and --set overrides
// ("training.batch.size=64"; the last value of a key wins).
struct ConfigRequest {
  std::string file = {};  // path of a YAML file; empty: none
  // Replaces the file's `preset:`; empty: the file's. May be a comma-separated list ("a,b"),
  // applied in order.
  std::string preset = {};
  std::vector<std::string> overrides = {};
};

// The effective configuration: defaults, then the preset's chain of ancestors, then the file, then
// the overrides; every key explicit. Unknown keys, wrong types and values out of range are usage
// errors that name file and line (or the override), the key and the nearest valid key.
Json resolveConfig(const ConfigRequest& request, const ConfigSources& sources);
ConfigSchema schemaFor(const Json& config, const ConfigSources& sources);
// Checks a complete effective configuration (a run's config.effective.yaml).
void validateConfig(const Json& config, const ConfigSources& sources, const std::string& where);

// The effective configuration of a run that an older program started: keys that it did not know get
// their defaults, which keep the old behaviour.
Json withNewKeys(Json effective);

// A finished or interrupted run's configuration with --set overrides of resumable keys; any other
// key is a usage error that names it and points to --from.
Json resolveResume(const Json& effective, const std::vector<std::string>& overrides,
                   const ConfigSources& sources);

// The configuration with which the command that started a run continues it: `wanted`, what the
// command asks for now, may differ from the run's in resumable keys only; another difference is a
// usage error that names the first such key.
Json resolveContinued(const Json& effective, const Json& wanted, const ConfigSources& sources);

// The value of a dotted path; throws a usage error naming the path if it is absent.
const Json& configAt(const Json& config, const std::string& path);
// The value of a key in an effective configuration, where later keys may be absent; null: it lacks
// the key.
const Json* valueOf(const Json& effective, const ConfigKey& key);

}  // namespace strata
