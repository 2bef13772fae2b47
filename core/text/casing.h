#pragma once
#include <string>
#include <string_view>

namespace strata {

// Lower-cases valid UTF-8 into `out` (replacing its content), character by character like Moses's
// lowercase.perl: no rule for the final sigma, U+0130 becomes i and U+0307.
void lowercase(std::string_view text, std::string& out);

// The same by the rules of a language that casingOf() names, as Unicode has them: in Turkish I
// becomes ı, İ becomes i. Empty: as lowercase().
void lowercaseIn(const std::string& casing, std::string_view text, std::string& out);

inline std::string lowercased(std::string_view text) {
  std::string out;
  lowercase(text, out);
  return out;
}

// Appends `word` with its first character in upper case, which may become several letters (ß gives
// SS).
void appendUppercasedFirst(std::string_view word, std::string& out);

// The same by the rules of a language that casingOf() names: in Turkish i becomes İ, in Dutch ij
// becomes IJ. Empty: as appendUppercasedFirst().
void appendUppercasedFirstIn(const std::string& casing, std::string_view word, std::string& out);

}  // namespace strata
