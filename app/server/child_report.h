#pragma once
#include <stop_token>
#include <string>
#include <vector>

namespace strata {

// Runs this program once more, without input, and returns what it prints on stdout. A status other
// than 0 is an Error with the message that it gave. Asked to stop, it is killed and Cancelled is
// thrown. What needs a process of its own: a measure of memory, or work that may be killed for it.
std::string runAgain(const std::vector<std::string>& arguments, const std::stop_token& stop);

}  // namespace strata
