// The standard output of the command-line programs: what cannot be written is an error, whichever
// verb wrote it and however.
#pragma once
#include <string>
#include <string_view>

namespace strata {

// Call before anything is written.
void prepareStandardOutput();

// Writes to stdout at once. Throws an Error if that is impossible, but for those readers that
// finishStandardOutput forgives.
void printOut(std::string_view text);

// The sentence about it; `reason` is an errno, or 0: unknown.
std::string cannotPrint(int reason);

// To be called at the end of every verb, with its exit status: writes what is still buffered, by
// whatever function it was printed. Returns 1 instead of 0, after a message, if anything of the
// output was lost (a full disk, an I/O error). A reader that has gone is no loss where SIGPIPE is
// ignored, nor is a terminal that was closed.
int finishStandardOutput(int status);

}  // namespace strata
