// Parts of comparisonPage, each in its own file.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "core/compare/comparison.h"

namespace strata {

// The data for the script, as JSON without "<", so that it can be put into a script element.
std::string pageData(const Comparison& comparison);
// The metric whose corpus score the script computes: the first BLEU; null if there is none.
const MetricComparison* pageBleu(const Comparison& comparison);

// Marks where the tokenizer has split a word; no line contains it.
inline constexpr char kJoint = '\n';
// The line with joints, so that words are found without a tokenizer; none if the tokenizer changes
// more than spaces.
std::optional<std::string> withJoints(std::string_view line, std::string_view tokenized);

}  // namespace strata
