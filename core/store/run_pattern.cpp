#include "core/store/run_pattern.h"

#include "core/base/error.h"

namespace strata {

RunPattern::RunPattern(const std::string& text) : all_(text.empty()) {
  try {
    pattern_ = std::regex(text, std::regex::ECMAScript | std::regex::icase);
  } catch (const std::regex_error&) {
    throw usageError("the filter '{}' is not a regular expression", text);
  }
}

bool RunPattern::matches(const RunSummary& run) const {
  if (all_) return true;
  const auto in = [this](const std::string& text) { return std::regex_search(text, pattern_); };
  return in(run.name) || in(run.preset) || in(run.dataset);
}

}  // namespace strata
