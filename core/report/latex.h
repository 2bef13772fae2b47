#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/report/table.h"

namespace strata {

// Escapes text for LaTeX, outside of formulas; the tables' marks become symbols (amssymb).
std::string texEscaped(const std::string& text);

// A tabular with rules above and below the titles and at the end; the caption is left out. `more`:
// lines before the last rule.
std::string latexTable(const Table& table, std::string_view more = "");
// One row of it, with its line end; the cells are LaTeX.
std::string latexRow(const std::vector<std::string>& cells);

}  // namespace strata
