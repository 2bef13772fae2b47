#include "core/report/latex.h"

#include <fmt/ranges.h>

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
        std::pair("\u25cf", "$\\bullet$"), std::pair("\u03a3", "$\\Sigma$")})
    replaceAll(out, mark, symbol);
  return out;
}

std::string latexRow(const std::vector<std::string>& cells) {
  return fmt::format("{} \\\\\n", fmt::join(cells, " & "));
}

std::string latexTable(const Table& table, std::string_view more) {
  const auto lines = table.lines(&Cell::latex);
  std::string sides;
  for (const TableColumn& column : table.columns)
    sides += column.align == Align::kRight ? 'r' : 'l';
  std::string out = fmt::format("\\begin{{tabular}}{{{}}}\n\\hline\n", sides);
  for (std::size_t i = 0; i < lines.size(); ++i)
    out += latexRow(lines[i]) + (i == 0 ? "\\hline\n" : "");
  return out.append(more) + "\\hline\n\\end{tabular}\n";
}

}  // namespace strata
