#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "app/serve_server.h"

namespace strata {

struct ServeSetupOptions {
  std::filesystem::path workspace;
  std::string device = "auto";  // what hello tells
};

// hello, schema and dryRun: what a window needs to start an experiment. Shapes of params and
// results:
//   hello    {}                             -> {program, version, protocol, libtorch, device}
//   schema   {preset? | config?}            -> {keys, config}; `config` is a whole configuration
//   dryRun   {preset, dataset?, overrides?} -> {parameters, memoryBytes, secondsEstimate?,
//            secondsPerUpdate, updates?, updatesPerEpoch, tokensPerSecond, learningRate, config};
//            without a dataset only config and learningRate.
std::map<std::string, ServeMethod> setupMethods(const ServeSetupOptions& options);

}  // namespace strata
