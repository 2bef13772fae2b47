#pragma once
#include <string>
#include <string_view>

namespace strata {

// Formats of files that no reader of text understands, as messages call them ("CSV", "a table of
// Excel"); empty: none of these.

// By the name's ending in any case; endings of compression are passed over.
std::string_view foreignFormatByName(std::string_view name);

// By the first bytes (8 of them are enough), which no text begins with.
std::string_view foreignFormatByBytes(std::string_view head);

// The name in lower case, without .gz, .bz2 or .xz.
std::string plainName(std::string_view name);

}  // namespace strata
