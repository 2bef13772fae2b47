#pragma once
#include <regex>
#include <string>

#include "core/store/runs.h"

namespace strata {

// Chooses runs: a regular expression, without regard to case, found in the name, preset or dataset;
// empty: all. An invalid one is a usage error.
class RunPattern {
 public:
  explicit RunPattern(const std::string& text);
  bool matches(const RunSummary& run) const;

 private:
  bool all_;
  std::regex pattern_;
};

}  // namespace strata
