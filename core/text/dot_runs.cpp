#include "core/text/dot_runs.h"

#include <cstddef>

#include "core/text/replace.h"

namespace strata::detail {
namespace {}  // namespace

void markDotRunsLiterally(std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && text[end] == '.') ++end;
    if (end - i >= 2) {
      result += " DOTMULTI";
      result.append(text, i + 1, end - i - 1);
      i = end;
    } else {
      result.push_back(text[i++]);
    }
  }
  text.swap(result);
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
  scratch.clear();
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && text[end] == '.') ++end;
    if (end - i >= 2) {
      scratch.push_back(' ');
      scratch.append(end - i, kRunDot);
      if (end < text.size()) scratch.push_back(' ');
      i = end;
    } else {
      scratch.push_back(text[i++]);
    }
  }
  text.swap(scratch);
}

}  // namespace strata::detail
