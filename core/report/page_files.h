#pragma once
#include <string_view>

namespace strata {

// The content of a script or style sheet in resources/pages, built into the program:
// "comparison.js".
std::string_view pageFile(std::string_view name);

}  // namespace strata
