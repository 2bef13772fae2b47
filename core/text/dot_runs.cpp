#include "core/text/dot_runs.h"

#include <algorithm>
#include <cstddef>

#include "core/text/replace.h"

namespace strata::detail {
namespace {

// Replaces each run of two or more full stops by what `write` appends; it gets the run's length
// and whether it ends the text.
template <typename Write>
void replaceRuns(std::string& text, std::string& scratch, Write write) {
  scratch.clear();
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = std::min(text.find_first_not_of('.', i), text.size());
    if (end - i >= 2) {
      write(end - i, end == text.size());
      i = end;
    } else {
      scratch.push_back(text[i++]);
    }
  }
  text.swap(scratch);
}

}  // namespace

void markDotRunsLiterally(std::string& text) {
  std::string result;
  replaceRuns(text, result, [&](std::size_t length, bool) {
    result.append(" DOTMULTI").append(length - 1, '.');
  });
  constexpr std::string_view kMarkAndDot = "DOTMULTI.";
  while (text.find(kMarkAndDot) != std::string::npos) {
    result.clear();
    std::size_t begin = 0;
    for (std::size_t found = text.find(kMarkAndDot); found != std::string::npos;) {
      const std::size_t next = found + kMarkAndDot.size();
      if (next < text.size() && text[next] != '.') {
        result.append(text, begin, found - begin);
        result += "DOTDOTMULTI ";
        result.push_back(text[next]);
        begin = next + 1;
        found = text.find(kMarkAndDot, begin);
      } else {
        found = text.find(kMarkAndDot, found + 1);
      }
    }
    result.append(text, begin);
    text.swap(result);
    replaceAll(text, kMarkAndDot, "DOTDOTMULTI");
  }
}

void restoreDotRunsLiterally(std::string& text) {
  while (text.find("DOTDOTMULTI") != std::string::npos) {
    replaceAll(text, "DOTDOTMULTI", "DOTMULTI.");
  }
  replaceAll(text, kDotMark, ".");
}

void markDotRuns(std::string& text, std::string& scratch) {
  replaceRuns(text, scratch, [&](std::size_t length, bool atEnd) {
    scratch.append(" ").append(length, kRunDot).append(atEnd ? "" : " ");
  });
}

}  // namespace strata::detail
