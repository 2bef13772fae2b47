#pragma once
#include <string>

namespace strata {

// Escapes text for LaTeX, outside of formulas; the tables' marks become symbols (amssymb).
std::string texEscaped(const std::string& text);

}  // namespace strata
