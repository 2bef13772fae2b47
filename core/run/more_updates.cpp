#include "core/run/more_updates.h"

namespace strata {

Json withUpdates(Json config, std::int64_t updates) {
  Json& training = config["training"];
  training["max_updates"] = updates;
  for (const char* limit : {"max_epochs", "stop_after_tokens", "max_hours"}) training[limit] = 0;
  if (Json& phases = training["phases"]; phases.is_array() && !phases.empty())
    phases.back()["epochs"] = 0;
  config["early_stopping"]["metric"] = "";
  return config;
}

}  // namespace strata
