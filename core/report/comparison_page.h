#pragma once
#include <string>

#include "core/compare/comparison.h"

namespace strata {

// One self-contained HTML page, light or dark like the reader's system: scores, charts, n-grams,
// and a table of all sentences. The page's script sorts and filters the table and computes the
// corpus BLEU of the sentences that pass the filter; it loads nothing else. Texts are escaped, so
// that none becomes markup or code.
std::string comparisonPage(const Comparison& comparison);

}  // namespace strata
