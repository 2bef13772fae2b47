#pragma once
#include <stop_token>
#include <string>
#include <vector>

namespace strata {

// Runs this program in a child process, without input, and returns its stdout. A non-zero exit
// status is an Error with the child's message. On a stop request the child is killed and Cancelled
// is thrown. For work that needs its own process: memory measurements, or work that may run out of
// memory.
std::string runInChild(const std::vector<std::string>& arguments, const std::stop_token& stop);

}  // namespace strata
