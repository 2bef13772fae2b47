#pragma once
#include <string>

#include "core/compare/comparison.h"

namespace strata {

// One self-contained page for a browser, light or dark as the reader's system is: scores, charts,
// n-grams, and every sentence in a table that can be sorted and filtered. A script within the page
// does the latter, and gives the corpus BLEU of the sentences that a filter leaves; it reads
// nothing but the page. Texts are escaped, and none becomes markup or code.
std::string comparisonPage(const Comparison& comparison);

}  // namespace strata
