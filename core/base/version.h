#pragma once
#include <string_view>

namespace strata {

// "0.1.0": the version of all programs of one build.
std::string_view programVersion();

}  // namespace strata
