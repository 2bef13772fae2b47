#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/metrics/mteval.h"

namespace strata {

// The words of a line of plain text as in mteval-v13a.pl, by the options' case and tokenization;
// with the Unicode 14 tables of Perl 5.36. Bytes that are not UTF-8 are Errors.
std::vector<std::string> mtevalWords(std::string_view line, const MtevalOptions& options);

}  // namespace strata
