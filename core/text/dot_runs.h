#pragma once
#include <string>
#include <string_view>

// How the tokenizer keeps runs of two or more full stops together.

namespace strata::detail {

// While the rules run, stands for one full stop of a run of two or more. No text holds it: control
// characters are deleted first.
inline constexpr char kRunDot = '\x01';
// What the reference puts in the place of such a run; text that holds it by itself is treated as
// the reference does.
inline constexpr std::string_view kDotMark = "DOTMULTI";

// A run of two or more full stops becomes a word of its own, written with kRunDot. `scratch` is a
// buffer.
void markDotRuns(std::string& text, std::string& scratch);

// The reference's own way to do so, for text that holds its mark, and the way back.
void markDotRunsLiterally(std::string& text);
void restoreDotRunsLiterally(std::string& text);

}  // namespace strata::detail
