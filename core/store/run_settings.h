#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/store/runs.h"

namespace strata {

// The settings of many runs. A configuration is read once, and again when its file has changed.
class RunSettings {
 public:
  using Values = std::map<std::string, Json>;  // by path: {"training.dropout": 0.1}
  struct Run {
    // Without seed and name, with the preset. Shared with whoever keeps them: a thousand runs have
    // a hundred each.
    std::shared_ptr<const Values> values = std::make_shared<Values>();
    std::string group = {};  // configurationGroup
  };

  // Valid until the next call of it. Throws like runConfig.
  const Run& of(const RunSummary& run);

 private:
  struct Known {
    std::filesystem::file_time_type changed = {};
    Run run = {};
  };
  std::map<std::int64_t, Known> known_;
};

// Keys that have two values or more, or that only some runs have. Sorted.
std::vector<std::string> differingKeys(const std::vector<const RunSettings::Values*>& runs);
}  // namespace strata
