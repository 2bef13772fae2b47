#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace strata {

// What some editors write at the beginning of a UTF-8 text. It belongs to no word.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Removes a byte order mark at the beginning of a text that the user gave as `name`, and warns of
// it. A text that begins with the mark of UTF-16 is an Error that names it.
void dropByteOrderMark(std::string& text, std::string_view name);

// A file of words that the user gave, in memory: its bytes without a byte order mark.
std::string readTextFile(const std::filesystem::path& path);

}  // namespace strata
