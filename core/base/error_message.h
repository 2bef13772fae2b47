#pragma once
#include <exception>
#include <string>

namespace strata {

// What a user is told about an exception: an Error's full message; of any other exception, which
// describes an internal problem, only the first line (libtorch appends pages of stack).
std::string messageOf(const std::exception& error);

}  // namespace strata
