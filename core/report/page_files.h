#pragma once
#include <string_view>

namespace strata {

// A script or style of pages (resources/pages), which is built in: "comparison.js".
std::string_view pageFile(std::string_view name);

}  // namespace strata
