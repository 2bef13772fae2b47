#pragma once
#include <string>
#include <vector>

namespace strata {

// Quotes any text as one word of a shell command line.
std::string quotedForShell(const std::string& text);
// The same, without quotes if a shell takes the text as one word anyway.
std::string wordForShell(const std::string& text);
// A command line that a shell splits into these words again.
std::string shellLine(const std::vector<std::string>& words);

}  // namespace strata
