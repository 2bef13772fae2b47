#pragma once
#include <string>

namespace strata {

// Text for LaTeX outside of formulas; the marks of our tables become symbols (amssymb).
std::string texEscaped(const std::string& text);

}  // namespace strata
