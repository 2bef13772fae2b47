#pragma once
#include <string>
#include <string_view>

namespace strata {

// Text of others as a terminal or window may show it: control characters (an escape could rewrite
// what stands there) and bytes that are no UTF-8 become U+FFFD.
std::string printable(std::string_view text);
// The same for text of several lines: line ends and tabs stay.
std::string printableLines(std::string_view text);

}  // namespace strata
