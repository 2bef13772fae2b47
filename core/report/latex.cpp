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
        std::pair("\u25cf", "$\\bullet$")})
    replaceAll(out, mark, symbol);
  return out;
}

std::string latexRow(const std::vector<Cell>& cells) {
  std::vector<std::string> texts;
  for (const Cell& cell : cells) texts.push_back(cell.latex());
  return fmt::format("{} \\\\\n", fmt::join(texts, " & "));
}

std::string latexTable(const Table& table, std::string_view more) {
  table.requireWholeRows();
  std::string sides;
  std::vector<Cell> titles;
  for (const TableColumn& column : table.columns) {
    sides += column.align == Align::kRight ? 'r' : 'l';
    titles.emplace_back(column.title);
  }
  std::string out = fmt::format("\\begin{{tabular}}{{{}}}\n\\hline\n", sides);
  out += latexRow(titles) + "\\hline\n";
  for (const auto& row : table.rows) out += latexRow(row);
  return out.append(more) + "\\hline\n\\end{tabular}\n";
}

}  // namespace strata
