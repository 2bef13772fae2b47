#include "app/commands/listing.h"

#include <fmt/format.h>

#include <cmath>
#include <ctime>

namespace strata {

Workspace openFresh(const GlobalOptions& global) {
  return openFresh(global.workspace);
}

Json finiteOrNull(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

std::string dateText(double seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm local{};
  ::localtime_r(&time, &local);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}", local.tm_year + 1900, local.tm_mon + 1,
                     local.tm_mday, local.tm_hour, local.tm_min);
}

}  // namespace strata
