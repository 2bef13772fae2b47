// Parts of comparisonPage, in files of their own.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "core/compare/comparison.h"

namespace strata {

// What the script reads, as JSON that can stand within a script element: it holds no "<".
std::string pageData(const Comparison& comparison);
// The metric whose corpus score the script computes: the first that is BLEU; null where none is.
const MetricComparison* pageBleu(const Comparison& comparison);

// The line with a line end where the tokenizer has split a word, so that the script finds the words
// without a tokenizer; nothing where the tokenizer changes more than spaces.
std::optional<std::string> withJoints(std::string_view line, std::string_view tokenized);

}  // namespace strata
