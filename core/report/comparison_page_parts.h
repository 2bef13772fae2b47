// Parts of comparisonPage, in files of their own.
#pragma once
#include <string>
#include <string_view>

#include "core/report/comparison.h"

namespace strata {

// What the script reads, as JSON that can stand within a script element: it holds no "<".
std::string pageData(const Comparison& comparison);
// The metric whose corpus score the script computes: the first that is BLEU; null where none is.
const MetricComparison* pageBleu(const Comparison& comparison);

// The line with U+2063, which is not seen, where the tokenizer has split a word; the tokenized line
// itself where that changes more than spaces.
std::string withJoints(std::string_view line, std::string_view tokenized);

}  // namespace strata
