#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace strata {

// Words of text that is written without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese), at
// ICU's word boundaries: those of Unicode's UAX 29, and of ICU's dictionaries where a script does
// not show them. All functions are thread-safe, and none depends on the computer's language.

// What the boundaries depend on: "ICU 72.1".
std::string segmenterVersion();

// Replaces `out` by the words and marks of `line` (valid UTF-8, no \n) with one space between them.
// Their bytes are those of the line, in its order, without white space, zero-width spaces and
// control characters.
void segment(std::string_view line, std::string& out);

// Replaces `out` by the text of such words: without spaces in and next to scripts without spaces,
// full-width characters and emoji; words of other scripts and numbers keep a space between them,
// and their marks are joined to them. Between a word of Thai, Lao, Khmer or Burmese and one of a
// script with spaces there is a space, as usual there.
void joinSegments(std::string_view words, std::string& out);

// Whether a character is a letter of a script that is written without spaces.
bool isUnspacedLetter(char32_t character);

// The words in a text that contain such letters.
std::int64_t unspacedWords(std::string_view text);

}  // namespace strata
