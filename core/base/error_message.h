#pragma once
#include <exception>
#include <string>

namespace strata {

// What a user is told of an exception: an Error's whole message, and of any other, which only says
// what went wrong inside, the first line (libtorch adds pages of stack to its own).
std::string messageOf(const std::exception& error);

}  // namespace strata
