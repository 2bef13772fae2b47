#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "app/serve_server.h"

namespace strata {

struct ServeSetupOptions {
  std::filesystem::path workspace;
  std::string device = "auto";  // what hello tells
  int threads = 0;              // of this process outside dry runs; 0: every core
  // What models that are loaded here take, which is not part of an experiment's memory.
  std::function<std::int64_t()> otherBytes;
};

// hello, presets, schema and dryRun: what a window needs to start an experiment. Shapes of params
// and results:
//   hello    {}                             -> {program, version, protocol, libtorch, device}
//   presets  {}                             -> {presets: [{name, description}]}
//   schema   {preset? | config?}            -> {keys, config}; `config` is a whole configuration
//   dryRun   {preset, dataset?, overrides?} -> {parameters, memoryBytes, secondsEstimate?,
//            secondsPerUpdate, updates?, updatesPerEpoch, tokensPerSecond, learningRate, config};
//            without a dataset only config and learningRate.
std::map<std::string, ServeMethod> setupMethods(const ServeSetupOptions& options);

}  // namespace strata
