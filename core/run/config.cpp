#include "core/run/config.h"

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include "core/base/error.h"
#include "core/base/key_path.h"
#include "core/base/text_limits.h"
#include "core/run/config_check.h"
#include "core/run/table_sharing.h"

namespace strata {
namespace {

// In the order of ConfigKey::Type.
constexpr std::array kTypeNames{"bool",   "int",         "int-or-list", "number", "string",
                                "choice", "string-list", "number-list", "list"};

Json keysToJson(const std::vector<ConfigKey>& keys) {
  Json list = Json::array();
  for (const ConfigKey& key : keys) {
    Json entry{{"path", key.path},
               {"type", kTypeNames[static_cast<std::size_t>(key.type)]},
               {"default", key.defaultValue}};
    if (key.minimum) entry["minimum"] = *key.minimum;
    if (key.maximum) entry["maximum"] = *key.maximum;
    if (key.exclusive) entry["exclusive"] = true;
    if (!key.choices.empty()) entry["choices"] = key.choices;
    if (key.length > 0) entry["length"] = key.length;
    if (!key.format.empty()) entry["format"] = key.format;
    if (!key.items.empty()) entry["items"] = keysToJson(key.items);
    entry["unit"] = key.unit;
    entry["help"] = key.help;
    entry["resumable"] = key.resumable;
    entry["scoreless"] = key.scoreless;
    list.push_back(std::move(entry));
  }
  return list;
}

// One source of values: a preset, the file, or one override.
struct Layer {
  Json value;
  std::string path;  // where the value belongs; empty: the full tree
  ConfigOrigin origin;
};

Layer layerOf(YamlDocument document) {
  Layer layer;
  layer.value = document.value;
  if (layer.value.is_object()) layer.value.erase("preset");
  layer.origin = [document = std::move(document)](const std::string& path) {
    return document.where(path);
  };
  return layer;
}

Layer layerOfOverride(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw usageError("--set {}: expected key=value, such as training.batch.size=2048", text);
  }
  Layer layer;
  layer.path = text.substr(0, equals);
  const std::string value = text.substr(equals + 1);
  const std::string origin = "--set " + text;
  layer.value = value.empty() ? Json("") : parseYaml(value, origin).value;
  layer.origin = [origin](const std::string&) { return origin; };
  if (layer.path == "preset") throw usageError("{}: choose a preset with --preset", origin);
  return layer;
}

std::string presetOf(const YamlDocument& document) {
  if (!document.value.is_object() || !document.value.contains("preset")) return "";
  const Json& preset = document.value["preset"];
  if (!preset.is_string())
    throw usageError("{}: 'preset' must be a name or a comma-separated list of names, not {}",
                     document.where("preset"), preset.dump());
  return preset.get<std::string>();
}

// Layers of presets, ancestors before those who inherit from them.
class PresetLayers {
 public:
  explicit PresetLayers(const ConfigSources& sources) : sources_(sources) {}

  // `names`: one name or a comma-separated list; the last one overrides the others.
  void addAll(const std::string& names, const std::string& where) {
    std::istringstream list(names);
    for (std::string name; std::getline(list >> std::ws, name, ',');) add(name, where);
  }
  std::vector<Layer> layers() && { return std::move(layers_); }

 private:
  // A shared ancestor counts once, where it first occurs.
  void add(const std::string& name, const std::string& where) {
    if (std::find(heirs_.begin(), heirs_.end(), name) != heirs_.end()) {
      throw usageError("{}: the preset '{}' inherits from itself ({} > {})", where, name,
                       fmt::join(heirs_, " > "), name);
    }
    if (!seen_.insert(name).second) return;
    YamlDocument document = parseYaml(textOf(name, where), "preset " + name);
    heirs_.push_back(name);
    addAll(presetOf(document), document.where("preset"));
    heirs_.pop_back();
    layers_.push_back(layerOf(std::move(document)));
  }

  std::string textOf(const std::string& name, const std::string& where) const {
    if (auto text = sources_.presetText ? sources_.presetText(name) : std::nullopt) return *text;
    const auto names = sources_.presetNames ? sources_.presetNames() : std::vector<std::string>{};
    throw usageError("{}: there is no preset '{}'; the nearest is '{}'", where, name,
                     nearestOf(name, names));
  }

