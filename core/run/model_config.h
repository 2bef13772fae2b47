// What the families' configurations have in common. A family's Config is a struct with
//   static constexpr const char* kFamily;                  // config.json's `family`
//   std::int64_t sourceVocabulary, targetVocabulary;       // the four special tokens included
// and, found by argument-dependent lookup,
//   void describe(KeyTable& keys, Config& config);         // the keys below `model.`
//   std::vector<ConfigProblem> problemsOf(const Config&);  // invalid combinations, paths starting
//                                                          // with "model."; sizes of vocabularies
//                                                          // may be 0: not known yet
// and, for a drawing of the model, networkOf(const Config&) (core/run/network.h). If the model has
// positions for sentences of some length only, Config has
//   SentenceLimit sentenceLimit() const;                   // core/run/sentence_limit.h
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/run/config.h"
#include "core/run/key_table.h"
#include "core/run/network.h"

namespace strata {

// Throws the first problem of a config.json as a usage error.
void refuseProblems(const std::vector<ConfigProblem>& problems);

// A table with the keys that a config.json has before those of its family: `format` 1, `family` and
// both vocabularies' sizes.
KeyTable modelHeader(const char* family, std::int64_t& sourceVocabulary,
                     std::int64_t& targetVocabulary);

// A number of layers, heads, dimensions, ...: from 1 to 65536.
template <typename Field>
BoundKey& addSize(KeyTable& keys, const std::string& name, Field& field, std::string help) {
  return keys.add(name, field, std::move(help)).atLeast(1).atMost(65536);
}

// A number of layers of a stack, 1 to 10,000: each is an object of its own, so that more of them
// take long before anything can be said of them.
template <typename Field>
BoundKey& addLayers(KeyTable& keys, const std::string& name, Field& field, std::string help) {
  return addSize(keys, name, field, std::move(help)).atMost(10'000);
}

// Reads a config.json. Keys of the family may be absent; unknown keys, wrong types and invalid
// combinations are usage errors that name the key.
template <typename Config>
Config parseModelConfig(const Json& json) {
  Config config;
  KeyTable keys = modelHeader(Config::kFamily, config.sourceVocabulary, config.targetVocabulary);
  for (const ConfigKey& key : keys.keys()) configAt(json, key.path);
  describe(keys, config);
  keys.readStrictly(json, "config.json");
  refuseProblems(problemsOf(config));
  return config;
}

// The config.json: every key that matters to the model, explicit.
template <typename Config>
Json configJson(Config config) {
  KeyTable keys = modelHeader(Config::kFamily, config.sourceVocabulary, config.targetVocabulary);
  describe(keys, config);
  return keys.json();
}

// The keys below `model.`, without vocabulary sizes, which the dataset determines.
template <typename Config>
std::vector<ConfigKey> modelKeys() {
  Config config;
  return tableOf(config).keys("model.");
}

// See ConfigSources::completeModel.
template <typename Config>
std::vector<ConfigProblem> completeModel(Json& model) {
  Config config;
  const KeyTable keys = tableOf(config);
  keys.read(model, "model");
  keys.fillIn(model);
  return problemsOf(config);
}

}  // namespace strata
