// Values shared by the shown table of a paper and its exports.
#pragma once
#include <optional>
#include <string>

#include "core/papers/measured_table.h"

namespace strata {

// The column whose gains are tested.
std::size_t headlineOf(const PaperTable& table);
std::optional<double> printedAt(const PaperRow& row, const std::string& column);
// The paper's gain of a row over its baseline, from the printed values.
std::optional<double> printedGain(const PaperTable& table, const PaperRow& row,
                                  const std::string& column);
// Whether the test confirms the paper. If the paper prints a loss, a loss confirms it.
Direction directionOf(const RunsComparison& gain, const std::optional<double>& printed);

}  // namespace strata
