#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "app/server/server.h"

namespace strata {

struct ServeSetupOptions {
  std::filesystem::path workspace;
  std::string device = "auto";  // what hello tells
};

// hello, schema and dryRun: what a window needs to start an experiment (core/run/serve_protocol.h).
std::map<std::string, ServeMethod> setupMethods(const ServeSetupOptions& options);

}  // namespace strata
