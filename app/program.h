// What the two headless programs share: global options, and the boundary at which errors become
// messages and exit statuses.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "app/commands/verbs.h"

namespace strata {

// Runs the verb that the command line names. Gives the exit status: 0 done, 1 failure, 2 wrong
// usage or configuration, or what a verb says. Users see one program, strata-run, and so do
// messages.
int runProgram(int argc, char** argv, std::span<const std::span<const Verb>> verbs);

// Writes to stdout. That nobody reads it any more (a closed pipe, a terminal that is gone) is no
// error where SIGPIPE is ignored; a full disk is.
void printOut(std::string_view text);

// The command line's verb: its first word that is neither an option nor the value of a global one.
// Empty where there is none.
std::string verbOf(int argc, char** argv);

}  // namespace strata
