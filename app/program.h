// Shared by the two command-line programs: global options, and the conversion of errors to messages
// and exit statuses.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "app/commands/verbs.h"

namespace strata {

// Runs the verb given on the command line. Returns the exit status: 0 success, 1 failure, 2 wrong
// usage or configuration, or the verb's own. Messages always name the program strata-run.
int runProgram(int argc, char** argv, std::span<const std::span<const Verb>> verbs);

// The command line's verb: the first argument that is neither an option nor the value of a global
// option. Empty if there is none.
std::string verbOf(int argc, char** argv);

}  // namespace strata
