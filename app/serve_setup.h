#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "app/serve_server.h"

namespace strata {

struct ServeSetupOptions {
  std::filesystem::path workspace;
  std::string device = "auto";  // reported by hello
};

// hello, schema and dryRun: used by the window to set up a run. Params and results:
//   hello    {}                             -> {program, version, protocol, libtorch, device}
//   schema   {preset? | config?}            -> {keys, config}; `config` is a complete configuration
//   dryRun   {preset, dataset?, overrides?} -> {parameters, memoryBytes, secondsEstimate?,
//            secondsPerUpdate, updates?, updatesPerEpoch, tokensPerSecond, learningRate, config};
//            without a dataset only config and learningRate.
std::map<std::string, ServeMethod> setupMethods(const ServeSetupOptions& options);

}  // namespace strata
