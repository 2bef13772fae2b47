#pragma once
#include <string_view>

namespace strata {

// "0.1.0": of the programs, all of one build.
std::string_view programVersion();

}  // namespace strata