  const ConfigSources& sources_;
  std::vector<Layer> layers_;
  std::set<std::string> seen_;
  std::vector<std::string> heirs_;  // whose ancestors are being added
};

// The value that a layer gives to model.family; null if none.
const Json* familyIn(const Layer& layer) {
  if (layer.path == "model.family") return &layer.value;
  if (layer.path == "model") return findAt(layer.value, "family");
  return layer.path.empty() ? findAt(layer.value, "model.family") : nullptr;
}

ConfigKey familyKey(const ConfigSources& sources) {
  ConfigKey key{
      .path = "model.family", .type = ConfigKey::Type::kChoice, .help = "The family of models."};
  key.choices = sources.families();
  key.defaultValue = key.choices.empty() ? Json("") : Json(key.choices.front());
  return key;
}

ConfigSchema schemaOf(const std::string& family, const ConfigSources& sources) {
  std::vector<ConfigKey> keys = experimentKeys();
  std::vector<ConfigKey> model{familyKey(sources)};
  for (ConfigKey& key : sources.modelKeys(family)) model.push_back(std::move(key));
  for (ConfigKey& key : model) {
    if (key.path == "model.family") key.defaultValue = family;
  }
  // The model follows the data, as a person would write it.
  const auto at = std::ranges::find_if(
      keys, [](const ConfigKey& key) { return key.path.starts_with("training."); });
  keys.insert(at, std::make_move_iterator(model.begin()), std::make_move_iterator(model.end()));
  return ConfigSchema(std::move(keys));
}

ConfigSchema schemaOfLayers(const std::vector<Layer>& layers, const ConfigSources& sources) {
  const ConfigKey key = familyKey(sources);
  std::string family = key.defaultValue.get<std::string>();
  for (const Layer& layer : layers) {
    if (const Json* value = familyIn(layer)) {
      Json checked;
      mergeChecked(ConfigSchema({key}), "model.family", *value, layer.origin, checked);
      family = value->get<std::string>();
    }
  }
  return schemaOf(family, sources);
}

using Origins = std::vector<std::pair<std::string, ConfigOrigin>>;

// Remembers which layer gave which path, so that a later check can name it.
void remember(const Json& value, const std::string& path, const ConfigOrigin& origin,
              Origins& origins) {
  origins.emplace_back(path, origin);
  if (!value.is_object()) return;
  for (const auto& [name, item] : value.items())
    remember(item, dotted(path, name), origin, origins);
}

// Where the value of a path, or of its nearest given parent or child, came from: the newest source
// wins.
std::string originOf(const std::string& path, const Origins& origins) {
  for (std::string at = path; !at.empty();
       at = at.substr(0, at.rfind('.') == std::string::npos ? 0 : at.rfind('.'))) {
    for (auto entry = origins.rbegin(); entry != origins.rend(); ++entry) {
      if (entry->first == at) return entry->second(path);
    }
  }
  return "the defaults";
}

void finish(Json& config, const ConfigSources& sources,
            const std::function<std::string(const std::string&)>& where) {
  std::vector<ConfigProblem> problems;
  if (sources.completeModel)
    problems = sources.completeModel(configAt(config, "model.family"), config["model"]);
  if (problems.empty()) problems = crossCheck(config);
  if (problems.empty()) return;
  std::vector<std::string> lines;
  for (const ConfigProblem& problem : problems) {
    lines.push_back(
        fmt::format("{}: '{}': {}", where(problem.path), problem.path, problem.message));
  }
  throw usageError("{}", fmt::join(lines, "\n"));
}

Json withPreset(const std::string& preset, Json config) {
  if (preset.empty()) return config;
  Json result{{"preset", preset}};
  result.update(config);
  return result;
}

}  // namespace

const ConfigKey* ConfigSchema::find(const std::string& path) const {
  const auto at = std::ranges::find(keys_, path, &ConfigKey::path);
  return at == keys_.end() ? nullptr : &*at;
}

std::string ConfigSchema::nearest(const std::string& path) const {
  std::vector<std::string> paths;
  for (const ConfigKey& key : keys_) paths.push_back(key.path);
  return nearestOf(path, paths);
}

Json ConfigSchema::defaults() const {
  Json tree = Json::object();
  for (const ConfigKey& key : keys_) {
    if (!key.later) placeAt(tree, key.path) = key.defaultValue;
  }
  return tree;
}

Json ConfigSchema::json() const {
  return keysToJson(keys_);
}

bool isScoreless(const std::string& override) {
  static const std::vector<ConfigKey> keys = experimentKeys();
  const std::string path = override.substr(0, override.find('='));
  std::vector<bool> found;
  for (const ConfigKey& key : keys) {
    if (key.path == path || key.path.starts_with(path + ".")) found.push_back(key.scoreless);
  }
  return !found.empty() && std::find(found.begin(), found.end(), false) == found.end();
}

