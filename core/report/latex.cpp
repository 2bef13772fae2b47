#include "core/report/latex.h"

#include <string_view>
#include <utility>

#include "core/text/replace.h"

namespace strata {

std::string texEscaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("&%$#_{}").find(c) != std::string_view::npos) out += '\\';
    if (c == '~' || c == '^' || c == '\\') {
      out += c == '~'   ? "\\textasciitilde{}"
             : c == '^' ? "\\textasciicircum{}"
                        : "\\textbackslash{}";
    } else {
      out += c;
    }
  }
  for (const auto& [mark, symbol] :
       {std::pair("\u00b1", "$\\pm$"), std::pair("\u25b2", "$\\blacktriangle$"),
        std::pair("\u25cf", "$\\bullet$")})
    replaceAll(out, mark, symbol);
  return out;
}

}  // namespace strata
