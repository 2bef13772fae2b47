// What the families' configurations have in common: reading the keys of a config.json strictly, and
// describing keys for the schema.
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

// A positive number for every layer, or one number a layer.
struct PerLayer {
  std::vector<std::int64_t> values = {1};
  bool isList = false;

  Json json() const { return isList ? Json(values) : Json(values.front()); }
  // Number of each of so many layers; empty where a list has another length.
  std::vector<std::int64_t> over(std::int64_t layers) const;
};

// Reads the keys of one JSON object and refuses those that it was not asked for. Null counts as
// absent, and an absent key leaves the value as it is. Usage errors name the key.
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
  // `family` must be the reader's own.
  void checkFamily();
  // `format` 1 and both vocabularies' sizes, the four specials included.
  void readHeader(std::int64_t& sourceVocabulary, std::int64_t& targetVocabulary);
  // Any key that nobody asked for is an error.
  void finish() const;

  Error wrong(const char* name, const std::string& expected, const Json& value) const;

 private:
  const Json& object_;
  Place place_;
  std::vector<std::string> known_;
};

// Throws the first of the problems of a config.json as a usage error.
void refuseProblems(const std::vector<ConfigProblem>& problems);

// A config.json as a family's configuration: `read` takes the keys that effective configurations
// have, too, and `problems` names what cannot be.
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
