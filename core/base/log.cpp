#include "core/base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>

#include <string>

#include "core/base/error.h"

namespace strata {

void setUpLog(std::string_view level) {
  const auto parsed = spdlog::level::from_str(std::string(level));
  if (parsed == spdlog::level::off && level != "off") {
    throw usageError("unknown log level '{}': use trace, debug, info, warning, error or off",
                     level);
  }
  auto logger = spdlog::get("strata");
  if (!logger) logger = spdlog::stderr_color_mt("strata");
  logger->set_level(parsed);
  logger->set_pattern("%H:%M:%S %^%l%$ %v");
  spdlog::set_default_logger(logger);
}

}  // namespace strata
