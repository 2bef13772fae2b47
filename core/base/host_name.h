#pragma once
#include <string>

namespace strata {

// The name of this computer; "localhost" if it has none.
const std::string& hostName();

}  // namespace strata