Json resolveConfig(const ConfigRequest& request, const ConfigSources& sources) {
  std::optional<YamlDocument> file;
  if (!request.file.empty()) {
    file = readYaml(request.file);
    if (!file->value.is_null() && !file->value.is_object())
      throw usageError("{}: expected a mapping of keys", request.file);
  }
  std::string preset = request.preset, where = "--preset";
  if (preset.empty() && file) {
    preset = presetOf(*file);
    where = file->where("preset");
  }
  PresetLayers inherited(sources);
  inherited.addAll(preset, where);
  std::vector<Layer> layers = std::move(inherited).layers();
  if (file) layers.push_back(layerOf(std::move(*file)));
  for (const std::string& text : request.overrides) layers.push_back(layerOfOverride(text));

  const ConfigSchema schema = schemaOfLayers(layers, sources);
  Json config = schema.defaults();
  Origins origins;
  for (const Layer& layer : layers) {
    mergeChecked(schema, layer.path, layer.value, layer.origin, config);
    remember(layer.value, layer.path, layer.origin, origins);
  }
  finish(config, sources, [&](const std::string& path) { return originOf(path, origins); });
  return withPreset(preset, std::move(config));
}

ConfigSchema schemaFor(const Json& config, const ConfigSources& sources) {
  const Json* family = findAt(config, "model.family");
  const Json usual = familyKey(sources).defaultValue;
  return schemaOf((family != nullptr ? *family : usual).get<std::string>(), sources);
}

void validateConfig(const Json& config, const ConfigSources& sources, const std::string& where) {
  if (!config.is_object()) throw usageError("{}: expected a mapping of keys", where);
  const auto origin = [&](const std::string&) { return where; };
  Layer whole{.value = config, .path = "", .origin = origin};
  whole.value.erase("preset");
  const ConfigSchema schema = schemaOfLayers({whole}, sources);
  Json merged;
  mergeChecked(schema, "", whole.value, origin, merged);
  for (const ConfigKey& key : schema.keys()) {
    if (!key.later && findAt(merged, key.path) == nullptr) {
      throw usageError("{}: the key '{}' is missing; an effective configuration contains every key",
                       where, key.path);
    }
  }
  finish(merged, sources, origin);
}

Json withNewKeys(Json effective) {
  std::vector<ConfigKey> keys = experimentKeys();
  TableSharing sharing;  // of every family
  for (ConfigKey& key : tableOf(sharing).keys("model.")) keys.push_back(std::move(key));
  for (const ConfigKey& key : keys) {
    if (key.later && key.resumable) continue;  // what a run's start decides stays open
    if (findAt(effective, key.path) == nullptr) placeAt(effective, key.path) = key.defaultValue;
  }
  return effective;
}

Json resolveResume(const Json& effective, const std::vector<std::string>& overrides,
                   const ConfigSources& sources) {
  validateConfig(effective, sources, "the run's configuration");
  const ConfigSchema schema = schemaFor(effective, sources);
  Json config = effective;
  const std::string preset = config.value("preset", "");
  config.erase("preset");
  Origins origins;
  for (const std::string& text : overrides) {
    const Layer layer = layerOfOverride(text);
    for (const ConfigKey& key : schema.keys()) {
      const bool touched = key.path == layer.path || key.path.starts_with(layer.path + ".");
      if (touched && !key.resumable) {
        throw usageError(
            "{}: '{}' cannot change when a run is resumed; start a new run with --from CHECKPOINT "
            "instead",
            layer.origin(""), key.path);
      }
    }
    mergeChecked(schema, layer.path, layer.value, layer.origin, config);
    remember(layer.value, layer.path, layer.origin, origins);
  }
  finish(config, sources, [&](const std::string& path) { return originOf(path, origins); });
  return withPreset(preset, std::move(config));
}

Json resolveContinued(const Json& effective, const Json& wanted, const ConfigSources& sources) {
  validateConfig(effective, sources, "the run's configuration");
  const ConfigSchema schema = schemaFor(effective, sources);
  Json config = effective;
  for (const ConfigKey& key : schema.keys()) {
    const bool open = key.later && key.resumable && findAt(wanted, key.path) == nullptr;
    if (open) continue;  // the run's stays
    const Json *before = valueOf(effective, key), *now = valueOf(wanted, key);
    if (before == nullptr || now == nullptr || *before == *now) continue;
    if (!key.resumable) {
      throw usageError(
          "there is a run of this name already, with {} {} instead of {}: continue it with that, "
          "or "
          "give another --name",
          key.path, before->dump(), now->dump());
    }
    placeAt(config, key.path) = *now;
  }
  return config;
}

const Json* valueOf(const Json& effective, const ConfigKey& key) {
  const Json* value = findAt(effective, key.path);
  return value == nullptr && key.later ? &key.defaultValue : value;
}

const Json& configAt(const Json& config, const std::string& path) {
  const Json* value = findAt(config, path);
  if (value == nullptr) throw usageError("the configuration has no key '{}'", path);
  return *value;
}

}  // namespace strata
