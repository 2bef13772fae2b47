#pragma once
#include <spdlog/spdlog.h>

#include <string_view>

namespace strata {

// Sends the log to stderr. `level` is one of trace, debug, info, warning, error, off; anything else
// is a usage error. Use spdlog::info("step={} loss={}", ...) and its like afterwards: one line an
// event, values not prose.
void setUpLog(std::string_view level);

}  // namespace strata
