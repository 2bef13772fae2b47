#pragma once
#include <string>
#include <string_view>

namespace strata {

// What Python's strings do, in which the reference tools are written.

// What str.split and str.strip take for white space.
bool isPythonSpace(char32_t code);

// str.lower of valid UTF-8: full case mapping with the rule for the final sigma. `out` is replaced;
// it must not hold `text`.
void pythonLower(std::string_view text, std::string& out);

}  // namespace strata
