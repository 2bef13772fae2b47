#pragma once
#include <string>
#include <string_view>

// How the tokenizer keeps runs of two or more full stops together.

namespace strata::detail {

// While the rules run, represents one full stop of a run of two or more. No text contains it:
// control characters are deleted first.
inline constexpr char kRunDot = '\x01';
// The reference's replacement for such a run; text that contains it literally is treated as in the
// reference.
inline constexpr std::string_view kDotMark = "DOTMULTI";

// Turns a run of two or more full stops into a separate word, written with kRunDot. `scratch` is a
// buffer.
void markDotRuns(std::string& text, std::string& scratch);

// The reference's own method, for text that contains its mark, and the inverse.
void markDotRunsLiterally(std::string& text);
void restoreDotRunsLiterally(std::string& text);

}  // namespace strata::detail
