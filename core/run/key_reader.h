// What the families' configurations have in common: strict reading of the keys of a config.json,
// and descriptions of keys for the schema.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/run/config.h"

namespace strata {

// A value's name in a table of names and values.
template <typename E, std::size_t N>
std::string nameIn(const std::pair<const char*, E> (&table)[N], E value) {
  const auto at = std::find_if(std::begin(table), std::end(table),
                               [&](const auto& row) { return row.second == value; });
  return at->first;
}

// A positive number for all layers, or one number per layer.
struct PerLayer {
  std::vector<std::int64_t> values = {1};
  bool isList = false;

  Json json() const { return isList ? Json(values) : Json(values.front()); }
  // One number per layer; empty if a list has another length.
  std::vector<std::int64_t> over(std::int64_t layers) const;
};

// Reads the keys of one JSON object and rejects those that were not asked for. Null counts as
// absent, and an absent key leaves the value unchanged. Usage errors name the key.
class KeyReader {
 public:
  struct Place {
    std::string family;  // "transformer"
    std::string prefix;  // of the keys' names in messages: "encoder_fusion."
  };
  KeyReader(const Json& object, Place place);

  const Json* find(const char* name);
  void read(const char* name, std::int64_t& value, std::int64_t least = 1);
  void read(const char* name, PerLayer& value);
  void read(const char* name, bool& value);
  template <typename E, std::size_t N>
  void read(const char* name, const std::pair<const char*, E> (&table)[N], E& value) {
    const Json* at = find(name);
    if (at == nullptr) return;
    std::string names;
    for (const auto& [known, meaning] : table) {
      if (at->is_string() && at->get<std::string>() == known) {
        value = meaning;
        return;
      }
      names += (names.empty() ? "" : ", ") + std::string(known);
    }
    throw wrong(name, "one of " + names, *at);
  }
  // `family` must be the reader's family.
  void checkFamily();
  // `format` 1 and both vocabularies' sizes, the four special tokens included.
  void readHeader(std::int64_t& sourceVocabulary, std::int64_t& targetVocabulary);
  // Throws if any key was not asked for.
  void finish() const;

  Error wrong(const char* name, const std::string& expected, const Json& value) const;

 private:
  const Json& object_;
  Place place_;
  std::vector<std::string> known_;
};

// Throws the first problem of a config.json as a usage error.
void refuseProblems(const std::vector<ConfigProblem>& problems);

// A config.json as a family's configuration: `read` takes the keys that effective configurations
// also have, and `problems` reports invalid combinations.
template <typename Config>
Config parseModelConfig(const Json& config, const char* family, Config (*read)(KeyReader&),
                        std::vector<ConfigProblem> (*problems)(const Config&)) {
  KeyReader reader(config, {family, ""});
  Config result = read(reader);
  reader.readHeader(result.sourceVocabulary, result.targetVocabulary);
  reader.finish();
  refuseProblems(problems(result));
  return result;
}

// Keys below `model.`; an integer is at least 1, the first choice is the default.
ConfigKey integerKey(const std::string& name, std::int64_t value, std::string help);
ConfigKey perLayerKey(const std::string& name, Json value, std::string help);
ConfigKey switchKey(const std::string& name, Json value, std::string help);
ConfigKey choiceKey(const std::string& name, std::vector<std::string> choices, std::string help);

}  // namespace strata
