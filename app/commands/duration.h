#pragma once
#include <string>

namespace strata {

// The seconds of "30d", "12h", "2w", "90m" or "10s", as given to `option`; anything else is a usage
// error that names it.
double secondsFrom(const std::string& option, const std::string& text);

}  // namespace strata
