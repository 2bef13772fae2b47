#pragma once
#include <spdlog/spdlog.h>

#include <string_view>

namespace strata {

// Sends the log to stderr. `level` is one of trace, debug, info, warning, error, off; anything else
// is a usage error. Log with spdlog::info("step={} loss={}", ...) and the like: one line per event,
// values rather than prose.
void setUpLog(std::string_view level);

}  // namespace strata
